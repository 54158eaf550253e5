import { describe, expect, it, vi } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { memoryStore } from '../stores/memory.js'
import {
  Browser,
  claimsIn,
  configWith,
  copyOf,
  errorOf,
  fakeProvider,
  locationOf,
} from '../test-support/browser.js'
import { signedIn } from '../test-support/signed-in.js'
import type { OAuthConfig, SessionRecord } from '../types.js'

const [older, newer] = ['old-'.repeat(10), 'new-'.repeat(10)]

const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990 })

const before = { secret: older }
const both = { secret: [newer, older] }
const alone = { secret: [newer] }

/** A browser at the service with its old secret, and the services after a rotation. */
function signedOut() {
  const config = configWith({ providers: [fakeProvider()], ...before })
  const browser = new Browser(config)
  const under = (changes: typeof both) => copyOf(browser, { ...config, ...changes })
  return { browser, under }
}

const kidOf = (browser: Browser) =>
  JSON.parse(atob(browser.jar.get('auth.session-token')?.split('.')[0] ?? '')).kid

describe('while both secrets are in use', () => {
  it('no user is signed out: a fresh token is read and a late one renewed', async () => {
    const { browser, under } = await signedIn(before)
    expect(await under(both).session()).not.toBeNull()
    pass(6 * 60)
    const during = under(both)
    expect(await during.session()).not.toBeNull()
    expect(kidOf(during)).not.toBe(kidOf(browser))
    expect(claimsIn(during).sid).toBe(claimsIn(browser).sid)
  })

  it('a record moves to the new secret when its session is extended', async () => {
    const { browser, under, store } = await signedIn(before)
    const { sub, sid } = claimsIn(browser)
    const first = (await store.sessions.get(sub, sid))?.sealed
    pass(24 * 60 * 60)
    const during = under(both)
    expect(await during.session()).not.toBeNull()
    expect((await store.sessions.get(sub, sid))?.sealed).not.toBe(first)
    pass(6 * 60)
    const after = copyOf(during, configWith({ store, secret: newer }))
    expect(await after.session()).not.toBeNull()
  })

  it('a csrf token and a started sign-in stay valid', async () => {
    const { browser, under } = signedOut()
    const state = (await browser.start('fake')).searchParams.get('state') ?? ''
    const during = under(both)
    expect(await during.csrfToken()).toBe(await browser.csrfToken())
    const query = new URLSearchParams({ code: 'the-code', state })
    expect(errorOf(await during.get(`/auth/callback/fake?${query}`))).toBe('/inbox')
    const csrfToken = await browser.csrfToken()
    expect(locationOf(await under(both).post('/auth/signout', { csrfToken }))).toBe(
      'http://localhost:8787/',
    )
  })
})

describe('removing a secret', () => {
  it('ends its sessions, also those that were renewed with both', async () => {
    const { under, store } = await signedIn(before)
    pass(6 * 60)
    const during = under(both)
    expect(await during.session()).not.toBeNull()
    pass(6 * 60)
    // Its token is signed with the new secret, its record still sealed with the old one.
    const after = copyOf(during, configWith({ store, secret: newer }))
    const response = await after.get('/auth/session')
    expect([response.status, await response.json()]).toEqual([200, null])
    // An isolate without a new secret yet sees the same, so the cookie is not removed.
    expect(after.jar.has('auth.session-token')).toBe(true)
  })

  it('makes its tokens invalid: the session is null', async () => {
    const { under } = await signedIn(before)
    expect(await under(alone).session()).toBeNull()
  })

  it('ends its started sign-ins with "start again", never a 500', async () => {
    const { browser, under } = signedOut()
    const state = (await browser.start('fake')).searchParams.get('state') ?? ''
    const query = new URLSearchParams({ code: 'the-code', state })
    const response = await under(alone).get(`/auth/callback/fake?${query}`)
    expect(errorOf(response)).toBe('/auth/signin InvalidCheck')
  })
})

describe('a session of a removed secret', () => {
  /** Signed in with the old secret, and again with the new one alone. */
  async function leftBehind(changes: Partial<OAuthConfig> = {}) {
    const store = memoryStore()
    const config = configWith({ providers: [{ ...fakeProvider(), ...changes }], store })
    const before = new Browser({ ...config, secret: older })
    await before.signIn('fake')
    pass(60)
    const after = new Browser({ ...config, secret: newer })
    await after.signIn('fake')
    return { old: claimsIn(before), after, store }
  }

  it('is not listed, since it cannot be used and its device cannot be read', async () => {
    const { old, after } = await leftBehind()
    const { sessions } = (await (await after.get('/auth/sessions')).json()) as {
      sessions: { id: string }[]
    }
    expect(sessions.map(({ id }) => id)).toEqual([claimsIn(after).sid])
    const page = await (await after.get('/auth/account')).text()
    expect(page).not.toContain(old.sid)
    expect(page).not.toContain('Sign out everywhere else')
  })

  it.each(['others', 'all', 'its id'])('is ended and deleted with %s', async (which) => {
    const { old, after, store } = await leftBehind({ revokeOnSignOut: true })
    const session = which === 'its id' ? old.sid : which
    expect((await after.submit('/auth/sessions/revoke', { session })).status).toBe(302)
    expect(await store.ledger.isRevoked(old.sid)).toBe(true)
    expect(await store.sessions.get(old.sub, old.sid)).toBeUndefined()
  })
})

describe('a damaged record is not a retired one: it ends nothing', () => {
  const flip = (text: string) => text.slice(0, -2) + (text.endsWith('AA') ? 'BB' : 'AA')

  it.each<[string, (sealed: string) => string]>([
    ['a changed byte', flip],
    ['cut short', (sealed) => sealed.slice(0, 20)],
    ['without its key', (sealed) => sealed.split('.')[1] ?? ''],
    ['with an empty key', (sealed) => `.${sealed.split('.')[1]}`],
    ['with a key of another length', (sealed) => `x${sealed}`],
    ['an unknown key and hardly anything behind it', () => 'AAAAAAAA.AAAA'],
    ['of another alphabet', (sealed) => sealed.replace('.', '.+')],
  ])('%s', async (_, damage) => {
    const { browser, store } = await signedIn(before)
    const { sub, sid } = claimsIn(browser)
    const record = (await store.sessions.get(sub, sid)) as SessionRecord
    await store.sessions.put({ ...record, sealed: damage(record.sealed) })
    pass(4 * 60 + 30)
    expect(await browser.session()).not.toBeNull()
    pass(60)
    const response = await browser.get('/auth/session')
    expect([response.status, await response.json()]).toEqual([200, null])
    expect(response.headers.getSetCookie()).toEqual([])
    await store.sessions.put(record)
    expect(await browser.session()).not.toBeNull()
  })
})

describe('a token that another key has signed', () => {
  const asked = async (changes: object, headers: Record<string, string> = {}) => {
    const { browser, under } = signedOut()
    await browser.signIn('fake')
    const debug = vi.fn()
    const quiet = { error() {}, warn() {}, info() {} }
    const after = under({ ...alone, logger: { ...quiet, debug }, ...changes } as never)
    for (let request = 0; request < 2; request++) {
      expect(await (await after.get('/auth/session', headers)).json()).toBeNull()
    }
    return { lines: debug.mock.calls.map(([line]) => line), cookie: browser.cookie }
  }

  it('is one line for each request with debug, which does not quote it', async () => {
    const { lines, cookie } = await asked({ debug: true })
    expect(lines).toEqual(Array(2).fill(expect.stringContaining('another key has signed')))
    const parts = cookie.split(/[=;. ]+/).filter((part) => part.length > 20)
    for (const part of parts) expect(lines.join()).not.toContain(part)
  })

  it('is one line though there are several of them', async () => {
    const name = 'auth.session-token'
    const one = (await asked({})).cookie
    const cookie = `${one}; ${(await asked({})).cookie.replace(name, `${name}.0`)}`
    expect((await asked({ debug: true }, { cookie })).lines).toHaveLength(2)
  })

  it('writes no line without debug', async () => {
    expect((await asked({})).lines).toEqual([])
  })

  it('a token that has ended, or is not a token, is not logged', async () => {
    const debug = vi.fn()
    const browser = new Browser(
      configWith({ providers: [fakeProvider()], logger: { debug, error() {} }, debug: true }),
    )
    await browser.signIn('fake')
    pass(40 * 24 * 60 * 60)
    await browser.get('/auth/session')
    await browser.get('/auth/session', { cookie: 'auth.session-token=a.b.c' })
    expect(debug.mock.calls.map(([line]) => line).join()).not.toContain('another key')
  })
})
