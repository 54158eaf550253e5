import { createSandbox, defaultClient, type Sandbox } from '@latchkey/sandbox'
import { type AccessToken, type AuthConfig, customFetch } from '@latchkey/worker'
import videoapp from '@latchkey/worker/providers/videoapp'
import { describe, expect, test, vi } from 'vitest'
import { clock } from '../support/clock.ts'
import { bindings, keysOf, type Service, service, signedIn } from './support.ts'

const { SESSIONS, LEDGER } = bindings

const { pass } = clock({ start: 'now' })

/** Seconds that an access token of the sandbox lives in these tests. */
const LIFETIME = 120

/** A browser, signed in at a sandbox with short-lived tokens. */
async function refreshing(changes: Partial<AuthConfig> = {}) {
  const sandbox = createSandbox({ lifetimes: { accessToken: LIFETIME } })
  const provider = videoapp({
    clientId: defaultClient.clientKey,
    clientSecret: defaultClient.clientSecret,
    [customFetch]: async (input, init) => sandbox.request(input as string, init),
  })
  // Each isolate has its own service; the bindings are the same everywhere.
  const isolate = (): Service => ({ ...service({ providers: [provider], ...changes }), sandbox })
  const first = isolate()
  const { browser } = await signedIn(first)
  const ask = ({ auth, env }: Service): Promise<AccessToken> => {
    const headers = { cookie: browser.cookieHeader }
    return auth.getAccessToken(new Request('http://localhost:8787/inbox', { headers }), env)
  }
  return { sandbox, browser, isolate, first, ask }
}

function refreshesAt({ requests }: Sandbox): string[] {
  const refreshes = requests.filter(({ fields }) => fields.grant_type === 'refresh_token')
  return refreshes.map(({ outcome }) => outcome)
}

async function works(sandbox: Sandbox, answer: AccessToken): Promise<boolean> {
  const token = answer.ok ? answer.accessToken : answer.reason
  const headers = { authorization: `Bearer ${token}` }
  return (await sandbox.request('/v2/user/info/?fields=open_id', { headers })).ok
}

describe('getAccessToken with real bindings', () => {
  test('ten parallel readers in two isolates make one refresh, time after time', async () => {
    const { sandbox, isolate, first, ask } = await refreshing()
    const isolates = [first, isolate()]
    const given = new Set<string>()
    for (const count of [1, 2, 3, 4]) {
      pass(LIFETIME - 60)
      const readers = Array.from({ length: 10 }, (_, at) => ask(isolates[at % 2] as Service))
      const answers = (await Promise.all(readers)).map((answer) => JSON.stringify(answer))
      expect(new Set(answers).size).toBe(1)
      expect(await works(sandbox, JSON.parse(answers[0] ?? ''))).toBe(true)
      given.add(answers[0] ?? '')
      expect([given.size, refreshesAt(sandbox)]).toEqual([count, Array(count).fill('ok')])
    }
  })

  test('a later isolate gets the same token, even while KV shows an old record', async () => {
    const { sandbox, browser, isolate, first, ask } = await refreshing({
      callbacks: { jwt: ({ token }) => token },
    })
    const { sub, sid } = browser.claims
    const key = `session:${sub}:${sid}`
    const old = (await SESSIONS.get(key)) ?? ''
    pass(LIFETIME)
    const newest = await ask(first)
    await browser.post('/auth/session', { data: 'x' })
    expect(await SESSIONS.get(key)).not.toBe(old)
    expect(await ask(isolate())).toEqual(newest)
    await SESSIONS.put(key, old)
    expect(await ask(isolate())).toEqual(newest)
    expect(refreshesAt(sandbox)).toEqual(['ok'])
  })

  test('nothing in KV or in the ledger is a token', async () => {
    const { browser, first, ask } = await refreshing()
    const before = await ask(first)
    pass(LIFETIME)
    const after = await ask(first)
    const { sub, sid } = browser.claims
    const [key = ''] = await keysOf(`session:${sub}:${sid}`)
    const ledger = LEDGER.get(LEDGER.idFromName('ledger'))
    const kept = `${await SESSIONS.get(key)} ${JSON.stringify(await ledger.refreshedTokens(sid))}`
    const bytes = kept.replace(/[\w-]{40,}/g, (run) =>
      atob(run.replaceAll('-', '+').replaceAll('_', '/')),
    )
    expect([before.ok, after.ok, kept.length > 200]).toEqual([true, true, true])
    for (const answer of [before, after]) {
      expect(kept + bytes).not.toContain(answer.ok && answer.accessToken)
      expect(browser.cookieHeader).not.toContain(answer.ok && answer.accessToken)
    }
    expect(kept + bytes).not.toMatch(/act\.|rft\./)
  })

  test('after a sign-out no token is refreshed, and the ledger has deleted the tokens', async () => {
    const { sandbox, browser, isolate, first, ask } = await refreshing()
    pass(LIFETIME)
    await ask(first)
    const { sid } = browser.claims
    const cookies = new Map(browser.cookies)
    await browser.post('/auth/signout')
    for (const [name, value] of cookies) browser.cookies.set(name, value)
    pass(LIFETIME)
    for (const service of [first, isolate()]) {
      expect(await ask(service)).toEqual({ ok: false, reason: 'signed-out' })
    }
    const ledger = LEDGER.get(LEDGER.idFromName('ledger'))
    expect(await ledger.refreshedTokens(sid)).toBeFalsy()
    expect(refreshesAt(sandbox)).toEqual(['ok'])
  })

  test('a refusal is final, also with status 200 as the sandbox answers', async () => {
    const { sandbox, first, isolate, ask } = await refreshing()
    const token = await ask(first)
    const body = new URLSearchParams({
      client_key: defaultClient.clientKey,
      client_secret: defaultClient.clientSecret,
      token: token.ok ? token.accessToken : '',
    })
    await sandbox.request('/v2/oauth/revoke/', { method: 'POST', body })
    pass(LIFETIME)
    for (const service of [first, isolate(), first]) {
      expect(await ask(service)).toEqual({ ok: false, reason: 'sign-in-needed' })
    }
    expect(refreshesAt(sandbox)).toEqual(['invalid_grant'])
  })
})

describe('refreshes in the ledger', () => {
  const end = () => Math.floor(Date.now() / 1000) + 3600
  const ledger = () => LEDGER.get(LEDGER.idFromName('refreshes'))
  const claim = (sid: string, version: number) => ledger().claimRefresh(sid, version, end())

  test('are claimed by one of fifty callers', async () => {
    const claims = await Promise.all(Array.from({ length: 50 }, () => claim('fifty', 0)))
    const states = claims.map(({ state }) => state)
    expect(states.sort()).toEqual([...Array(49).fill('taken'), 'yours'])
    expect(await claim('another', 0)).toEqual({ state: 'yours' })
  })

  test('can be claimed by another caller after thirty seconds', async () => {
    // At the beginning of a second, since the ledger counts whole ones.
    vi.setSystemTime(Math.ceil(Date.now() / 1000) * 1000)
    expect(await claim('lease', 0)).toEqual({ state: 'yours' })
    pass(29)
    expect(await claim('lease', 0)).toEqual({ state: 'taken' })
    pass(1)
    expect(await claim('lease', 0)).toEqual({ state: 'yours' })
  })

  test('return the newest tokens, and ignore tokens that are settled with an old version', async () => {
    expect(await claim('sid', 0)).toEqual({ state: 'yours' })
    await ledger().settleRefresh('sid', 0, 'sealed 1')
    expect(await claim('sid', 0)).toEqual({ state: 'newer', version: 1, sealed: 'sealed 1' })
    await ledger().settleRefresh('sid', 0, 'another')
    await ledger().settleRefresh('never-claimed', 0, 'another')
    expect(await claim('sid', 1)).toEqual({ state: 'yours' })
    await ledger().settleRefresh('sid', 1, undefined)
    expect(await ledger().refreshedTokens('sid')).toEqual({ version: 1, sealed: 'sealed 1' })
    expect(await claim('sid', 1)).toEqual({ state: 'yours' })
    await ledger().settleRefresh('sid', 1, 'sealed 2')
    expect(await claim('sid', 0)).toEqual({ state: 'newer', version: 2, sealed: 'sealed 2' })
    expect(await ledger().refreshedTokens('never-claimed')).toBeFalsy()
  })

  test('end with their session', async () => {
    await claim('over', 0)
    await ledger().settleRefresh('over', 0, 'sealed')
    await claim('over', 1)
    await ledger().revoke('over', end())
    await ledger().settleRefresh('over', 1, 'too late')
    expect(await ledger().refreshedTokens('over')).toBeFalsy()
    expect(await claim('over', 1)).toEqual({ state: 'over' })
  })

  test('return no tokens that are over, though they are swept out later', async () => {
    await claim('late', 0)
    await ledger().settleRefresh('late', 0, 'sealed')
    pass(3601)
    expect(await ledger().refreshedTokens('late')).toBeFalsy()
  })
})
