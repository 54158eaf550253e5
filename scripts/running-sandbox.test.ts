import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { startSandboxHere } from '../test/support/dev.ts'
import { freePort } from '../test/support/free-port.ts'
import { missingAt } from './running-sandbox.ts'

const [known, unknown] = [3000, 4000].map(
  (port) => `http://localhost:${port}/auth/callback/videoapp`,
)

it('finds a sandbox that runs, and the redirect URIs that it lacks', async () => {
  const port = await freePort()
  const sandbox = await startSandboxHere(port, { SANDBOX_REDIRECT_URIS: `${known}` })
  onTestFinished(() => sandbox.stop())
  expect(await missingAt(port, `${known},${unknown}`)).toEqual([unknown])
})

it('takes no other program for the sandbox', async () => {
  const server = createServer((_, response) => response.end(`<code>${known}</code>`))
  await new Promise<void>((resolve) => server.listen(0, resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  expect(await missingAt(port, `${known}`)).toBeUndefined()
  expect(await missingAt(await freePort(), `${known}`)).toBeUndefined()
})
