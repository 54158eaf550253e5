import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { serve } from '@hono/node-server'
import { createAuth } from '@latchkey/worker'
import { authorizationServer } from '@latchkey/worker/features/authorization-server'
import credentials from '@latchkey/worker/providers/credentials'
import { memoryStore } from '@latchkey/worker/stores/memory'
import { afterEach, expect, test, vi } from 'vitest'
import { rootDir } from '../../scripts/wrangler-dev.ts'
import { freePort } from '../support/free-port.ts'
import { connectTo, Kept, Person, REDIRECT, textOf } from '../support/mcp-client.ts'

const folder = join(rootDir, 'examples/mcp')
const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

/** The example as its reader starts it: a process of Node's, and a Worker. */
const starts = {
  Express: (port: number, service: string) => ({
    args: [join(folder, 'dist/server.js')],
    env: { PORT: String(port), AUTH_WORKER_URL: service },
  }),
  'a Worker': (port: number, service: string) => ({
    args: [
      join(rootDir, 'node_modules/wrangler/bin/wrangler.js'),
      ...['dev', '--config', join(folder, 'wrangler.toml'), '--port', String(port)],
      ...['--inspector-port', '0', '--var', `AUTH_WORKER_URL:${service}`],
      ...['--var', `MCP_URL:http://localhost:${port}/mcp`],
    ],
    env: { WRANGLER_SEND_METRICS: 'false' },
  }),
}

test.each(Object.entries(starts))('examples/mcp in %s says who asks', async (_, start) => {
  const [servicePort, port] = [await freePort(), await freePort()]
  const service = `http://localhost:${servicePort}`
  const url = `http://localhost:${port}/mcp`
  const auth = createAuth({
    basePath: '/auth',
    secret: 'a-secret-of-the-mcp-example-0123456789ab',
    trustHost: true,
    store: memoryStore(),
    logger: { error: console.error, warn: () => {}, info: () => {} },
    providers: [
      credentials({
        credentials: { username: {}, password: {} },
        authorize: ({ username }) => ({ id: String(username), name: String(username) }),
      }),
    ],
    features: [
      authorizationServer({
        apps: { inspector: { redirectUris: [REDIRECT] } },
        resources: { [url]: { name: 'Who', scopes: { 'who:read': 'See who you are' } } },
      }),
    ],
  })
  const running = serve({ fetch: (request) => auth.fetch(request), port: servicePort })
  stops.push(() => running.close())
  const { args, env } = start(port, `${service}/auth`)
  const child: ChildProcess = spawn(process.execPath, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: 'ignore',
  })
  stops.push(() => void child.kill())
  await vi.waitUntil(() => fetch(url, { method: 'POST' }).catch(() => undefined), {
    timeout: 60_000,
  })
  const ada = new Person(service)
  await ada.signIn('ada')
  const client = await connectTo(url, new Kept({ id: 'inspector' }), ada)
  expect(await textOf(client)).toMatch(/^You are [\w-]{20,}\.$/)
  await client.close()
})
