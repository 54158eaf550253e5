import { AuthError, type Session, WorkerUnavailable } from '@latchkey/session'
import { type MintOptions, mintSession } from '@latchkey/session/testing'
import { redirect } from '@sveltejs/kit'
import { describe, expect, test } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { ComponentKitAuth } from './component-kit-auth.js'
import { config, ORIGIN, type Page, SECRET, TestApp, testWorker } from './test-app.js'

const { pass } = clock({ start: 'now' })
const now = () => Math.floor(Date.now() / 1000)

type Needs = Parameters<App.Locals['auth']>[0]

/** The user that a page sees as signed in, given its needs. */
const who =
  (...needs: Needs[]): Page =>
  async ({ locals }) => {
    const found: (string | null)[] = []
    for (const asked of needs) found.push((await locals.auth(asked))?.user?.name ?? null)
    return found
  }

/** A browser with a sign-in of this age, in seconds. */
async function personBefore(
  age: number,
  more: Partial<MintOptions> = {},
  source: Parameters<typeof ComponentKitAuth>[0] = config,
): Promise<TestApp> {
  const app = new TestApp(ComponentKitAuth(source))
  const given = { secret: SECRET, issuer: `${ORIGIN}/auth`, user: { id: 'ada', name: 'Ada' } }
  const { cookies } = await mintSession({ ...given, authTime: now() - age, ...more })
  for (const [name, value] of cookies) app.cookies.set(name, value)
  return app
}

describe.each([
  ['in process', () => config],
  ['with a Worker', () => ({ worker: testWorker(), secret: SECRET })],
])('locals.auth({ maxAge, acr }), %s', (_, source) => {
  test.each([
    ['of now', 0, 'Ada'],
    ['of exactly maxAge', 300, 'Ada'],
    ['one second older', 301, null],
    ['that the service’s clock begins in the future', -30, 'Ada'],
  ])('a session %s', async (_name, age, expected) => {
    const app = await personBefore(age, {}, source())
    const answer = await app.visit('/', who({ maxAge: 300 }, {}, undefined))
    expect([answer.status, await answer.json()]).toEqual([200, [expected, 'Ada', 'Ada']])
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
  })

  test.each([
    [['credentials'], null],
    [['credentials', 'otp', 'mfa'], 'Ada'],
    [['passkey', 'swk', 'user'], 'Ada'],
    [['passkey', 'hwk'], null],
    [['mfa'], null],
    [['github', 'passkey', 'user'], null],
  ])('by the methods %j', async (amr, expected) => {
    const app = await personBefore(0, { amr }, source())
    const answer = await app.visit('/', who({ acr: '2' }, { acr: '1' }))
    expect(await answer.json()).toEqual([expected, 'Ada'])
  })

  test('is null without a session, and a renewed token is as old as its sign-in', async () => {
    const app = new TestApp(ComponentKitAuth(source()))
    expect(await (await app.visit('/', who({ maxAge: 300 }, { acr: '1' }))).json()).toEqual([
      null,
      null,
    ])
    await app.signIn()
    expect(await (await app.visit('/', who({ maxAge: 300 }))).json()).toEqual(['Ada'])
    pass(301)
    const answer = await app.visit('/', who({ maxAge: 300 }, undefined, { maxAge: 301 }))
    expect(await answer.json()).toEqual([null, 'Ada', 'Ada'])
    expect(answer.headers.getSetCookie().join()).toContain('session-token')
    await app.signIn()
    expect(await (await app.visit('/', who({ maxAge: 300 }))).json()).toEqual(['Ada'])
  })
})

test('locals.auth({ bound: true }) is null without a bound session, and both needs must be met', async () => {
  const needs = [{ bound: true }, { maxAge: 300, bound: true }, {}] as const
  const seen = async (app: TestApp) => (await app.visit('/', who(...needs))).json()
  expect(await seen(await personBefore(0, { bound: true }))).toEqual(['Ada', 'Ada', 'Ada'])
  expect(await seen(await personBefore(301, { bound: true }))).toEqual(['Ada', null, 'Ada'])
  const session = { bound: true }
  expect(await seen(await personBefore(0, { session }))).toEqual([null, null, 'Ada'])
})

test('one request reads its session once, however often the app asks', async () => {
  const worker = testWorker()
  const app = await personBefore(400, {}, { worker, secret: SECRET })
  await app.visit('/', who(undefined))
  const before = worker.requests.length
  let sessions: (Session | null)[] = []
  await app.visit('/', async ({ locals }) => {
    sessions = await Promise.all([
      locals.auth(),
      locals.auth({ maxAge: 400 }),
      locals.auth({ maxAge: 399 }),
      locals.auth({ acr: '1' }),
    ])
  })
  expect(sessions[0]?.user?.name).toBe('Ada')
  expect(sessions.map((session) => session === sessions[0])).toEqual([true, true, false, true])
  expect(sessions[2]).toBe(null)
  expect(worker.requests.length).toBe(before)
})

test('after a sign-in within the request the new session counts, and after a sign-out none', async () => {
  const app = await personBefore(301)
  const { signIn, signOut } = app.auth
  const before: (string | null)[] = []
  const after: (string | null)[] = []
  const acting =
    (action: typeof signIn): Page =>
    async (event) => {
      const ask = async () => (await event.locals.auth({ maxAge: 300 }))?.user?.name ?? null
      before.push(await ask())
      await action(event)
      after.push(await ask())
    }
  const fields = { providerId: 'credentials', username: 'ada', password: 'lovelace' }
  await app.submit(acting(signIn) as typeof signIn, { ...fields, redirect: 'false' })
  await app.submit(acting(signOut) as typeof signIn, { redirect: 'false' })
  expect([before, after]).toEqual([
    [null, 'Ada'],
    ['Ada', null],
  ])
})

test('a form action with maxAge makes the same session fresh', async () => {
  const app = new TestApp(ComponentKitAuth(config))
  await app.signIn()
  const sidOf = () => {
    const [, payload = ''] = app.cookies.get('auth.session-token')?.split('.') ?? []
    return JSON.parse(Buffer.from(payload, 'base64url').toString()).sid
  }
  const before = sidOf()
  pass(301)
  const fields = { providerId: 'credentials', username: 'ada', password: 'lovelace' }
  await app.submit(app.auth.signIn, { ...fields, maxAge: '300' })
  expect(await (await app.visit('/', who({ maxAge: 300 }))).json()).toEqual(['Ada'])
  expect(sidOf()).toBe(before)
  // Without it a session of its own begins.
  await app.submit(app.auth.signIn, fields)
  expect(sidOf()).not.toBe(before)
})

test('a load sends the person to the sign-in page, and a form action repeats nothing', async () => {
  const app = await personBefore(301)
  let transfers = 0
  const pay: Page = async ({ locals, url, request }) => {
    const session = await locals.auth({ maxAge: 300 })
    const page = encodeURIComponent(url.pathname + url.search)
    if (!session) redirect(303, `/auth/signin?maxAge=300&callbackUrl=${page}`)
    if (request.method === 'POST') transfers++
  }
  for (const init of [{}, { method: 'POST', body: new URLSearchParams({ to: 'bo' }) }]) {
    const headers = { origin: ORIGIN, 'sec-fetch-site': 'same-origin' }
    const answer = await app.visit('/pay?n=1', pay, { ...init, headers })
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      '/auth/signin?maxAge=300&callbackUrl=%2Fpay%3Fn%3D1',
    ])
  }
  expect(transfers).toBe(0)
})

test.each([
  [{ maxAge: -1 }, '`maxAge`'],
  [{ maxAge: 0.5 }, '`maxAge`'],
  [{ acr: 2 }, '`acr`'],
  [{ acr: '3' }, '`acr`'],
  [{ maxage: 300 }, '`maxage`'],
  [300, 'object'],
  [null, 'object'],
])('auth(%j) rejects by name, for every request', async (needs, named) => {
  for (const app of [await personBefore(0), new TestApp(ComponentKitAuth(config))]) {
    let thrown: unknown
    await app.visit('/', async ({ locals }) => {
      const asked = locals.auth(needs as Needs)
      thrown = await asked.catch((error) => error)
    })
    expect(thrown).toBeInstanceOf(AuthError)
    expect(String(thrown)).toContain(named)
  }
})

test('a call without an await does not end the process, while the service is away', async () => {
  const gone = { fetch: () => Promise.reject(new WorkerUnavailable('gone')) }
  const source = { worker: gone, secret: SECRET, logger: { error() {} } }
  const app = await personBefore(0, { tokenMaxAge: -10 }, source)
  const rejections: unknown[] = []
  const listen = (error: unknown) => void rejections.push(error)
  process.on('unhandledRejection', listen)
  try {
    const answer = await app.visit('/', async ({ locals }) => {
      void locals.auth({ maxAge: 300 })
      return locals.auth({ maxAge: 300 }).catch(({ status }) => status)
    })
    expect(await answer.json()).toBe(503)
    await new Promise((resolve) => setImmediate(resolve))
    expect(rejections).toEqual([])
  } finally {
    process.off('unhandledRejection', listen)
  }
})

test('is null while the app is built', async () => {
  const app = new TestApp(ComponentKitAuth(config))
  const answer = await app.visit('/[fallback]', who({ maxAge: 300 }))
  expect(await answer.json()).toEqual([null])
})
