import { testOperatorPaths } from '../../../test/support/operator-in-apps.js'
import { webAuth } from './index.js'
import { ORIGIN } from './test-app.js'

testOperatorPaths(async (config, path, init) => {
  const { handle } = webAuth(config)
  const answer = await handle(new Request(ORIGIN + path, init), () => {
    return new Response('of the app', { status: 404 })
  })
  return { status: answer.status, text: await answer.text() }
})
