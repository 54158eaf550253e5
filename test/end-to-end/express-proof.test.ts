import type { MiddlewareAuthConfig } from '@latchkey/express'
import type { Express } from 'express5'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  cookieOf,
  csrf,
  form,
  listen,
  type Running,
  SECRET,
  signIn,
  startApp,
  startService,
  versions,
} from '../express/support.ts'

/**
 * An app that forwards by URL proves to the Worker which client it forwards for, and its own name.
 */
const stops: (() => Promise<void>)[] = []
const APP_KEY = 'a-key-of-the-app-alone-0123456789abcdef'

beforeEach(() => void vi.stubEnv('NODE_ENV', 'production'))
afterEach(async () => {
  vi.unstubAllEnvs()
  for (const stop of stops.splice(0)) await stop()
})

async function service(...given: Parameters<typeof startService>) {
  const [more = {}, env = {}] = given
  const running = await startService({ trustHost: false, ...more }, env)
  stops.push(running.stop)
  return running
}

describe.each(versions)('$name', (version) => {
  /** Behind a proxy on this machine, which names the visitors. */
  const start = (config: MiddlewareAuthConfig) =>
    startApp(version, config, (app: Express) => void app.set('trust proxy', 'loopback'), stops)

  const proxied = (visitor: string) => ({
    host: 'app.example.com',
    'x-forwarded-proto': 'https',
    'x-forwarded-for': visitor,
  })
  const stranger = proxied('203.0.113.66')
  const owner = proxied('198.51.100.7')

  async function tryWrong(app: Running, headers: Record<string, string>, times: number) {
    const statuses: number[] = []
    for (let count = 0; count < times; count++) {
      const { answer } = await signIn(app, { headers, fields: { password: `wrong${count}` } })
      statuses.push(answer.status)
    }
    return statuses
  }

  test('ten wrong tries of a stranger behind the same app do not give the owner 429', async () => {
    const { url } = await service()
    const app = await start({ worker: `${url}/auth`, secret: SECRET })
    expect(await tryWrong(app, stranger, 11)).toEqual([...Array(10).fill(302), 429])
    const { answer, cookie } = await signIn(app, { headers: owner })
    expect([answer.status, answer.headers.location]).toEqual([302, 'https://app.example.com/'])
    const me = await app.ask('/me', { headers: { ...owner, cookie } })
    expect(JSON.parse(me.text).user.name).toBe('ann')
  })

  test('an app with a key of its own proves the same, for its own origin alone', async () => {
    const keys = `https://app.example.com=${APP_KEY}, https://app.example.com=an-older-key-of-the-app-0123456789abcdef`
    const { url } = await service({}, { AUTH_APP_KEYS: keys })
    vi.stubEnv('AUTH_APP_KEY', APP_KEY)
    const app = await start({ worker: `${url}/auth` })
    expect(await tryWrong(app, stranger, 11)).toEqual([...Array(10).fill(302), 429])
    expect((await signIn(app, { headers: owner })).answer.status).toBe(302)
    const elsewhere = { ...owner, host: 'bank.example.com' }
    const { text } = await app.ask('/auth/providers', { headers: elsewhere })
    expect(text).not.toContain('bank.example.com')
  })

  test('without a key all visitors of an app are one network, as before', async () => {
    const { url } = await service({ trustHost: true })
    const app = await start({ worker: `${url}/auth` })
    await tryWrong(app, stranger, 10)
    expect((await signIn(app, { headers: owner })).answer.status).toBe(429)
  })

  test('a proof that a browser sends through the app is not passed on', async () => {
    const seen: (string | string[] | undefined)[] = []
    const recorder = await listen((req, res) => {
      seen.push(req.headers['x-auth-proof'])
      res.end('{}')
    })
    stops.push(recorder.stop)
    const proving = await start({ worker: `${recorder.url}/auth`, secret: SECRET })
    await proving.ask('/auth/csrf', { headers: owner })
    const [proof = ''] = [seen[0]].flat()
    expect(proof).toMatch(/^[\w-]+\.[\w-]{8}\.[\w-]{43}$/)
    const bare = await start({ worker: `${recorder.url}/auth` })
    await bare.ask('/auth/csrf', { headers: { ...stranger, 'x-auth-proof': proof } })
    await proving.ask('/auth/csrf', { headers: { ...stranger, 'X-Auth-Proof': proof } })
    expect([seen[1], seen[2] === proof]).toEqual([undefined, false])
  })

  test('a proven app needs no list: sign-in, reading, renewal and sign-out are under its name', async () => {
    const { url } = await service({ session: { tokenMaxAge: 1 } })
    const app = await start({ worker: `${url}/auth`, secret: SECRET })
    const { cookie } = await signIn(app, { headers: owner })
    expect(cookie).toContain('__Host-auth.session-token=')
    await vi.waitFor(
      async () => {
        const renewed = await app.ask('/me', { headers: { ...owner, cookie } })
        expect(JSON.parse(renewed.text).user.name).toBe('ann')
        expect(renewed.cookies.join()).toContain('__Host-auth.session-token=')
      },
      { timeout: 5_000, interval: 300 },
    )
    const first = await csrf(app, '/auth', { ...owner, cookie })
    const sent = form({ csrfToken: first.csrfToken })
    const jar = [cookie, cookieOf(first.answer)].filter(Boolean).join('; ')
    const left = await app.ask('/auth/signout', {
      ...sent,
      headers: { ...sent.headers, ...owner, origin: 'https://app.example.com', cookie: jar },
    })
    expect([left.status, left.headers.location]).toEqual([302, 'https://app.example.com/'])
  })

  test('an unconfirmed Host is not proved, so that no mail leads there', async () => {
    vi.stubEnv('NODE_ENV', 'development')
    const { url } = await service()
    const app = await startApp(version, { worker: `${url}/auth`, secret: SECRET }, undefined, stops)
    const { text } = await app.ask('/auth/providers', { headers: { host: 'evil.example' } })
    expect(text).toContain(url)
    expect(text).not.toContain('evil.example')
  })
})
