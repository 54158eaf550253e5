import { describe, expect, it } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { memoryStore } from '../stores/memory.js'
import { Browser, configWith, errorOf, fakeProvider } from '../test-support/browser.js'
import type { JWT, SessionRecord } from '../types.js'

type Step = 'get' | 'put' | 'delete' | 'consume' | 'revoke' | 'isRevoked'
const json = { 'x-auth-return-redirect': '1' }

const { pass } = clock()

/** A browser over a store whose steps can be made to fail, and counted. */
function setUp(changes = {}) {
  const inner = memoryStore()
  const failing = new Set<Step>()
  const calls: Step[] = []
  const step = <Args extends unknown[], Result>(
    name: Step,
    run: (...args: Args) => Promise<Result>,
  ) => {
    return async (...args: Args): Promise<Result> => {
      calls.push(name)
      if (failing.has(name)) throw new Error(`${name} failed`)
      return run(...args)
    }
  }
  const { sessions, ledger } = inner
  const store = {
    sessions: {
      ...sessions,
      get: step('get', sessions.get),
      put: step('put', sessions.put),
      delete: step('delete', sessions.delete),
    },
    ledger: {
      ...ledger,
      consume: step('consume', ledger.consume),
      revoke: step('revoke', ledger.revoke),
      isRevoked: step('isRevoked', ledger.isRevoked),
    },
  }
  const config = configWith({ providers: [fakeProvider()], store, ...changes })
  return { browser: new Browser(config), failing, calls, inner }
}

const sessionCookie = ({ jar }: Browser) => jar.get('auth.session-token')

describe('a store that fails at sign-in signs nobody in', () => {
  it.each<Step>(['consume', 'put'])('%s', async (name) => {
    const { browser, failing } = setUp()
    failing.add(name)
    const response = await browser.signIn('fake')
    expect(response.status).toBe(503)
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    expect(sessionCookie(browser)).toBeUndefined()
    expect(await browser.session()).toBeNull()
  })

  it('revoke, while somebody was signed in: they stay who they were', async () => {
    const { browser, failing } = setUp()
    await browser.signIn('fake')
    const before = sessionCookie(browser)
    failing.add('revoke')
    expect((await browser.signIn('fake')).status).toBe(503)
    expect(sessionCookie(browser)).toBe(before)
    expect(await browser.session()).not.toBeNull()
  })

  it.each<Step>(['consume', 'put'])(
    '%s, while somebody was signed in: they stay signed in',
    async (name) => {
      const { browser, failing, inner } = setUp()
      await browser.signIn('fake')
      const before = sessionCookie(browser)
      failing.add(name)
      expect((await browser.signIn('fake')).status).toBe(503)
      expect(sessionCookie(browser)).toBe(before)
      const { sid } = JSON.parse(atob(before?.split('.')[1] ?? ''))
      expect(await inner.ledger.isRevoked(sid)).toBe(false)
    },
  )
})

describe('a store that fails later signs nobody out', () => {
  it('revoke at sign-out: 503, the cookie is kept, and the session goes on', async () => {
    const { browser, failing } = setUp()
    await browser.signIn('fake')
    failing.add('revoke')
    expect((await browser.submit('/auth/signout', {}, json)).status).toBe(503)
    expect(await browser.session()).not.toBeNull()
  })

  it('delete at sign-out: the ledger has the last word, so it is over', async () => {
    const { browser, failing } = setUp()
    await browser.signIn('fake')
    const { cookie } = browser
    failing.add('delete')
    expect((await browser.submit('/auth/signout')).status).toBe(302)
    pass(6 * 60)
    const answer = await browser.get('/auth/session', { cookie })
    expect(await answer.json()).toBeNull()
  })

  it.each<Step>(['get', 'isRevoked'])(
    '%s at renewal: the last verified state while the token lasts, then 503 with the cookie kept',
    async (name) => {
      const { browser, failing } = setUp()
      await browser.signIn('fake')
      const before = sessionCookie(browser)
      failing.add(name)
      pass(4 * 60 + 30)
      expect(await browser.session()).not.toBeNull()
      pass(60)
      const response = await browser.get('/auth/session')
      expect(response.status).toBe(503)
      expect(sessionCookie(browser)).toBe(before)
      failing.clear()
      expect(await browser.session()).not.toBeNull()
      expect(sessionCookie(browser)).not.toBe(before)
    },
  )

  it.each<Step>(['get', 'isRevoked', 'put'])(
    '%s at an update: 503, nothing changed',
    async (name) => {
      const callbacks = { jwt: ({ token }: { token: JWT }) => token }
      const { browser, failing } = setUp({ callbacks })
      await browser.signIn('fake')
      const before = sessionCookie(browser)
      failing.add(name)
      expect((await browser.submit('/auth/session', { data: 'x' }, json)).status).toBe(503)
      expect(sessionCookie(browser)).toBe(before)
    },
  )

  it('a browser that asks for a page gets one', async () => {
    const { browser, failing } = setUp()
    await browser.signIn('fake')
    failing.add('revoke')
    const response = await browser.submit('/auth/signout', {}, { accept: 'text/html' })
    expect(response.status).toBe(503)
    expect(response.headers.get('content-type')).toContain('text/html')
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
  })

  it('a record that is missing while the ledger says nothing keeps the cookie', async () => {
    const { browser, inner } = setUp()
    await browser.signIn('fake')
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

describe('what a store is asked for', () => {
  it('a read with a fresh token asks nothing and sets nothing', async () => {
    const { browser, calls } = setUp()
    await browser.signIn('fake')
    calls.length = 0
    for (let count = 0; count < 5; count++) {
      const response = await browser.get('/auth/session')
      expect(response.headers.getSetCookie()).toEqual([])
    }
    expect(calls).toEqual([])
  })

  it('sign-in writes one record, sign-out deletes it', async () => {
    const { browser, calls } = setUp()
    await browser.signIn('fake')
    expect(calls).toEqual(['consume', 'put'])
    calls.length = 0
    await browser.submit('/auth/signout')
    expect(calls).toEqual(['revoke', 'delete'])
  })

  it('signing in again ends the session before: session fixation and forgotten sessions', async () => {
    const { browser, inner } = setUp()
    await browser.signIn('fake')
    const { sid } = JSON.parse(atob(sessionCookie(browser)?.split('.')[1] ?? ''))
    await browser.signIn('fake')
    const next = JSON.parse(atob(sessionCookie(browser)?.split('.')[1] ?? ''))
    expect(next.sid).not.toBe(sid)
    expect(await inner.ledger.isRevoked(sid)).toBe(true)
    expect(await inner.ledger.isRevoked(next.sid)).toBe(false)
  })

  it('token renewals write nothing; after updateAge the record is written once', async () => {
    const { browser, calls } = setUp()
    await browser.signIn('fake')
    calls.length = 0
    for (let count = 0; count < 20; count++) {
      pass(6 * 60)
      expect(await browser.session()).not.toBeNull()
    }
    expect(calls).not.toContain('put')
    pass(24 * 60 * 60)
    for (let count = 0; count < 3; count++) {
      expect(await browser.session()).not.toBeNull()
      pass(6 * 60)
    }
    expect(calls.filter((name) => name === 'put')).toHaveLength(1)
  })
})

it('the 503 of a callback names no reason', async () => {
  const { browser, failing } = setUp()
  failing.add('put')
  const response = await browser.signIn('fake')
  expect(await response.text()).not.toContain('failed')
  failing.clear()
  expect(errorOf(await browser.signIn('fake'))).toBe('/inbox')
})
