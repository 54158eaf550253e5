import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { TokenRefreshFailed } from '../../errors.js'
import { claimsIn, everythingIn } from '../../test-support/browser.js'
import { fails } from '../../test-support/faulty.js'
import { waitedFor } from '../../test-support/time.js'
import { signedInWithTokens } from '../../test-support/tokens.js'

const [HOUR, DAY] = [60 * 60, 24 * 60 * 60]

const { pass, takeTimers } = clock()

const refreshToken = (serial: number) => `the-refresh-token-${serial}`
const given = (serial: number) =>
  expect.objectContaining({ ok: true, accessToken: `the-access-token-${serial}` })
const none = (reason: string) => ({ ok: false, reason })

const answer = (status: number, body: unknown, headers = {}) =>
  new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers })
const refusal = { error: 'invalid_grant', error_description: 'expired' }

describe('a final refusal of a provider', () => {
  it.each<[string, () => Response]>([
    ['status 400', () => answer(400, refusal)],
    ['status 200', () => answer(200, refusal)],
    ['status 500', () => answer(500, refusal)],
    ['a challenge', () => answer(401, refusal, { 'www-authenticate': 'Bearer error="x"' })],
    ['an object', () => answer(200, { error: { code: 'invalid_grant', log_id: 'x' } })],
    ['with tokens beside it', () => answer(200, { ...refusal, access_token: 'not-a-token' })],
  ])(
    'invalid_grant, %s: the person has to sign in again, and no further request is made',
    async (_, instead) => {
      const { get, isolate, browser, server, errors } = await signedInWithTokens()
      pass(HOUR - 30)
      server.instead = instead
      for (const ask of [get, get, isolate().get]) {
        expect(await ask()).toEqual(none('sign-in-needed'))
      }
      pass(DAY)
      expect(await browser.session()).not.toBeNull()
      expect(await get()).toEqual(none('sign-in-needed'))
      expect([server.used, errors.map(({ name }) => name)]).toEqual([
        [refreshToken(1)],
        ['TokenRefreshFailed'],
      ])
    },
  )
})

describe('a passing failure: the old token is used to its end, and the next call tries again', () => {
  const tokens = { access_token: 'not-a-token', token_type: 'Bearer', expires_in: 3600 }

  it.each<[string, () => Response | Promise<Response>]>([
    ['invalid_client', () => answer(401, { error: 'invalid_client' })],
    ['invalid_client with status 200', () => answer(200, { error: 'invalid_client' })],
    ['a limit', () => answer(429, { error: { code: 'rate_limit_exceeded' } })],
    ['status 500', () => answer(500, {})],
    ['status 503 in HTML', () => answer(503, '<html>invalid_grant')],
    ['HTML', () => answer(200, '<html>')],
    ['nothing', () => answer(200, '')],
    ['null', () => answer(200, 'null')],
    ['a list', () => answer(200, [refusal])],
    ['5 MiB', () => answer(200, { ...tokens, pad: 'x'.repeat(5 * 1024 * 1024) })],
    ['a redirect', () => Response.redirect('http://169.254.169.254/')],
    ['no token', () => answer(200, { ...tokens, access_token: undefined })],
    ['an invalid token', () => answer(200, { ...tokens, access_token: { a: 1 } })],
    ['another kind of token', () => answer(200, { ...tokens, token_type: 'DPoP' })],
    ['no network', () => Promise.reject(new TypeError('fetch failed: the-refresh-token-1'))],
  ])('%s', async (_, instead) => {
    const { get, server, errors } = await signedInWithTokens()
    server.instead = instead
    pass(HOUR - 30)
    expect(await get()).toEqual(given(1))
    pass(30)
    expect(await get()).toEqual(none('unavailable'))
    server.instead = undefined
    expect(await get()).toEqual(given(2))
    expect(server.used).toEqual(Array(3).fill(refreshToken(1)))
    expect(errors.map((error) => error instanceof TokenRefreshFailed)).toEqual([true, true])
    expect(everythingIn(errors)).not.toMatch(/the-(access|refresh)-token|the-client-secret/)
  })

  it('silence', async () => {
    takeTimers()
    const { get, server } = await signedInWithTokens()
    server.instead = () => new Promise(() => {})
    pass(HOUR)
    const callers = await waitedFor(Promise.all([get(), get(), get()]))
    expect(callers).toEqual(Array(3).fill(none('unavailable')))
    server.instead = undefined
    expect(await waitedFor(get())).toEqual(given(2))
  })
})

describe('a store that fails', () => {
  it.each(['get', 'standing', 'claimRefresh'] as const)(
    '%s: no request is made; the next call tries again',
    async (name) => {
      const { get, faults, server } = await signedInWithTokens()
      faults.set(name, fails)
      pass(HOUR - 30)
      expect(await get()).toEqual(name === 'claimRefresh' ? given(1) : none('unavailable'))
      pass(30)
      expect(await get()).toEqual(none('unavailable'))
      expect(server.used).toEqual([])
      faults.clear()
      expect(await get()).toEqual(given(2))
    },
  )

  it('settleRefresh: the rotated token is stored in the record, and used next time', async () => {
    const { get, isolate, faults, server, errors } = await signedInWithTokens()
    faults.set('settleRefresh', fails)
    for (const [at, ask] of [get, isolate().get, get].entries()) {
      pass(HOUR)
      expect(await ask()).toEqual(given(at + 2))
    }
    faults.clear()
    pass(HOUR)
    expect(await get()).toEqual(given(5))
    expect(server.used).toEqual([1, 2, 3, 4].map(refreshToken))
    expect(errors.map(({ name }) => name)).toEqual(Array(3).fill('StoreUnavailable'))
  })

  it('settleRefresh after a refusal: no further request is made', async () => {
    const { get, faults, server } = await signedInWithTokens()
    faults.set('settleRefresh', fails)
    server.instead = () => answer(400, refusal)
    pass(HOUR)
    expect(await get()).toEqual(none('sign-in-needed'))
    pass(60)
    expect(await get()).toEqual(none('sign-in-needed'))
    expect(server.used).toEqual([refreshToken(1)])
  })

  it('settleRefresh after a failure: the old token is used to its end', async () => {
    const { get, faults, server } = await signedInWithTokens()
    faults.set('settleRefresh', fails)
    server.instead = () => answer(500, {})
    pass(HOUR - 30)
    expect(await get()).toEqual(given(1))
  })

  // The tokens are lost then, but the caller still gets the access token.
  it('settleRefresh and put: the caller still gets the new token', async () => {
    const { get, faults } = await signedInWithTokens()
    faults.set('settleRefresh', fails).set('put', fails)
    pass(HOUR)
    expect(await get()).toEqual(given(2))
  })

  it('refreshedTokens: a session is read, though not extended, and never with old tokens', async () => {
    const { get, browser, faults, server } = await signedInWithTokens()
    pass(HOUR)
    await get()
    pass(DAY)
    faults.set('refreshedTokens', fails)
    const { sexp } = claimsIn(browser)
    expect(await browser.session()).not.toBeNull()
    expect(claimsIn(browser).sexp).toBe(sexp)
    faults.clear()
    expect(await get()).toEqual(given(3))
    expect(server.used).toEqual([1, 2].map(refreshToken))
  })

  // KV may show the old record for a minute, and the claim ends after half a minute.
  it('settleRefresh: an old record does not bring back a used refresh token', async () => {
    const { get, browser, faults, server, store } = await signedInWithTokens()
    const { sub, sid } = claimsIn(browser)
    const old = await store.sessions.get(sub, sid)
    faults.set('settleRefresh', fails)
    pass(HOUR)
    expect(await get()).toEqual(given(2))
    faults.clear()
    // The ledger call is repeated.
    await expect.poll(() => store.ledger.refreshedTokens(sid)).toBeDefined()
    store.sessions.get = async () => old
    pass(45)
    await get()
    expect(server.used).toEqual([refreshToken(1)])
  })
})
