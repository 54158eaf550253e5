import { Hono } from 'hono'
import { testOperatorPaths } from '../../../test/support/operator-in-apps.js'
import { authHandler } from './auth.js'
import { ORIGIN } from './test-app.js'

testOperatorPaths(async (config, path, init) => {
  const app = new Hono().all('/auth/*', authHandler(config))
  const answer = await app.request(ORIGIN + path, init)
  return { status: answer.status, text: await answer.text() }
})
