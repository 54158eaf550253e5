import { describe, expect, test } from 'vitest'
import { clock } from '../support/clock.ts'
import { Browser, bindings, copyAt, keysOf, type Service, service, signedIn } from './support.ts'

const { SESSIONS, LEDGER } = bindings

/** The real stores, kept if a test replaces them. */
const { setTimeout: soon } = globalThis

const { pass, takeTimers, advance } = clock({ start: 'now' })

/** The real binding with some of its methods replaced. */
function broken(binding: object, replaced: Record<string, () => unknown>): object {
  return new Proxy(binding, {
    get(target, name) {
      const member: unknown = replaced[String(name)] ?? Reflect.get(target, name)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}

/** A ledger with this fault in every call. */
function brokenLedger(fail: () => Promise<never>): object {
  const stub = new Proxy({}, { get: () => fail })
  return { idFromName: () => ({}), get: () => stub }
}

const throws = () => Promise.reject(new Error('KV 429'))

/**
 * @returns a method that never answers; the test's clock moves as soon as the service waits for it
 */
function hangs(): () => Promise<never> {
  takeTimers()
  return () => {
    soon(() => advance(5_000), 0)
    return new Promise(() => {})
  }
}

/**
 * A browser that signs in while every store works, and then uses a service with `changed` bindings.
 */
async function meeting(changed: Record<string, unknown>): Promise<Browser> {
  const { of, browser } = await signedIn()
  return copyAt(browser, { ...of, env: { ...of.env, ...changed } } as Service)
}

const toExpiry = () => pass(6 * 60)
const toRenewal = () => pass(4.5 * 60)

describe('a sign-in while a store fails is refused', () => {
  test.for([
    ['KV throws', () => ({ SESSIONS: broken(SESSIONS, { put: throws }) })],
    ['KV hangs', () => ({ SESSIONS: broken(SESSIONS, { put: hangs() }) })],
    ['the ledger throws', () => ({ LEDGER: brokenLedger(throws) })],
    ['the ledger hangs', () => ({ LEDGER: brokenLedger(hangs()) })],
  ] as const)('%s', async ([, changed]) => {
    const browser = new Browser(service({}, changed()))
    const answer = await browser.signIn()
    expect(answer.status).toBe(503)
    expect(answer.headers.getSetCookie().join()).not.toContain('auth.session-token')
    expect(await browser.session()).toBeNull()
  })
})

describe('a fault signs no user out', () => {
  const faults = [
    ['KV throws', () => ({ SESSIONS: broken(SESSIONS, { get: throws }) })],
    ['KV hangs', () => ({ SESSIONS: broken(SESSIONS, { get: hangs() }) })],
    ['the ledger throws', () => ({ LEDGER: brokenLedger(throws) })],
  ] as const
  const damages = [
    ['KV holds rubbish', () => ({ SESSIONS: broken(SESSIONS, { get: async () => ({ v: 1 }) }) })],
    ['KV holds text', () => ({ SESSIONS: broken(SESSIONS, { get: async () => 'rubbish' }) })],
  ] as const

  test.for(faults)('%s: an expired token is kept, and answered with 503', async ([, changed]) => {
    const browser = await meeting(changed())
    toExpiry()
    const answer = await browser.go('/auth/session')
    expect(answer.status).toBe(503)
    expect(answer.headers.getSetCookie()).toEqual([])
    expect(await answer.text()).not.toContain('Vic')
  })

  test.for(damages)(
    '%s: an expired token does not sign in, so that the browser can sign in again, and is kept',
    async ([, changed]) => {
      const browser = await meeting(changed())
      toExpiry()
      const answer = await browser.go('/auth/session')
      expect(answer.status).toBe(200)
      expect(await answer.json()).toBeNull()
      expect(answer.headers.getSetCookie()).toEqual([])
    },
  )

  test.for([...faults, ...damages])(
    '%s: a live token that is due for renewal is good to its end',
    async ([, changed]) => {
      const browser = await meeting(changed())
      toRenewal()
      const answer = await browser.go('/auth/session')
      expect(answer.status).toBe(200)
      expect(await answer.json()).toMatchObject({ user: { name: 'Vic Placeholder' } })
      expect(answer.headers.getSetCookie()).toEqual([])
    },
  )

  test('KV that does not show the record yet: no session for now, the cookie is kept', async () => {
    const browser = await meeting({ SESSIONS: broken(SESSIONS, { get: async () => null }) })
    toExpiry()
    const answer = await browser.go('/auth/session')
    expect(await answer.json()).toBeNull()
    expect(answer.headers.getSetCookie()).toEqual([])
  })

  test('a damaged cookie of our name does not end the session beside it', async () => {
    const { of, browser } = await signedIn()
    const cookie = `auth.session-token=damaged; auth.session-token=${browser.sessionToken}`
    const headers = { cookie }
    const answer = await of.auth.request('http://localhost:8787/auth/session', { headers }, of.env)
    expect(await answer.json()).toMatchObject({ user: { name: 'Vic Placeholder' } })
  })
})

describe('signing out while a store fails', () => {
  test('the ledger throws: the session is not over, and the browser gets an error', async () => {
    const browser = await meeting({ LEDGER: brokenLedger(throws) })
    const answer = await browser.post('/auth/signout')
    expect(answer.status).toBe(503)
    expect(answer.headers.getSetCookie().join()).not.toContain('auth.session-token')
    expect(browser.sessionToken).not.toBe('')
  })

  test('KV throws: the ledger decides, so the session is over', async () => {
    const browser = await meeting({ SESSIONS: broken(SESSIONS, { delete: throws }) })
    const { sub, sid } = browser.claims
    const token = browser.sessionToken
    expect((await browser.post('/auth/signout')).status).toBe(302)
    await browser.settle()
    expect(await keysOf(`session:${sub}:${sid}`)).toHaveLength(1)
    expect(await LEDGER.get(LEDGER.idFromName('ledger')).isRevoked(sid)).toBe(true)
    const copy = new Browser(service())
    copy.cookies.set('auth.session-token', token)
    toExpiry()
    expect(await copy.session()).toBeNull()
  })
})
