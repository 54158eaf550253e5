import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { cookieOf, csrf, form, listen, SECRET, signIn, signOut } from '../express/support.js'
import { type StoreApp, startStoreApp } from '../shared-store/start-store-app.js'
import {
  hasPostgres,
  hasRedis,
  type Server,
  startPostgres,
  startRedis,
} from '../support/servers.js'

const folder = mkdtempSync(join(tmpdir(), 'shared-store-'))
let postgres: Server
let redis: Server
beforeAll(async () => {
  if (hasPostgres) postgres = await startPostgres()
  if (hasRedis) redis = await startRedis()
})
afterAll(async () => {
  await Promise.all([postgres?.stop(), redis?.stop()])
  rmSync(folder, { recursive: true, force: true })
})
const apps: StoreApp[] = []
afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.stop()))
})

let count = 0
const PASSWORD = 'p4ssw0rd-of-the-store'

const example = 'examples/express/src/server.ts'

async function start(env: Record<string, string>): Promise<StoreApp> {
  const app = await startStoreApp({
    AUTH_SECRET: SECRET,
    AUTH_URL: 'http://app.example.com',
    ...env,
  })
  apps.push(app)
  return app
}

const stores: [string, boolean, () => string][] = [
  ['a file', true, () => `file:${join(folder, `${++count}.db`)}`],
  ['Postgres', hasPostgres, () => postgres.url],
  ['Redis', hasRedis, () => `${redis.url}/${++count}`],
]

for (const [name, isHere, fresh] of stores) {
  describe.skipIf(!isHere)(`two apps over ${name}`, () => {
    it('know each other’s sessions, and hear of their ends', async () => {
      const env = { AUTH_STORE: fresh() }
      const [one, other] = await Promise.all([start(env), start(env)])
      const [ann, ben] = [await signIn(one), await signIn(other)]
      const me = async (app: StoreApp, cookie: string) =>
        JSON.parse((await app.ask('/me', { headers: { cookie } })).text)
      expect(await me(other, ann.cookie)).toMatchObject({ user: { name: 'ann' } })
      expect(await me(one, ben.cookie)).toMatchObject({ user: { name: 'ann' } })
      await signOut(one, ann.cookie)
      // At once for what asks, and soon for what reads by itself.
      const asked = await other.ask('/auth/session?online=1', { headers: { cookie: ann.cookie } })
      expect(JSON.parse(asked.text)).toBeNull()
      await expect.poll(() => me(other, ann.cookie)).toBeNull()
      expect(await me(one, ben.cookie)).toMatchObject({ user: { name: 'ann' } })
    })

    it('finish a sign-in once, and refresh a provider’s token once', async () => {
      const refreshes: string[] = []
      const provider = await listen(async (req, res) => {
        const chunks: Uint8Array[] = []
        for await (const chunk of req) chunks.push(chunk)
        const fields = new URLSearchParams(Buffer.concat(chunks).toString())
        const isRefresh = fields.get('grant_type') === 'refresh_token'
        if (isRefresh) refreshes.push(`${fields.get('refresh_token')}`)
        // Long enough that all the others ask meanwhile.
        if (isRefresh) await new Promise((resolve) => setTimeout(resolve, 300))
        const tokens = isRefresh
          ? { access_token: 'refreshed', refresh_token: 'next', expires_in: 3_600 }
          : { access_token: 'first', refresh_token: 'once', expires_in: 1 }
        res.setHeader('content-type', 'application/json')
        res.end(
          JSON.stringify(req.url === '/me' ? { id: 'ann' } : { token_type: 'bearer', ...tokens }),
        )
      })
      const env = { AUTH_STORE: fresh(), PROVIDER: provider.url }
      const [one, other] = await Promise.all([start(env), start(env)])
      const { csrfToken, cookie } = await csrf(one)
      const sent = form({ csrfToken })
      const begun = await one.ask('/auth/signin/fake', {
        ...sent,
        headers: { ...sent.headers, cookie },
      })
      const state = new URL(begun.headers.location ?? '').searchParams.get('state')
      const flow = [cookie, cookieOf(begun)].join('; ')
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          (at % 2 === 0 ? one : other).ask(`/auth/callback/fake?code=${at}&state=${state}`, {
            headers: { cookie: flow },
          }),
        ),
      )
      const signedIn = answers.filter((answer) => cookieOf(answer).includes('session-token'))
      expect(signedIn).toHaveLength(1)
      const browser = cookieOf(...signedIn)
      const token = await csrf(one, '/auth', { cookie: browser })
      // Until the token is over.
      await new Promise((resolve) => setTimeout(resolve, 2_000))
      const update = async (app: StoreApp) => {
        const answer = await app.ask('/auth/session', {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            cookie: [browser, token.cookie].join('; '),
          },
          body: JSON.stringify({ csrfToken: token.csrfToken, data: {} }),
        })
        return [answer.status, JSON.parse(answer.text)?.token]
      }
      const told = await Promise.all(
        Array.from({ length: 10 }, (_, at) => update(at % 2 ? one : other)),
      )
      expect(refreshes).toEqual(['once'])
      expect(told).toContainEqual([200, 'refreshed'])
      await provider.stop()
    })
  })
}

it('a process that is killed and restarted signs no user out, and brings no ended session back', async () => {
  const AUTH_STORE = `file:${join(folder, `${++count}.db`)}`
  const first = await start({ AUTH_STORE })
  const [ann, ben] = [await signIn(first), await signIn(first)]
  await signOut(first, ben.cookie)
  await first.kill()
  const next = await start({ AUTH_STORE })
  const session = (cookie: string) =>
    next.ask('/auth/session?online=1', { headers: { cookie } }).then(({ text }) => JSON.parse(text))
  expect(await session(ann.cookie)).toMatchObject({ user: { name: 'ann' } })
  expect(await session(ben.cookie)).toBeNull()
})

it.each([
  [`mysql://app:${PASSWORD}@localhost/app`, 'AUTH_STORE must be file:<path>'],
  [`postgres://app:${PASSWORD}#@localhost/app`, 'AUTH_STORE must be file:<path>'],
  [
    'file:/nowhere/at/all.db',
    'AUTH_STORE cannot be used. The file /nowhere/at/all.db cannot be opened',
  ],
])('an app with AUTH_STORE=%s says so at its start, and ends', async (AUTH_STORE, said) => {
  const error = await start({ AUTH_STORE }).then(
    // Opening a file is not a step of the start itself.
    async (app) => {
      await expect.poll(() => app.said()).toContain(said)
      return new Error(app.said())
    },
    (thrown: Error) => thrown,
  )
  expect(error.message).toContain(said)
  expect(error.message).not.toContain(PASSWORD)
})

it.each([
  ['postgres', `postgres://app:${PASSWORD}@127.0.0.1:1/app`, 'Postgres: ECONNREFUSED.'],
  ['redis', `redis://:${PASSWORD}@127.0.0.1:1`, 'Redis: '],
])(
  'an app whose %s cannot be reached says so at its start, signs no user in, and does not show its password',
  async (_, AUTH_STORE, said) => {
    const app = await start({ AUTH_STORE })
    await expect
      .poll(() => app.said())
      .toContain('AUTH_STORE names a store that cannot be used now.')
    expect(app.said()).toContain(said)
    const { answer } = await signIn(app)
    expect(answer.status).toBeGreaterThanOrEqual(300)
    expect(cookieOf(answer)).not.toContain('session-token')
    expect(answer.text + JSON.stringify(answer.headers) + app.said()).not.toContain(PASSWORD)
  },
)

it('staging that is led to the file of production says so at its start, and ends', async () => {
  const AUTH_STORE = `file:${join(folder, `${++count}.db`)}`
  const production = await start({ AUTH_STORE })
  const { cookie } = await signIn(production)
  const other = { AUTH_SECRET: `${SECRET}-of-staging`, AUTH_URL: 'http://staging.example.com' }
  const patience = { timeout: 20_000 }
  const said = await start({ AUTH_STORE, ...other }).then(
    async (app) => {
      const isUp = () => app.ask('/auth/csrf').then(Boolean, () => false)
      await expect.poll(isUp, patience).toBe(false)
      return app.said()
    },
    (ended: Error) => ended.message,
  )
  expect(said).toContain('AUTH_STORE cannot be used. The store belongs to another service')
  expect(said).not.toContain(SECRET)
  const session = await production.ask('/auth/session?online=1', { headers: { cookie } })
  expect(JSON.parse(session.text)).not.toBeNull()
  const again = await start({ AUTH_STORE })
  expect((await again.ask('/auth/csrf')).status).toBe(200)
})

it('the example has the same signed-in user after a restart', async () => {
  const env = {
    AUTH_STORE: `file:${join(folder, `${++count}.db`)}`,
    AUTH_VIDEO_ID: 'id',
    AUTH_VIDEO_SECRET: 'secret',
  }
  const begin = async () => {
    const app = await startStoreApp(
      { AUTH_SECRET: SECRET, AUTH_URL: 'http://localhost:3000', ...env },
      example,
    )
    apps.push(app)
    return app
  }
  const first = await begin()
  const { cookie } = await signIn(first, { fields: { username: 'ada', password: 'lovelace' } })
  await first.kill()
  const next = await begin()
  const answer = await next.ask('/auth/session?online=1', { headers: { cookie } })
  expect(JSON.parse(answer.text)).toMatchObject({ user: { name: 'Ada' } })
})
