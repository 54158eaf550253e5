import { createSandbox, defaultClient } from '@latchkey/sandbox'
import { type AccessToken, type AuthConfig, customFetch } from '@latchkey/worker'
import credentials from '@latchkey/worker/providers/credentials'
import videoapp from '@latchkey/worker/providers/videoapp'
import type { Ledger } from '@latchkey/worker/stores/ledger/rules'
import { expect, test } from 'vitest'
import { clock } from '../support/clock.ts'
import { Browser, bindings, type Service, service } from './support.ts'

const { SESSIONS, LEDGER } = bindings

const { pass } = clock({ start: 'now' })

/** Seconds that an access token of the sandbox lives in these tests. */
const LIFETIME = 120

/** The accounts at the video app: each is one person's alone. */
const accounts = ['ada', 'grace', 'vic', 'zoe']

/** A user after a sign-in with a password, and a sandbox with short-lived tokens. */
async function world() {
  const sandbox = createSandbox({ lifetimes: { accessToken: LIFETIME } })
  const needed: unknown[] = []
  const config: Partial<AuthConfig> = {
    providers: [
      videoapp({
        clientId: defaultClient.clientKey,
        clientSecret: defaultClient.clientSecret,
        connection: { scopes: ['video.list', 'video.publish'] },
        [customFetch]: async (input, init) => sandbox.request(input as string, init),
      }),
      credentials({
        credentials: { username: {} },
        authorize: ({ username }) => ({ id: String(username), name: String(username) }),
      }),
    ],
    events: { signInNeeded: (message) => void needed.push(message) },
  }
  // Each isolate has its own service; the bindings are the same everywhere.
  const isolate = (): Service => ({ ...service(config), sandbox })
  const first = isolate()
  const browser = new Browser(first)
  const person = accounts.pop() ?? ''
  await browser.post('/auth/callback/credentials', { username: person })
  const { sub } = browser.claims
  /**
   * Goes through the video app, and grants these scopes.
   * @returns the scopes that the service asked for
   */
  const add = async (granted: readonly string[], named = '') => {
    const fields = { provider: 'videoapp', callbackUrl: '/videos', scope: named }
    const started = await browser.post('/auth/ways/add', fields)
    const consent = started.headers.get('location') ?? ''
    const body = new URLSearchParams({ person, decision: 'allow' })
    for (const scope of granted) body.append('scope', scope)
    const decided = await sandbox.request(consent, { method: 'POST', body })
    const back = new URL(decided.headers.get('location') ?? '')
    const end = await browser.go(back.pathname + back.search)
    expect(end.headers.get('location')).toMatch(/\/videos$/)
    return new URL(consent).searchParams.get('scope')
  }
  const job = ({ auth, env } = first): Promise<AccessToken> =>
    auth.getAccessTokenOf(sub, 'videoapp', env)
  const refreshes = () =>
    sandbox.requests
      .filter(({ fields }) => fields.grant_type === 'refresh_token')
      .map(({ outcome }) => outcome)
  const shows = async (answer: AccessToken, fields: string) => {
    const authorization = `Bearer ${answer.ok ? answer.accessToken : answer.reason}`
    const path = `/v2/user/info/?fields=${fields}`
    return (await sandbox.request(path, { headers: { authorization } })).ok
  }
  const endGrants = () => sandbox.endGrants(person)
  return { endGrants, needed, isolate, first, browser, sub, add, job, refreshes, shows }
}

test('a job gets a token after the sign-out; twenty callers in two isolates refresh once', async () => {
  const { browser, sub, add, first, isolate, job, refreshes, shows } = await world()
  expect(await job()).toEqual({ ok: false, reason: 'no-token' })
  await add(['user.info.profile'])
  await browser.post('/auth/signout')
  expect(await browser.session()).toBeNull()
  const isolates = [first, isolate()] as const
  for (const count of [1, 2, 3]) {
    pass(LIFETIME)
    const callers = Array.from({ length: 20 }, (_, at) => job(isolates[at % 2 === 0 ? 0 : 1]))
    const answers = (await Promise.all(callers)).map((answer) => JSON.stringify(answer))
    expect(new Set(answers).size).toBe(1)
    expect(await shows(JSON.parse(answers[0] ?? ''), 'open_id,username')).toBe(true)
    expect(refreshes()).toEqual(Array(count).fill('ok'))
  }
  const ledger = LEDGER.get(LEDGER.idFromName('ledger')) as unknown as Ledger
  const { content } = (await ledger.document(`person\n${sub}`)) ?? {}
  const ways = (JSON.parse(content ?? '{}') as { ways: { way: string }[] }).ways
  const kept = await Promise.all(
    ways.map(({ way }) => ledger.document(`connection\n${sub}\n${way}`)),
  )
  const { keys } = await SESSIONS.list()
  const text = JSON.stringify([kept, await Promise.all(keys.map(({ name }) => SESSIONS.get(name)))])
  const bytes = text.replace(/[\w-]{40,}/g, (run) =>
    atob(run.replaceAll('-', '+').replaceAll('_', '/')),
  )
  expect(text.length).toBeGreaterThan(200)
  expect(text + bytes).not.toMatch(/act\.|rft\./)
})

test('scopes are asked for later, beside the granted ones, with commas; a part may be granted', async () => {
  const { add, browser, first, job, shows } = await world()
  expect(await add(['user.info.profile'])).toBe('user.info.profile')
  expect(await job()).toMatchObject({ scope: 'user.info.basic,user.info.profile' })
  const asked = await add(['user.info.profile', 'video.list'], 'video.list video.admin')
  expect(asked).toBe('user.info.profile,video.list,user.info.basic')
  const now = { scope: 'user.info.basic,user.info.profile,video.list' }
  expect(await job()).toMatchObject(now)
  const headers = { cookie: browser.cookieHeader }
  const request = new Request('http://localhost:8787/', { headers })
  const own = await first.auth.getAccessToken(request, first.env, undefined, {
    provider: 'videoapp',
  })
  expect(own).toMatchObject(now)
  await add(['video.list', 'video.publish'], 'video.publish')
  const part = await job()
  expect(part).toMatchObject({ scope: 'user.info.basic,video.list,video.publish' })
  expect(await shows(part, 'username')).toBe(false)
})

test('a grant that its person ends is announced once; adding it again connects it again', async () => {
  const { add, isolate, job, needed, refreshes, endGrants, sub } = await world()
  await add(['user.info.profile'])
  endGrants()
  pass(LIFETIME)
  const callers = Array.from({ length: 10 }, (_, at) => (at % 2 ? job() : job(isolate())))
  for (const answer of await Promise.all(callers)) {
    expect(answer).toEqual({ ok: false, reason: 'sign-in-needed' })
  }
  expect([needed, refreshes()]).toEqual([[{ sub, provider: 'videoapp' }], ['invalid_grant']])
  await add(['user.info.profile'])
  expect(await job()).toMatchObject({ ok: true })
})

test('a disconnect revokes at the video app, and keeps the way', async () => {
  const { add, browser, first, job, shows, sub } = await world()
  await add(['user.info.profile'])
  const before = await job()
  expect(await shows(before, 'open_id')).toBe(true)
  await first.auth.disconnect(sub, 'videoapp', first.env)
  expect([await job(), await shows(before, 'open_id')]).toEqual([
    { ok: false, reason: 'no-token' },
    false,
  ])
  const { ways } = await (await browser.go('/auth/ways')).json<{ ways: unknown[] }>()
  expect(ways).toHaveLength(2)
})
