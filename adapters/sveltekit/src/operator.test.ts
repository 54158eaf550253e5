import { testOperatorPaths } from '../../../test/support/operator-in-apps.js'
import { ComponentKitAuth } from './component-kit-auth.js'
import { TestApp } from './test-app.js'

testOperatorPaths(async (config, path, init) => {
  const app = new TestApp(ComponentKitAuth(config))
  const respond = () => new Response('of the app', { status: 404 })
  const answer = await app.visit(path, undefined, init, { respond })
  return { status: answer.status, text: await answer.text() }
})
