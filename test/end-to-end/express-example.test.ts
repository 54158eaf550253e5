import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rootDir } from '../../scripts/wrangler-dev.ts'
import { ask, cookieOf, csrf, form, type Running } from '../express/support.ts'
import { freePort } from '../support/free-port.ts'

/** The example as its README starts it; in the second way with the real Worker. */
describe.each(['in-process', 'worker'])('examples/express, %s', (mode) => {
  let child: ChildProcess
  let app: Pick<Running, 'ask' | 'url'>
  let sandboxPort: number

  beforeAll(async () => {
    const port = await freePort()
    sandboxPort = await freePort()
    const ports = { PORT: port, WORKER_PORT: await freePort(), SANDBOX_PORT: sandboxPort }
    const vars = Object.entries(ports).map(([name, value]) => [name, String(value)])
    child = spawn(process.execPath, [join(rootDir, 'examples/express/dist/dev.js'), mode], {
      env: { ...process.env, ...Object.fromEntries(vars) },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    await new Promise<void>((resolve, reject) => {
      let printed = ''
      child.stdout?.on('data', (text) => {
        printed += text
        if (printed.includes('runs at')) resolve()
      })
      child.on('exit', (code) => reject(new Error(`The example ended with ${code}.`)))
    })
    // The name that the sandbox knows.
    const host = `localhost:${port}`
    app = {
      url: `http://${host}`,
      ask: (path, options = {}) =>
        ask(port, path, { ...options, headers: { host, ...options.headers } }),
    }
  })
  afterAll(() => void child?.kill())

  test('a user signs in with the video app, sees the page for members, and signs out', async () => {
    expect((await app.ask('/')).text).toContain('Nobody is signed in')
    const refused = await app.ask('/members')
    expect(refused.headers.location).toBe('/auth/signin?callbackUrl=%2Fmembers')
    expect((await app.ask('/api/me', { headers: { accept: 'application/json' } })).status).toBe(401)

    const { csrfToken, cookie } = await csrf(app as Running)
    const sent = form({ csrfToken, callbackUrl: '/members' })
    const started = await app.ask('/auth/signin/videoapp', {
      ...sent,
      headers: { ...sent.headers, cookie },
    })
    const consent = new URL(started.headers.location ?? '')
    const page = await ask(sandboxPort, consent.pathname + consent.search)
    const person = /name="person" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
    const decision = form({ person, decision: 'allow', scope: 'user.info.profile' })
    const allowed = await ask(sandboxPort, consent.pathname + consent.search, decision)
    const back = new URL(allowed.headers.location ?? '')
    expect(back.origin).toBe(app.url)
    const flow = [cookie, cookieOf(started)].join('; ')
    const done = await app.ask(back.pathname + back.search, { headers: { cookie: flow } })
    expect(done.headers.location).toBe(`${app.url}/members`)

    const signedIn = { headers: { cookie: cookieOf(done) } }
    expect((await app.ask('/members', signedIn)).text).toMatch(/Hello <strong>.+<\/strong>/)
    expect(JSON.parse((await app.ask('/api/me', signedIn)).text)).toHaveProperty('name')
    const home = await app.ask('/', signedIn)
    expect(home.text).toContain('Signed in as')
    expect(home.text).not.toContain('<script')

    const { csrfToken: token } = JSON.parse((await app.ask('/auth/csrf', signedIn)).text)
    const last = form({ csrfToken: token })
    const out = await app.ask('/auth/signout', {
      ...last,
      headers: { ...last.headers, ...signedIn.headers },
    })
    expect(out.status).toBe(302)
    expect(out.cookies.some((line) => /session-token=;.*Max-Age=0/.test(line))).toBe(true)
    const again = await app.ask('/auth/session', signedIn)
    if (mode === 'in-process') {
      expect(again.text).toBe('null')
      expect((await app.ask('/members', signedIn)).status).toBe(302)
    }
  })
})
