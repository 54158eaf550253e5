import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { rootDir } from '../../scripts/wrangler-dev.ts'
import { ask, cookieOf, csrf, form, type Running } from '../express/support.ts'
import { freePort } from '../support/free-port.ts'

const AUTH_SECRET = 'a-secret-of-the-hono-tests-0123456789ab'
const folder = join(rootDir, 'examples/hono')

/** The example as its reader starts it: a process of Node's, and a Worker. */
const starts = {
  node: (port: number) => [join(folder, 'dist/server.js'), String(port)],
  worker: (port: number) => [
    join(rootDir, 'node_modules/wrangler/bin/wrangler.js'),
    ...['dev', '--config', join(folder, 'wrangler.toml'), '--port', String(port)],
    ...['--inspector-port', '0', '--var', `AUTH_SECRET:${AUTH_SECRET}`],
  ],
}

describe.each(Object.entries(starts))('examples/hono, %s', (_, argsOf) => {
  let child: ChildProcess
  let app: Running

  beforeAll(async () => {
    const port = await freePort()
    const env = { ...process.env, PORT: String(port), AUTH_SECRET, WRANGLER_SEND_METRICS: 'false' }
    child = spawn(process.execPath, argsOf(port), { cwd: folder, env, stdio: 'ignore' })
    const host = `localhost:${port}`
    app = {
      url: `http://${host}`,
      port,
      ask: (path, options = {}) =>
        ask(port, path, { ...options, headers: { host, ...options.headers } }),
      stop: async () => void child.kill(),
    }
    await vi.waitUntil(() => app.ask('/').catch(() => undefined), { timeout: 60_000 })
  })
  afterAll(() => app.stop())

  test('a user signs in with a password, sees the page for members, and signs out', async () => {
    expect((await app.ask('/')).text).toContain('Nobody is signed in')
    expect((await app.ask('/members')).headers.location).toBe('/auth/signin?callbackUrl=%2Fmembers')
    expect((await app.ask('/api/me', { headers: { accept: 'application/json' } })).status).toBe(401)

    const { csrfToken, cookie } = await csrf(app)
    const sent = form({ csrfToken, username: 'ada', password: 'lovelace', callbackUrl: '/members' })
    const done = await app.ask('/auth/callback/credentials', {
      ...sent,
      headers: { ...sent.headers, cookie },
    })
    expect(done.headers.location).toBe(`${app.url}/members`)
    const signedIn = { headers: { cookie: cookieOf(done) } }
    expect((await app.ask('/members', signedIn)).text).toContain('Hello Ada')
    expect(JSON.parse((await app.ask('/api/me', signedIn)).text)).toHaveProperty('name', 'Ada')
    expect((await app.ask('/', signedIn)).text).toContain('Signed in as')

    const { csrfToken: token } = JSON.parse((await app.ask('/auth/csrf', signedIn)).text)
    const last = form({ csrfToken: token })
    const out = await app.ask('/auth/signout', {
      ...last,
      headers: { ...last.headers, ...signedIn.headers },
    })
    expect(out.cookies.some((line) => /session-token=;.*Max-Age=0/.test(line))).toBe(true)
    expect((await app.ask('/members', signedIn)).status).toBe(302)
  })
})
