import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { type Browser, claimsIn } from '../../test-support/browser.js'
import { fails, faulty } from '../../test-support/faulty.js'
import { signedInWithTokens, TokenServer, unseal } from '../../test-support/tokens.js'
import type { Callbacks, JWT, SessionRecord } from '../../types.js'

const [HOUR, DAY] = [60 * 60, 24 * 60 * 60]

const { pass } = clock()

const refreshToken = (serial: number) => `the-refresh-token-${serial}`
const given = (serial: number) =>
  expect.objectContaining({ ok: true, accessToken: `the-access-token-${serial}` })
const none = (reason: string) => ({ ok: false, reason })

type SignedIn = Awaited<ReturnType<typeof signedInWithTokens>>

const recordOf = async ({ browser, inner }: SignedIn) => {
  const { sub, sid } = claimsIn(browser)
  return inner.sessions.get(sub, sid)
}

describe('a sign-out while a refresh is under way', () => {
  const raced = async (settles = true) => {
    const set = await signedInWithTokens({}, { options: { revokeOnSignOut: true } })
    const { browser, isolate, server, faults } = set
    const { cookie } = browser
    const { sub, sid } = claimsIn(browser)
    server.meanwhile = async () => {
      expect((await isolate().browserOf(browser).submit('/auth/signout')).status).toBe(302)
      if (!settles) faults.set('settleRefresh', fails)
    }
    pass(HOUR)
    return { ...set, answer: await set.get(cookie), cookie, sub, sid }
  }

  it('leaves no record and no tokens in the ledger, and no caller gets them', async () => {
    const { inner, get, isolate, cookie, sub, sid, server } = await raced()
    expect(await inner.sessions.get(sub, sid)).toBeUndefined()
    expect(await inner.ledger.refreshedTokens(sid)).toBeUndefined()
    for (const ask of [get, isolate().get]) expect(await ask(cookie)).toEqual(none('signed-out'))
    expect(server.used).toEqual([refreshToken(1)])
  })

  it('returns them to no caller, not even to one that waited', async () => {
    expect((await raced()).answer).toEqual(none('signed-out'))
  })

  it('revokes the new tokens too, if revokeOnSignOut is set', async () => {
    const { server } = await raced()
    const revoked = server.seen.flatMap(({ endpoint, form }) =>
      endpoint === '/revoke' ? form.token : [],
    )
    expect(revoked).toContain(refreshToken(2))
  })

  it('leaves no record if the ledger fails before it has the new tokens', async () => {
    const { inner, sub, sid } = await raced(false)
    expect(await inner.sessions.get(sub, sid)).toBeUndefined()
  })
})

describe('a record is written with the newest tokens', () => {
  const jwt: Callbacks['jwt'] = ({ token, trigger }) =>
    ({ ...token, count: Number(token.count ?? 0) + 1, trigger }) as JWT
  const write = {
    'an extension': async (browser: Browser) => (await browser.get('/auth/session')).status,
    'an update': async (browser: Browser) =>
      (await browser.submit('/auth/session', { data: 'x' })).status,
  }
  const kinds = Object.keys(write) as (keyof typeof write)[]

  it.each(kinds)('%s after a refresh, though the store shows an old record', async (kind) => {
    const set = await signedInWithTokens({ callbacks: { jwt } })
    const { browser, get, server, store, inner } = set
    const old = await recordOf(set)
    pass(HOUR)
    expect(await get()).toEqual(given(2))
    pass(DAY)
    store.sessions.get = async () => old
    expect(await write[kind](browser)).toBe(200)
    store.sessions.get = inner.sessions.get
    const tokens = { version: 1, refresh_token: refreshToken(2) }
    expect(await unseal((await recordOf(set))?.sealed)).toMatchObject({ tokens })
    expect(await get()).toEqual(given(3))
    expect(server.used).toEqual([1, 2].map(refreshToken))
  })

  it.each(kinds)('%s while a refresh is under way loses no part of either', async (kind) => {
    const set = await signedInWithTokens({ callbacks: { jwt } })
    const { browser, get, isolate, server } = set
    pass(DAY)
    server.meanwhile = async () => {
      server.meanwhile = undefined
      expect(await write[kind](isolate().browserOf(browser))).toBe(200)
    }
    expect(await get()).toEqual(given(2))
    pass(HOUR)
    expect(await get()).toEqual(given(3))
    expect(server.used).toEqual([1, 2].map(refreshToken))
  })

  it.each(kinds)('a refresh while %s is being written loses no part of either', async (kind) => {
    const set = await signedInWithTokens({ callbacks: { jwt } })
    const { browser, get, server, store, inner } = set
    pass(DAY)
    store.sessions.put = async (record: SessionRecord) => {
      expect(await get()).toEqual(given(2))
      await inner.sessions.put(record)
    }
    expect(await write[kind](browser)).toBe(200)
    store.sessions.put = inner.sessions.put
    pass(HOUR)
    expect(await get()).toEqual(given(3))
    expect(server.used).toEqual([1, 2].map(refreshToken))
  })

  // The tokens must not overwrite changes that were made to the record meanwhile.
  it.each(kinds)('%s is kept beside a refresh that the ledger did not settle', async (kind) => {
    const set = await signedInWithTokens({ callbacks: { jwt } })
    const { browser, get, isolate, server, faults } = set
    pass(DAY)
    server.meanwhile = async () => {
      await write[kind](isolate().browserOf(browser))
      faults.set('settleRefresh', fails)
    }
    const before = await recordOf(set)
    expect(await get()).toEqual(given(2))
    const after = await recordOf(set)
    if (kind === 'an extension') expect(after?.expires).toBeGreaterThan(before?.expires ?? 0)
    else expect(await unseal(after?.sealed)).toMatchObject({ token: { count: 2 } })
  })
})

describe('settleRefresh fails while a callback asks for the token', () => {
  const jwt: Callbacks['jwt'] = async ({ token, getAccessToken }) => {
    await getAccessToken()
    return token
  }

  // The record must not be overwritten with tokens that were read before the refresh.
  it.each(['an extension', 'an update'])('%s keeps the rotated token', async (kind) => {
    const server = new TokenServer()
    const watched = faulty()
    const { get, browser } = await signedInWithTokens({ callbacks: { jwt } }, { server, watched })
    pass(DAY)
    watched.faults.set('settleRefresh', fails)
    if (kind === 'an update') await browser.submit('/auth/session', { data: 'x' })
    if (kind === 'an extension') await browser.session()
    watched.faults.clear()
    expect(server.used).toEqual([refreshToken(1)])
    pass(HOUR)
    expect(await get()).toEqual(given(3))
    expect(server.used).toEqual([1, 2].map(refreshToken))
  })
})
