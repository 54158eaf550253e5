import { testOperatorPaths } from '../../../test/support/operator-in-apps.js'
import NextAuth from './index.js'
import { Browser } from './test-app.js'

testOperatorPaths(async (config, path, init) => {
  const { handlers } = NextAuth(config)
  const handler = init.method === 'POST' ? handlers.POST : handlers.GET
  const answer = await new Browser('/api/auth').handle(path, handler, init)
  return { status: answer.status, text: await answer.text() }
}, '/api/auth')
