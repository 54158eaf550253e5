import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import credentials from '../../providers/credentials.js'
import fromHono from '../../providers/from-hono.js'
import { Browser } from '../../test-support/browser.js'
import { signedInWithTokens, TokenServer } from '../../test-support/tokens.js'
import type { MiddlewareConfig } from '../../types.js'

const [HOUR, DAY] = [60 * 60, 24 * 60 * 60]
const start = Date.UTC(2026, 10, 1)

const { pass } = clock({ start })

const token = (serial: number) => `the-access-token-${serial}`
const refreshToken = (serial: number) => `the-refresh-token-${serial}`
const given = (serial: number) => expect.objectContaining({ ok: true, accessToken: token(serial) })
const none = (reason: string) => ({ ok: false, reason })

/** A sign-in with these members changed in the token answer. */
function withTokens(changes: Record<string, unknown>) {
  const server = new TokenServer()
  server.changes = changes
  return signedInWithTokens({}, { server })
}

describe('a token that lasts', () => {
  it('is returned without a call to the ledger or the provider', async () => {
    const { get, calls, server } = await signedInWithTokens()
    const expected = { ok: true, accessToken: token(1), tokenType: 'bearer', scope: 'read' }
    expect(await get()).toEqual({ ...expected, expiresAt: start / 1000 + HOUR })
    pass(HOUR - 61)
    expect(await get()).toEqual({ ...expected, expiresAt: start / 1000 + HOUR })
    const reads = ['revokedSince', 'get', 'standing']
    expect(calls.filter(({ name }) => !reads.includes(name))).toEqual([])
    expect(server.seen).toEqual([])
  })

  it('counts as lasting if the provider never says when it ends', async () => {
    const { get, server } = await withTokens({ expires_in: undefined })
    pass(29 * DAY)
    const answer = await get()
    expect([answer, 'expiresAt' in answer]).toEqual([given(1), false])
    expect(server.seen).toEqual([])
  })

  it('is returned to its last second if there is no refresh token', async () => {
    const { get, server, calls } = await withTokens({ refresh_token: undefined })
    pass(HOUR - 1)
    expect(await get()).toEqual(given(1))
    pass(1)
    expect(await get()).toEqual(none('sign-in-needed'))
    expect([server.seen, calls.filter(({ name }) => name === 'claimRefresh')]).toEqual([[], []])
  })
})

describe('a token that is about to end', () => {
  it('is refreshed in its last minute, by the client’s own authentication', async () => {
    const { get, server } = await signedInWithTokens()
    pass(HOUR - 60)
    expect(await get()).toEqual(given(2))
    const form = { grant_type: 'refresh_token', refresh_token: refreshToken(1) }
    const authorization = `Basic ${btoa('the-client-id:the-client-secret')}`
    expect(server.seen).toMatchObject([{ endpoint: '/token', form, authorization }])
  })

  it('is refreshed once for ten parallel callers in two isolates', async () => {
    const { get, isolate, server } = await signedInWithTokens()
    const other = isolate()
    pass(HOUR)
    const callers = Array.from({ length: 10 }, (_, at) => (at % 2 ? get() : other.get()))
    expect(new Set((await Promise.all(callers)).map((one) => JSON.stringify(one))).size).toBe(1)
    expect(await get()).toEqual(given(2))
    expect(server.used).toEqual([refreshToken(1)])
  })

  it('is refreshed with the newest refresh token each time', async () => {
    const { get, isolate, server } = await signedInWithTokens()
    for (const [at, caller] of [get, isolate().get, get, isolate().get].entries()) {
      pass(HOUR)
      expect(await caller()).toEqual(given(at + 2))
    }
    expect(server.used).toEqual([1, 2, 3, 4].map(refreshToken))
  })

  // Otherwise each caller that waited would find a token about to end, and refresh once more.
  it('is refreshed once also if tokens live for less than a minute', async () => {
    const { get, server } = await withTokens({ expires_in: 45 })
    pass(45)
    await Promise.all(Array.from({ length: 10 }, () => get()))
    expect(server.used).toHaveLength(1)
  })

  it('is not refreshed when its session is over', async () => {
    const { get, browser, server } = await signedInWithTokens()
    const { cookie } = browser
    pass(HOUR)
    await browser.submit('/auth/signout')
    expect(await get(cookie)).toEqual(none('signed-out'))
    expect(server.seen).toEqual([])
  })
})

describe('a value that a refresh does not repeat is kept', () => {
  it.each<[string, Record<string, unknown>, number]>([
    ['the refresh token', { refresh_token: undefined }, 1],
    ['the refresh token, which is null', { refresh_token: null }, 1],
    ['the scope', { scope: undefined }, 2],
    ['the scope, which is null', { scope: null }, 2],
  ])('%s', async (_, changes, next) => {
    const { get, server } = await signedInWithTokens()
    server.changes = changes
    for (const serial of [2, 3]) {
      pass(HOUR)
      expect(await get()).toMatchObject({ accessToken: token(serial), scope: 'read' })
    }
    expect(server.used).toEqual([refreshToken(1), refreshToken(next)])
  })

  // Otherwise the empty text would replace a token that is still good.
  it('the refresh token, which is empty', async () => {
    const { get, server } = await signedInWithTokens()
    server.changes = { refresh_token: '' }
    pass(HOUR)
    expect(await get()).toEqual(given(2))
    pass(HOUR)
    expect(await get()).toEqual(given(3))
  })

  // RFC 6749, section 5.1, leaves `expires_in` out if it is known by other means.
  it('how long a token lives', async () => {
    const { get, server } = await signedInWithTokens()
    server.changes = { expires_in: undefined }
    pass(HOUR)
    expect(await get()).toEqual(given(2))
    pass(HOUR)
    expect(await get()).toEqual(given(3))
  })

  it('a narrower scope is taken over, and an ID token is ignored', async () => {
    const { get, server, errors } = await signedInWithTokens()
    server.changes = { scope: 'less', id_token: 'not-looked-at' }
    pass(HOUR)
    expect(await get()).toMatchObject({ ok: true, scope: 'less' })
    expect(errors).toEqual([])
  })
})

describe('no token is returned', () => {
  it('account() that drops the refresh token: it is not stored', async () => {
    const account = ({ access_token, expires_at }: Record<string, unknown>) =>
      ({ access_token, expires_at }) as object
    const { get, server } = await signedInWithTokens({}, { options: { account } })
    expect(await get()).toEqual(given(1))
    pass(HOUR)
    expect(await get()).toEqual(none('sign-in-needed'))
    expect(server.seen).toEqual([])
  })

  it('account() that keeps nothing, and a sign-in with credentials: there is no token', async () => {
    const dropping = await signedInWithTokens({}, { options: { account: () => undefined } })
    expect(await dropping.get()).toEqual(none('no-token'))
    const authorize = () => ({ id: 'ada' })
    const { config, isolate } = await signedInWithTokens({
      providers: [credentials({ authorize })],
    })
    const browser = new Browser(config)
    await browser.submit('/auth/callback/credentials')
    expect(await isolate().get(browser.cookie)).toEqual(none('no-token'))
  })

  it('a provider of fromHono: its token until it ends, then the person has to sign in again', async () => {
    const middleware: MiddlewareConfig['middleware'] = () => async (c, next) => {
      if (c.req.query('code') === undefined) return c.redirect('https://hono.example/?state=own')
      c.set('token', { token: 'the-token', expires_in: HOUR })
      c.set('refresh-token', { token: 'the-refresh-token' })
      c.set('user-hono', { id: '1' })
      return next()
    }
    const client = { clientId: 'the-id', clientSecret: 'the-secret' }
    const provider = fromHono({ id: 'hono', name: 'Hono', middleware, ...client })
    const { config, isolate } = await signedInWithTokens({ providers: [provider] })
    const browser = new Browser(config)
    await browser.signIn('hono')
    const { get } = isolate()
    pass(HOUR - 1)
    expect(await get(browser.cookie)).toMatchObject({ ok: true, accessToken: 'the-token' })
    pass(1)
    expect(await get(browser.cookie)).toEqual(none('sign-in-needed'))
  })

  it('a provider that is no longer configured: the same', async () => {
    const { isolate, server } = await signedInWithTokens()
    const { get } = isolate({ providers: [] })
    pass(HOUR - 1)
    expect(await get()).toEqual(given(1))
    pass(1)
    expect(await get()).toEqual(none('sign-in-needed'))
    expect(server.seen).toEqual([])
  })
})
