import { describe, expect, it } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { Browser, claimsIn, configWith, errorOf, fakeProvider } from '../test-support/browser.js'
import { fails, faulty, type StoreMethod } from '../test-support/faulty.js'
import { signedIn } from '../test-support/signed-in.js'
import type { JWT, SessionRecord } from '../types.js'

const json = { 'x-auth-return-redirect': '1' }

const { pass } = clock()

/** A browser without a session, at a service whose store calls can fail and are counted. */
function setUp() {
  const { store, ...rest } = faulty()
  const browser = new Browser(configWith({ providers: [fakeProvider()], store }))
  return { browser, ...rest }
}

/** The store calls, without the queries for endings that come every few seconds. */
const namesOf = (calls: ReturnType<typeof faulty>['calls']) =>
  calls.flatMap(({ name }) => (name === 'revokedSince' ? [] : name))

const sessionCookie = ({ jar }: Browser) => jar.get('auth.session-token')

describe('a store that fails at sign-in signs no user in', () => {
  it.each<StoreMethod>(['enter', 'put'])('%s', async (name) => {
    const { browser, faults } = setUp()
    faults.set(name, fails)
    const response = await browser.signIn('fake')
    expect(response.status).toBe(503)
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    expect(sessionCookie(browser)).toBeUndefined()
    expect(await browser.session()).toBeNull()
  })

  it('revoke, during a session: that session stays', async () => {
    const { browser, faults, inner } = await signedIn()
    const before = sessionCookie(browser)
    faults.set('revoke', fails)
    const { sub } = claimsIn(browser)
    const listed = await inner.sessions.list(sub)
    expect((await browser.signIn('fake')).status).toBe(503)
    expect(sessionCookie(browser)).toBe(before)
    expect(await browser.session()).not.toBeNull()
    expect(await inner.sessions.list(sub)).toEqual(listed)
  })

  it.each<StoreMethod>(['enter', 'put'])(
    '%s, during a session: that session stays',
    async (name) => {
      const { browser, faults, inner } = await signedIn()
      const before = sessionCookie(browser)
      faults.set(name, fails)
      expect((await browser.signIn('fake')).status).toBe(503)
      expect(sessionCookie(browser)).toBe(before)
      const { sid } = JSON.parse(atob(before?.split('.')[1] ?? ''))
      expect(await inner.ledger.isRevoked(sid)).toBe(false)
    },
  )
})

describe('a store that fails later signs no user out', () => {
  it('revoke at sign-out: 503, the cookie is kept, and the session goes on', async () => {
    const { browser, faults } = await signedIn()
    faults.set('revoke', fails)
    expect((await browser.submit('/auth/signout', {}, json)).status).toBe(503)
    expect(await browser.session()).not.toBeNull()
  })

  it('delete at sign-out: the ledger decides, so the session is over', async () => {
    const { browser, faults } = await signedIn()
    const { cookie } = browser
    faults.set('delete', fails)
    expect((await browser.submit('/auth/signout')).status).toBe(302)
    pass(6 * 60)
    const answer = await browser.get('/auth/session', { cookie })
    expect(await answer.json()).toBeNull()
  })

  it.each<StoreMethod>(['get', 'standing'])(
    '%s at renewal: the last verified state while the token lasts, then 503 with the cookie kept',
    async (name) => {
      const { browser, faults } = await signedIn()
      const before = sessionCookie(browser)
      faults.set(name, fails)
      pass(4 * 60 + 30)
      expect(await browser.session()).not.toBeNull()
      pass(60)
      const response = await browser.get('/auth/session')
      expect(response.status).toBe(503)
      expect(sessionCookie(browser)).toBe(before)
      faults.clear()
      expect(await browser.session()).not.toBeNull()
      expect(sessionCookie(browser)).not.toBe(before)
    },
  )

  it.each<StoreMethod>(['get', 'standing', 'put'])(
    '%s at an update: 503, nothing changed',
    async (name) => {
      const callbacks = { jwt: ({ token }: { token: JWT }) => token }
      const { browser, faults } = await signedIn({ callbacks })
      const before = sessionCookie(browser)
      faults.set(name, fails)
      expect((await browser.submit('/auth/session', { data: 'x' }, json)).status).toBe(503)
      expect(sessionCookie(browser)).toBe(before)
    },
  )

  it('a browser that asks for a page gets one', async () => {
    const { browser, faults } = await signedIn()
    faults.set('revoke', fails)
    const response = await browser.submit('/auth/signout', {}, { accept: 'text/html' })
    expect(response.status).toBe(503)
    expect(response.headers.get('content-type')).toContain('text/html')
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
  })

  it('a missing record while the ledger has no end keeps the cookie', async () => {
    const { browser, inner } = await signedIn()
    const before = sessionCookie(browser)
    const { sub, sid } = JSON.parse(atob(before?.split('.')[1] ?? ''))
    const record = (await inner.sessions.get(sub, sid)) as SessionRecord
    await inner.sessions.delete(sub, sid)
    pass(6 * 60)
    expect(await browser.session()).toBeNull()
    expect(sessionCookie(browser)).toBe(before)
    await inner.sessions.put(record)
    expect(await browser.session()).not.toBeNull()
  })
})

describe('the number of store calls', () => {
  it('a read with a fresh token makes no call and sets no cookie', async () => {
    const { browser, calls } = await signedIn()
    for (let count = 0; count < 5; count++) {
      const response = await browser.get('/auth/session')
      expect(response.headers.getSetCookie()).toEqual([])
    }
    expect(namesOf(calls)).toEqual([])
  })

  it('sign-in writes one record, sign-out deletes it', async () => {
    const { browser, calls } = setUp()
    await browser.signIn('fake')
    expect(namesOf(calls)).toEqual(['enter', 'put'])
    calls.length = 0
    await browser.submit('/auth/signout')
    expect(namesOf(calls)).toEqual(['revoke', 'delete'])
  })

  it('signing in again ends the session before: session fixation and forgotten sessions', async () => {
    const { browser, inner } = await signedIn()
    const { sid } = JSON.parse(atob(sessionCookie(browser)?.split('.')[1] ?? ''))
    await browser.signIn('fake')
    const next = JSON.parse(atob(sessionCookie(browser)?.split('.')[1] ?? ''))
    expect(next.sid).not.toBe(sid)
    expect(await inner.ledger.isRevoked(sid)).toBe(true)
    expect(await inner.ledger.isRevoked(next.sid)).toBe(false)
  })

  it('token renewals write nothing; after updateAge the record is written once', async () => {
    const { browser, calls } = await signedIn()
    for (let count = 0; count < 20; count++) {
      pass(6 * 60)
      expect(await browser.session()).not.toBeNull()
    }
    expect(namesOf(calls)).not.toContain('put')
    pass(24 * 60 * 60)
    for (let count = 0; count < 3; count++) {
      expect(await browser.session()).not.toBeNull()
      pass(6 * 60)
    }
    expect(namesOf(calls).filter((name) => name === 'put')).toHaveLength(1)
  })
})

it('the 503 of a callback names no reason', async () => {
  const { browser, faults } = setUp()
  faults.set('put', fails)
  const response = await browser.signIn('fake')
  expect(await response.text()).not.toContain('The store is down')
  faults.clear()
  expect(errorOf(await browser.signIn('fake'))).toBe('/inbox')
})
