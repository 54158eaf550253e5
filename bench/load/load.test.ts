import { Agent, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { bundleWorker } from '../../test/support/bundle-worker.ts'
import { sources } from '../../test/support/sources.ts'
import { Crowd } from './crowd.ts'
import { openSandbox } from './sandbox.ts'
import { latchkey, ORIGIN } from './services.ts'
import { Site } from './site.ts'

const people = Array.from({ length: 12 }, (_, number) => ({
  id: String(number),
  name: `Person ${number}`,
}))

it('drives the Worker in workerd: each person signs in, sees their own name, and is out after a sign-out', async () => {
  const sandboxCode = await bundled('./workers/sandbox.ts')
  const code = await bundled('../../worker/src/worker.ts')
  await using sandbox = await openSandbox({ code: sandboxCode }, people.length)
  await using site = await Site.open({ service: latchkey, bundle: { code } }, sandbox, people)
  await site.arrive()
  expect(site.done).toEqual({ steps: 12, signIns: 12, signOuts: 0, letIn: 0 })
  while (site.done.signOuts < 6) await site.rush(0.2)
  await site.stroll(0.2, 60)
  const { rush, stroll } = site.parts
  expect([...rush.times.keys()].sort()).toEqual(
    ['callback', 'csrf token', 'read', 'renewal', 'sign-out', 'start'].sort(),
  )
  expect(stroll.steps).toBe(12)
  expect(site.done.letIn).toBe(0)
  expect(site.memory.start).toBeGreaterThan(0)
  expect(site.memory.peak).toBeGreaterThanOrEqual(site.memory.end)
})

it('a wrong answer ends the load with the route, and without its query', async () => {
  const server = createServer((request, response) => {
    const isCsrf = request.url === '/auth/csrf'
    response.setHeader('location', `${ORIGIN}/auth/error?secret`)
    response.writeHead(isCsrf ? 200 : request.method === 'POST' ? 302 : 503)
    response.end(isCsrf ? '{"csrfToken":"token"}' : '')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const agent = new Agent()
  const place = {
    service: latchkey,
    server: {
      name: 'Latchkey',
      origin: ORIGIN,
      address: new URL(`http://127.0.0.1:${port}`),
      agent,
      onAnswer: () => {},
    },
    consent: async () => new URL(`${ORIGIN}/?code=secret`),
  }
  try {
    await expect(new Crowd(people, place).rush(60)).rejects.toThrow(
      `Latchkey answered /auth/callback/videoapp with 503 ${ORIGIN}/auth/error, not with a redirect to /inbox.`,
    )
  } finally {
    agent.destroy()
    server.close()
  }
})

function bundled(path: string): Promise<string> {
  return bundleWorker(fileURLToPath(new URL(path, import.meta.url)), sources)
}
