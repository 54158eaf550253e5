import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAuth } from '@latchkey/worker'
import github from '@latchkey/worker/providers/github'
import google from '@latchkey/worker/providers/google'
import videoapp from '@latchkey/worker/providers/videoapp'
import { memoryStore } from '@latchkey/worker/stores/memory'
import express from 'express'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { MiddlewareAuth, type MiddlewareAuthConfig } from './index.js'

/** The start of an app as the README has it, without the variables. */
const secret = 'a-secret-of-the-start-tests-0123456789'
let server: Server | undefined

beforeEach(() => {
  for (const name of Object.keys(process.env)) {
    if (name.startsWith('AUTH_')) vi.stubEnv(name, undefined)
  }
})
afterEach(() => {
  server?.close()
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
})

async function listen(config: MiddlewareAuthConfig, path = '/auth'): Promise<string> {
  const app = express()
  app.use(path, MiddlewareAuth(config))
  server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`
}

test('with nothing set it speaks of `providers` and `worker`', () => {
  const start = () => MiddlewareAuth({})
  for (const word of ['MiddlewareAuth needs `providers`', '`worker`', 'AUTH_WORKER_URL']) {
    expect(start).toThrow(word)
  }
})

test.each(['/auth', '/api/auth'])(
  'mounted at %s, it names each provider without its variables before any request, once, and offers none of them',
  async (path) => {
    vi.stubEnv('AUTH_GOOGLE_ID', 'the-client')
    vi.stubEnv('AUTH_GITHUB_ID', 'the-client')
    vi.stubEnv('AUTH_GITHUB_SECRET', 'the-client-secret')
    const said: string[] = []
    const logger = { error: ({ message }: Error) => void said.push(message), warn() {} }
    const providers = [videoapp(), google(), github()]
    const at = await listen({ providers, secret, logger }, path)
    await vi.waitFor(() => expect(said).toHaveLength(2))
    expect(said[0]).toContain('AUTH_VIDEO_ID')
    expect(said[1]).toContain('AUTH_GOOGLE_SECRET')
    expect(said.join()).not.toContain('the-client')
    const page = await (await fetch(`${at}/signin`)).text()
    expect(page).toContain(`${path}/signin/github`)
    expect(page).not.toMatch(/signin\/(?:videoapp|google)/)
    expect(Object.keys(await (await fetch(`${at}/providers`)).json())).toEqual(['github'])
    expect(said).toHaveLength(2)
  },
)

test('an option that the service cannot use ends the process at its start, and the log names it', async () => {
  const said: string[] = []
  const logger = { error: ({ message }: Error) => void said.push(message), warn() {} }
  // Vitest listens too, and would fail the run.
  const others = process.listeners('unhandledRejection')
  process.removeAllListeners('unhandledRejection')
  const ended = new Promise<Error>((resolve) => process.once('unhandledRejection', resolve))
  MiddlewareAuth({ providers: [], secret, logger, session: { maxAge: -1 } })
  expect((await ended).message).toContain('MiddlewareAuth cannot use this configuration')
  for (const listen of others) process.on('unhandledRejection', listen)
  expect(said).toEqual(['session.maxAge must be a whole number of seconds, 1 or more.'])
})

test('a complete configuration logs nothing', async () => {
  const said: unknown[] = []
  const note = (...what: unknown[]) => void said.push(what)
  const client = { clientId: 'the-client', clientSecret: 'the-client-secret' }
  const at = await listen({
    providers: [github(client)],
    secret,
    logger: { error: note, warn: note },
  })
  expect((await fetch(`${at}/csrf`)).status).toBe(200)
  expect(said).toEqual([])
})

/** The Worker, at an address of its own. */
function startWorker(trustedOrigins: readonly string[]) {
  const auth = createAuth({
    basePath: '/auth',
    providers: [github({ clientId: 'the-client', clientSecret: 'the-client-secret' })],
    secret,
    store: memoryStore(),
    trustedOrigins,
    logger: { error() {}, warn() {} },
  })
  const fetching = fetch
  vi.stubGlobal('fetch', (url: URL | string, init?: RequestInit) =>
    String(url).startsWith('https://auth.example/') ? auth.request(url, init) : fetching(url, init),
  )
  return { worker: 'https://auth.example/auth' }
}

test.each([
  ['an app without a key', {}],
  ['an app with another secret', { secret: 'another-secret-of-the-start-tests-0123456' }],
])(
  '%s logs at its first request, once, that the Worker does not know its origin',
  async (_, more) => {
    const said: string[] = []
    vi.spyOn(console, 'warn').mockImplementation((line) => void said.push(String(line)))
    const config = startWorker([])
    const at = await listen({ ...config, ...more })
    expect(said).toEqual([])
    for (const path of ['/session', '/signin', '/csrf', '/signin']) {
      const answer = await fetch(at + path)
      expect([answer.status, answer.headers.get('x-auth-app')]).toEqual([200, null])
    }
    expect(said).toHaveLength(1)
    expect(said[0]).toContain(new URL(at).origin)
    expect(said[0]).toContain('AUTH_TRUSTED_ORIGINS')
  },
)

test('an app at an origin that the Worker trusts logs nothing, and its client cannot ask', async () => {
  const said: string[] = []
  vi.spyOn(console, 'warn').mockImplementation((line) => void said.push(String(line)))
  const at = await listen({ worker: 'https://auth.example/auth' })
  startWorker([new URL(at).origin])
  for (const path of ['/session', '/signin']) {
    const answer = await fetch(at + path, { headers: { 'x-auth-app': '?' } })
    expect([answer.status, answer.headers.get('x-auth-app')]).toEqual([200, null])
  }
  expect(said).toEqual([])
})
