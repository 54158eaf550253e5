import { describe, expect, it } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { createAuth } from '../index.js'
import type { Ledger } from '../stores/ledger/rules.js'
import { memoryStore } from '../stores/memory.js'
import {
  Browser,
  claimsIn,
  configWith,
  copyOf,
  fakeProvider,
  origin,
} from '../test-support/browser.js'
import { fails, faulty, hangs } from '../test-support/faulty.js'
import type { AuthConfig } from '../types.js'

// The clock stands late in a second, since signing out everywhere waits for the next one.
const start = Date.UTC(2026, 10, 1) + 990

const { pass } = clock({ start })

/** Isolates of one Worker, which share only the stores. */
function isolates(changes: Partial<AuthConfig> = {}) {
  const store = memoryStore()
  const asked: number[] = []
  const ledger: Ledger = {
    ...store.ledger,
    revokedSince: async (since) => {
      asked.push(since)
      return store.ledger.revokedSince(since)
    },
  }
  const { store: shared, faults } = faulty({ ...store, ledger })
  const config = configWith({
    providers: [fakeProvider()],
    ...changes,
    store: shared,
  })
  const isolate = () => {
    const handler = createAuth(config)
    return { at: origin, answer: (request: Request) => handler.fetch(request) }
  }
  const here = isolate()
  const browser = new Browser(config, here)
  /** A copy of the cookies, as a thief or a second tab has them. */
  const copy = (where = here) => copyOf(browser, config, where)
  return { browser, copy, isolate, asked, faults, store, config }
}

describe('after a sign-out a copied cookie is refused', () => {
  it('at once in the same isolate, without a call', async () => {
    const { browser, copy, asked } = isolates()
    await browser.signIn('fake')
    const thief = copy()
    expect(await thief.session()).not.toBeNull()
    await browser.submit('/auth/signout')
    asked.length = 0
    expect(await thief.session()).toBeNull()
    expect(asked).toEqual([])
  })

  it('within five seconds in another isolate, and not only on the session route', async () => {
    const { browser, copy, isolate } = isolates()
    await browser.signIn('fake')
    const thief = copy(isolate())
    expect(await thief.session()).not.toBeNull()
    await browser.submit('/auth/signout')
    pass(5)
    expect(await thief.session()).toBeNull()
    expect(await (await thief.get('/auth/signout')).text()).not.toContain('Signed in as')
    pass(300)
    expect(await thief.session()).toBeNull()
  })

  it('at once in an isolate that starts later', async () => {
    const { browser, copy, isolate } = isolates()
    await browser.signIn('fake')
    const thief = copy(isolate())
    await browser.submit('/auth/signout')
    pass(200)
    expect(await thief.session()).toBeNull()
  })

  it('for all sessions of a person, at once here and within five seconds elsewhere', async () => {
    const { browser, copy, isolate } = isolates()
    await browser.signIn('fake')
    const [here, elsewhere] = [copy(), copy(isolate())]
    for (const thief of [here, elsewhere]) expect(await thief.session()).not.toBeNull()
    await browser.submit('/auth/sessions/revoke', { session: 'all' })
    expect(await here.session()).toBeNull()
    pass(5)
    expect(await elsewhere.session()).toBeNull()
  })

  it('also after the same person signed in again', async () => {
    const { browser, copy, isolate } = isolates()
    await browser.signIn('fake')
    const thief = copy(isolate())
    await browser.signIn('fake')
    expect(await thief.session()).toBeNull()
    expect(await browser.session()).not.toBeNull()
  })

  it('in an isolate that saw the end during a renewal', async () => {
    const { browser, copy, isolate, store } = isolates()
    await browser.signIn('fake')
    const elsewhere = isolate()
    const [one, two] = [copy(elsewhere), copy(elsewhere)]
    pass(4 * 60 + 30)
    await one.get('/auth/session', { cookie: '' })
    expect(await two.session()).not.toBeNull()
    await store.ledger.revoke(claimsIn(browser).sid, start)
    // A read may not query again now, but a renewal does.
    expect(await one.session()).toBeNull()
    expect(await two.session()).toBeNull()
  })
})

describe('the ledger', () => {
  it('is queried once in four seconds, however many reads there are', async () => {
    const { browser, asked } = isolates()
    await browser.signIn('fake')
    asked.length = 0
    pass(5)
    await Promise.all(Array.from({ length: 20 }, () => browser.get('/auth/session')))
    pass(3.9)
    await browser.session()
    expect(asked).toHaveLength(1)
    pass(0.1)
    await browser.session()
    expect(asked).toHaveLength(2)
  })

  it('is not queried more often if the config is made for each request', async () => {
    const { browser, copy, asked, config } = isolates()
    await browser.signIn('fake')
    const handler = createAuth(() => ({ ...config }))
    const reader = copy({ at: origin, answer: (request) => handler.fetch(request) })
    asked.length = 0
    for (let read = 0; read < 5; read++) expect(await reader.session()).not.toBeNull()
    expect(asked).toHaveLength(1)
  })

  it('is never queried for a request without a genuine cookie', async () => {
    const { browser, asked } = isolates()
    for (const cookie of ['', 'auth.session-token=x', 'auth.session-token=a.b.c']) {
      await browser.get('/auth/session', { cookie })
    }
    expect(asked).toEqual([])
  })

  it('is queried again when the clock is set back', async () => {
    const { browser, asked } = isolates()
    await browser.signIn('fake')
    await browser.session()
    asked.length = 0
    pass(-30)
    await browser.session()
    expect(asked).toHaveLength(1)
  })

  it('that fails leaves a token valid to its end, and signs no user out', async () => {
    const { browser, faults } = isolates()
    await browser.signIn('fake')
    faults.set('revokedSince', fails)
    for (let count = 0; count < 3; count++) {
      pass(6)
      expect(await browser.session()).not.toBeNull()
    }
  })

  it('that fails drops no known ending', async () => {
    const { browser, copy, faults } = isolates()
    await browser.signIn('fake')
    const thief = copy()
    await browser.submit('/auth/signout')
    faults.set('revokedSince', fails)
    pass(10)
    expect(await thief.session()).toBeNull()
  })

  it('that never answers signs no user out', async () => {
    const { browser, faults } = isolates()
    await browser.signIn('fake')
    faults.set('revokedSince', hangs)
    pass(6)
    expect(await browser.session()).not.toBeNull()
  })

  it('is queried for all missed endings, once it works again', async () => {
    const { browser, copy, isolate, faults } = isolates()
    await browser.signIn('fake')
    const thief = copy(isolate())
    expect(await thief.session()).not.toBeNull()
    faults.set('revokedSince', fails)
    pass(6)
    await browser.submit('/auth/signout')
    for (let count = 0; count < 5; count++) {
      pass(10)
      expect(await thief.session()).not.toBeNull()
    }
    faults.clear()
    pass(5)
    expect(await thief.session()).toBeNull()
  })
})
