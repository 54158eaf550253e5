import { describe, expect, it, vi } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { memoryStore } from '../stores/memory.js'
import type { SessionStore } from '../stores/ports.js'
import { claimsIn, copyOf, setsSession } from '../test-support/browser.js'
import { fails } from '../test-support/faulty.js'
import { signedIn } from '../test-support/signed-in.js'
import type { AuthConfig, Callbacks, JWT, SessionRecord } from '../types.js'

const [HOUR, DAY] = [60 * 60, 24 * 60 * 60]
const start = Date.UTC(2026, 10, 1)

const { pass } = clock({ start })

/** A signed-in browser, with counters for everything that an extension may do only once. */
async function signedInAndCounted(changes: Partial<AuthConfig> = {}) {
  const memory = memoryStore()
  const puts: SessionRecord[] = []
  const jwts: (string | undefined)[] = []
  let missing = 0
  let arrive = () => {}
  let all = Promise.resolve()
  /** Nothing is written until so many requests have read the record as it was. */
  const awaitReaders = (count: number) => {
    missing = count
    all = new Promise((resolve) => {
      arrive = resolve
    })
  }
  const get: SessionStore['get'] = async (...name) => {
    const record = await memory.sessions.get(...name)
    if (--missing === 0) arrive()
    return record
  }
  const put = async (record: SessionRecord) => {
    puts.push(record)
    await all
    await memory.sessions.put(record)
  }
  const jwt: Callbacks['jwt'] = async ({ token, trigger }) => {
    jwts.push(trigger)
    await new Promise((done) => setTimeout(done, 1))
    return { ...token, count: Number(token.count ?? 0) + 1 }
  }
  const session: Callbacks['session'] = ({ session, token }) =>
    ({ ...session, count: (token as JWT).count }) as never
  // A ledger may keep consumed names longer than necessary.
  const consumed = new Set<string>()
  const consume = async (name: string) => consumed.size < consumed.add(name).size
  const inner = {
    sessions: { ...memory.sessions, get, put },
    ledger: { ...memory.ledger, consume },
  }
  const { browser, config, store, faults, calls } = await signedIn(
    { callbacks: { jwt, session }, ...changes },
    inner,
  )
  puts.length = 0
  jwts.length = 0
  return { browser, config, store, puts, jwts, faults, calls, awaitReaders }
}

describe('an extension', () => {
  it('happens in one of ten parallel requests: one write, ten sessions, each asked of jwt', async () => {
    const { browser, config, puts, jwts, awaitReaders } = await signedInAndCounted()
    pass(DAY + 60)
    awaitReaders(10)
    const tabs = Array.from({ length: 10 }, () => copyOf(browser, { ...config }))
    const sessions = await Promise.all(tabs.map((tab) => tab.session()))
    expect(sessions).not.toContain(null)
    expect([puts.length, jwts]).toEqual([1, Array(10).fill(undefined)])
    const ends = tabs.map((tab) => claimsIn(tab).sexp).sort()
    expect(ends.at(-1)).toBe(start / 1000 + 31 * DAY + 60)
    expect(ends.filter((end) => end === ends.at(-1))).toHaveLength(1)
  })

  it('with a put that fails leaves a renewed token for the unextended session', async () => {
    const { browser, puts, faults } = await signedInAndCounted()
    const before = claimsIn(browser)
    pass(DAY + 60)
    faults.set('put', fails)
    const response = await browser.get('/auth/session')
    expect([response.status, setsSession(response)]).toEqual([200, true])
    expect(claimsIn(browser)).toMatchObject({ sid: before.sid, sexp: before.sexp })
    expect(claimsIn(browser).exp).toBeGreaterThan(Date.now() / 1000)
    expect(puts).toEqual([])
  })

  it('that failed is tried again after an hour, not by every request until then', async () => {
    const { browser, puts, faults, calls } = await signedInAndCounted()
    pass(DAY + 60)
    faults.set('put', fails)
    await browser.session()
    faults.clear()
    for (let minutes = 0; minutes < 54; minutes += 6) {
      pass(6 * 60)
      expect(await browser.session()).not.toBeNull()
    }
    const tries = () => calls.filter(({ name }) => name === 'put').length
    expect([puts.length, tries()]).toEqual([0, 1])
    pass(6 * 60)
    expect(await browser.session()).not.toBeNull()
    expect([puts.length, tries()]).toEqual([1, 2])
    expect(claimsIn(browser).sexp).toBe(Date.now() / 1000 + 30 * DAY)
  })

  it('does not happen in a renewal before updateAge, and what jwt returns then is not kept', async () => {
    const { browser, puts, jwts } = await signedInAndCounted()
    for (let count = 0; count < 10; count++) {
      pass(HOUR)
      // Made of the stored 1 each time.
      expect(await browser.session()).toMatchObject({ count: 2 })
    }
    expect([puts, jwts]).toEqual([[], Array(10).fill(undefined)])
  })

  it('does not happen with HEAD: nothing is written, run, set or ended', async () => {
    const { browser, puts, jwts } = await signedInAndCounted()
    const { cookie } = browser
    pass(DAY + 60)
    const response = await browser.send('/auth/session', { method: 'HEAD' })
    expect([response.status, response.headers.getSetCookie()]).toEqual([200, []])
    expect([puts, jwts, browser.cookie]).toEqual([[], [], cookie])
    // HEAD did not use up the extension either, which the next GET makes.
    await browser.session()
    expect(puts).toHaveLength(1)
  })

  it('with a jwt callback that returns null ends the session everywhere', async () => {
    const { browser, config, store } = await signedInAndCounted({
      callbacks: { jwt: ({ token, trigger }) => (trigger === 'signUp' ? token : null) },
    })
    const copy = copyOf(browser, config)
    const { sid, sub } = claimsIn(browser)
    pass(DAY + 60)
    const response = await browser.get('/auth/session')
    expect([response.status, await response.json()]).toEqual([200, null])
    expect(browser.jar.has('auth.session-token')).toBe(false)
    expect(await copy.session()).toBeNull()
    expect(await store.ledger.isRevoked(sid)).toBe(true)
    expect(await store.sessions.get(sub, sid)).toBeUndefined()
  })
})

describe('a session update', () => {
  it('without a jwt callback writes nothing and does not slide, also after updateAge', async () => {
    const { browser, puts } = await signedInAndCounted({ callbacks: {} })
    const before = claimsIn(browser)
    pass(2 * DAY)
    const response = await browser.submit('/auth/session', { data: 'x' })
    expect(await response.json()).not.toBeNull()
    expect(claimsIn(browser).sexp).toBe(before.sexp)
    expect(puts).toEqual([])
  })

  it('with one writes once, runs jwt once, and keeps the end of the session', async () => {
    const { browser, puts, jwts } = await signedInAndCounted()
    const before = await browser.session()
    pass(2 * DAY)
    const response = await browser.submit('/auth/session', { data: 'x' })
    expect(await response.json()).toMatchObject({ count: 2, expires: before?.expires })
    expect(jwts).toEqual(['update'])
    expect(puts).toMatchObject([{ updated: start / 1000, expires: start / 1000 + 30 * DAY }])
    expect(await browser.session()).toMatchObject({ count: 2 })
  })

  it('with a jwt callback that returns null ends the session', async () => {
    const { browser, store } = await signedInAndCounted({
      callbacks: { jwt: ({ token, trigger }) => (trigger === 'update' ? null : token) },
    })
    const { sid } = claimsIn(browser)
    const response = await browser.submit('/auth/session', { data: 'x' })
    expect([response.status, await response.json()]).toEqual([200, null])
    expect(browser.jar.has('auth.session-token')).toBe(false)
    expect(await store.ledger.isRevoked(sid)).toBe(true)
  })
})

describe('a session as short as its token', () => {
  it.each([
    ['slides when updateAge allows', 0, true],
    ['does not slide before updateAge', DAY, false],
  ])('%s', async (_, updateAge, slides) => {
    const session = { maxAge: 300, tokenMaxAge: 300, updateAge }
    const { browser, puts } = await signedInAndCounted({ session })
    const first = claimsIn(browser).sexp
    pass(200)
    await browser.session()
    expect(puts).toEqual([])
    pass(80)
    expect(await browser.session()).not.toBeNull()
    expect(puts).toHaveLength(slides ? 1 : 0)
    expect(claimsIn(browser).sexp).toBe(slides ? first + 280 : first)
    pass(100)
    expect((await browser.session()) !== null).toBe(slides)
  })

  it('stops at absoluteMaxAge, and is not renewed in vain before it', async () => {
    const session = { maxAge: 300, tokenMaxAge: 300, updateAge: 0, absoluteMaxAge: 300 }
    const { browser, puts } = await signedInAndCounted({ session })
    pass(280)
    const response = await browser.get('/auth/session')
    expect(await response.json()).not.toBeNull()
    expect([response.headers.getSetCookie(), puts]).toEqual([[], []])
    pass(21)
    expect(await browser.session()).toBeNull()
  })
})

describe('a session whose maxAge alone is short', () => {
  it.each([
    [60, 13],
    [300, 100],
    [300, 200],
    [HOUR, 600],
    [HOUR, 3_000],
    [12 * HOUR, 2 * HOUR],
  ])('with %i s goes on if it is used every %i s, and ends if it is not', async (maxAge, step) => {
    const { browser } = await signedInAndCounted({ session: { maxAge } })
    for (let used = 0; used < 5 * maxAge; used += step) {
      pass(step)
      expect(await browser.session()).not.toBeNull()
    }
    pass(maxAge + 1)
    expect(await browser.session()).toBeNull()
  })

  it('is extended once in a tenth of it at most', async () => {
    const { browser, puts } = await signedInAndCounted({ session: { maxAge: HOUR } })
    for (let minutes = 0; minutes < 60; minutes++) {
      pass(60)
      await browser.session()
    }
    expect(puts.length).toBeLessThanOrEqual(10)
  })

  it.each<[string, Partial<AuthConfig>]>([
    ['half an hour', { session: { maxAge: HOUR / 2 }, callbacks: {} }],
    // The record with the answer of the jwt callback is not written over sooner: a write that failed may be shown late.
    ['an hour, with a jwt callback', { session: { maxAge: HOUR } }],
  ])(
    'attack: a store that fails once, as it is extended, signs out nobody: %s',
    async (_, config) => {
      const { browser, faults } = await signedInAndCounted(config)
      pass(7 * 60)
      faults.set('put', fails)
      expect(await browser.session()).not.toBeNull()
      faults.clear()
      for (let minutes = 0; minutes < 120; minutes += 4) {
        pass(4 * 60)
        expect(await browser.session()).not.toBeNull()
      }
    },
  )
})

describe('a record that KV does not show', () => {
  const lost = async () => {
    const set = await signedInAndCounted({ callbacks: {} })
    const { sub, sid } = claimsIn(set.browser)
    await set.store.sessions.delete(sub, sid)
    return set
  }

  it('keeps the session while its token lives, at a renewal and at an update', async () => {
    const { browser } = await lost()
    pass(4 * 60 + 30)
    const { cookie } = browser
    expect(await browser.session()).not.toBeNull()
    expect(await (await browser.submit('/auth/session', { data: 'x' })).json()).not.toBeNull()
    expect(browser.cookie).toContain(cookie)
  })

  it('answers null afterwards, and keeps the cookie', async () => {
    const { browser } = await lost()
    pass(6 * 60)
    for (const answer of [
      await browser.get('/auth/session'),
      await browser.submit('/auth/session', { data: 'x' }),
    ]) {
      expect([answer.status, await answer.json()]).toEqual([200, null])
    }
    expect(browser.jar.has('auth.session-token')).toBe(true)
  })
})

describe('a record that KV shows as it was before an extension', () => {
  /** A session that was extended shortly before its end, which KV does not show yet. */
  async function extendedLate() {
    const set = await signedInAndCounted({ session: { maxAge: HOUR }, callbacks: {} })
    const { sub, sid } = claimsIn(set.browser)
    const old = await set.store.sessions.get(sub, sid)
    pass(HOUR - 20)
    expect(await set.browser.session()).not.toBeNull()
    set.faults.set('get', async () => old)
    return { ...set, before: claimsIn(set.browser) }
  }

  it.each([5, 60, 290])(
    'attack: signs out nobody at its old end: %i s later the session goes on to its new end',
    async (seconds) => {
      const { browser, before, faults } = await extendedLate()
      pass(seconds)
      await browser.submit('/auth/session', { data: 'x' })
      expect(await browser.session()).not.toBeNull()
      expect(claimsIn(browser).sid).toBe(before.sid)
      expect(claimsIn(browser).sexp).toBeGreaterThanOrEqual(before.sexp)
      faults.clear()
      pass(10 * 60)
      expect(await browser.session()).not.toBeNull()
    },
  )

  it('keeps the cookie if it is shown longer than a token lives', async () => {
    const { browser, faults } = await extendedLate()
    pass(6 * 60)
    const response = await browser.get('/auth/session')
    expect([await response.json(), response.headers.getSetCookie()]).toEqual([null, []])
    faults.clear()
    expect(await browser.session()).not.toBeNull()
  })

  it('ends with a limit that was shortened', async () => {
    const { browser, config } = await extendedLate()
    const shortened = copyOf(browser, { ...config, session: { maxAge: 60 } })
    pass(6 * 60)
    expect(await shortened.session()).toBeNull()
    expect(shortened.jar.has('auth.session-token')).toBe(false)
  })

  it('attack: a sign-out counts all the same', async () => {
    const { browser, config } = await extendedLate()
    const thief = copyOf(browser, config)
    await browser.submit('/auth/signout')
    pass(6 * 60)
    expect(await thief.session()).toBeNull()
  })
})

describe('a clock that lags behind the one that signed in', () => {
  it('never makes a token from before the sign-in', async () => {
    const { browser } = await signedInAndCounted({ callbacks: {} })
    pass(-50)
    await browser.submit('/auth/session', { data: 'x' })
    expect(claimsIn(browser)).toMatchObject({ iat: start / 1000, auth_time: start / 1000 })
    expect(await browser.session()).not.toBeNull()
  })

  it('never makes a token that readers refuse', async () => {
    const { browser } = await signedInAndCounted({ callbacks: {} })
    for (const lag of [-59, -59]) {
      pass(lag)
      await browser.submit('/auth/session', { data: 'x' })
    }
    vi.setSystemTime(start)
    expect(await browser.session()).not.toBeNull()
  })

  it('does not end a session that was extended ahead of it', async () => {
    const { browser } = await signedInAndCounted()
    pass(DAY + 60)
    await browser.session()
    pass(-45)
    expect(await browser.session()).not.toBeNull()
    const response = await browser.submit('/auth/session', { data: 'x' })
    expect(await response.json()).not.toBeNull()
    pass(45)
    expect(await browser.session()).not.toBeNull()
  })
})
