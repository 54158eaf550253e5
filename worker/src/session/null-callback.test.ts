import { describe, expect, it } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { type Browser, claimsIn, copyOf, errorOf, setsSession } from '../test-support/browser.js'
import { deployment } from '../test-support/deployment.js'
import { signedInWithTokens } from '../test-support/tokens.js'
import type { Callbacks } from '../types.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990, waits: true })

const MINUTE = 60
const DAY = 24 * 60 * MINUTE

type Name = 'jwt' | 'session'
const names: Name[] = ['jwt', 'session']

/** Callbacks of an app, of which one answers as the test says from now on. */
function app(name: Name) {
  const says: { at: (() => unknown) | undefined } = { at: undefined }
  const answer = <Value>(asked: Name, value: Value) =>
    asked === name && says.at ? (says.at() as Value) : value
  const callbacks: Partial<Callbacks> = {
    jwt: ({ token }) => answer('jwt', token),
    session: ({ session }) => answer('session', session),
  }
  const ends = () => {
    says.at = () => null
  }
  return { callbacks, says, ends }
}

async function signedIn(name: Name) {
  const { callbacks, says, ends } = app(name)
  const set = deployment({ callbacks })
  const browser = await set.signIn()
  pass(2 * MINUTE)
  const { sub, sid } = claimsIn(browser)
  const copyElsewhere = () => set.copyAt(browser, set.isolate('elsewhere'))
  const isRevoked = () => set.ledgers.objects.get('ledger')?.isRevoked(sid)
  return { ...set, browser, says, ends, sub, sid, copyElsewhere, isRevoked }
}

/** The session is over for its owner, for a copy of its cookie, in the ledger and in KV. */
async function expectEnded(set: Awaited<ReturnType<typeof signedIn>>, copy: Browser) {
  expect(await set.isRevoked()).toBe(true)
  set.says.at = undefined
  pass(6)
  expect(await copy.session()).toBeNull()
  pass(6 * MINUTE)
  expect(await copy.session()).toBeNull()
  await set.settled()
  expect(set.kv.keys).toEqual([])
  // Parallel requests all delete the record, and KV takes one such write in a second.
  expect(set.errors.filter(({ message }) => !message.includes('delete'))).toEqual([])
}

describe.each(names)('a %s callback that returns null', (name) => {
  it('ends the session at the next renewal, after five minutes', async () => {
    const set = await signedIn(name)
    const copy = set.copyElsewhere()
    set.ends()
    expect(await set.browser.session()).not.toBeNull()
    pass(4 * MINUTE)
    const answer = await set.browser.get('/auth/session')
    expect([answer.status, await answer.json()]).toEqual([200, null])
    expect(set.browser.jar.has('auth.session-token')).toBe(false)
    await expectEnded(set, copy)
  })

  it.each<[string, number]>([
    ['when it is extended', DAY],
    ['when it is extended by ten requests at once', DAY],
    ['when ten requests renew it at once', 6 * MINUTE],
  ])('ends it %s', async (when, later) => {
    const set = await signedIn(name)
    const copy = set.copyElsewhere()
    set.ends()
    pass(later)
    const tabs = Array.from({ length: when.includes('ten') ? 10 : 1 }, () =>
      set.copyAt(set.browser, set.here),
    )
    const sessions = await Promise.all([set.browser, ...tabs].map((tab) => tab.session()))
    expect(new Set(sessions)).toEqual(new Set([null]))
    await expectEnded(set, copy)
  })

  it('for one of ten parallel requests ends it for all', async () => {
    const set = await signedIn(name)
    const copy = set.copyElsewhere()
    pass(6 * MINUTE)
    let asked = 0
    const value = () => (name === 'jwt' ? { name: 'ada' } : { user: { name: 'ada' }, expires: 'x' })
    set.says.at = () => (++asked === 5 ? null : value())
    const tabs = Array.from({ length: 9 }, () => set.copyAt(set.browser, set.here))
    await Promise.all([set.browser, ...tabs].map((tab) => tab.session()))
    pass(6 * MINUTE)
    for (const tab of [set.browser, ...tabs]) expect(await tab.session()).toBeNull()
    await expectEnded(set, copy)
  })

  it('ends it at a session update', async () => {
    const set = await signedIn(name)
    const copy = set.copyElsewhere()
    set.ends()
    const answer = await set.browser.submit('/auth/session', { data: 'x' })
    expect([answer.status, await answer.json()]).toEqual([200, null])
    expect(set.browser.jar.has('auth.session-token')).toBe(false)
    await expectEnded(set, copy)
  })

  it('ends it if an app without a renewal of its own sends the browser', async () => {
    const set = await signedIn(name)
    const copy = set.copyElsewhere()
    set.ends()
    const answer = await set.browser.get('/auth/renew?callbackUrl=/inbox')
    expect(errorOf(answer)).toBe('/auth/signin')
    expect(set.browser.jar.has('auth.session-token')).toBe(false)
    await expectEnded(set, copy)
  })

  it('leaves it out of the person’s list', async () => {
    const set = await signedIn(name)
    const other = await set.signIn()
    set.ends()
    pass(6 * MINUTE)
    await set.browser.session()
    set.says.at = undefined
    const { sessions } = (await (await other.get('/auth/sessions')).json()) as {
      sessions: { id: string }[]
    }
    expect(sessions.map(({ id }) => id)).toEqual([claimsIn(other).sid])
  })

  it('while the ledger fails is answered with 503: the cookie stays, and the next try ends it', async () => {
    const set = await signedIn(name)
    const copy = set.copyElsewhere()
    set.ends()
    pass(6 * MINUTE)
    set.ledgers.before.set('revoke', () => Promise.reject(new Error('overloaded')))
    const { cookie } = set.browser
    for (const later of [0, DAY]) {
      pass(later)
      const answer = await set.browser.get('/auth/session')
      expect([answer.status, answer.headers.getSetCookie()]).toEqual([503, []])
    }
    const updated = await set.browser.submit('/auth/session', { data: 'x' })
    expect([updated.status, setsSession(updated)]).toEqual([503, false])
    expect(set.browser.cookie).toContain(cookie)
    expect(await set.isRevoked()).toBe(false)
    set.ledgers.before.clear()
    set.errors.length = 0
    expect(await set.browser.session()).toBeNull()
    await expectEnded(set, copy)
  })

  it('at a sign-in refuses it: no record, no session in the list, AccessDenied', async () => {
    const { callbacks, ends } = app(name)
    const set = deployment({ callbacks })
    ends()
    const browser = set.browserAt()
    const answer = await browser.submit('/auth/callback/credentials', { username: 'ada' })
    expect([errorOf(answer), setsSession(answer)]).toEqual(['/auth/error AccessDenied', false])
    expect([set.kv.keys, set.kv.count('put')]).toEqual([[], 0])
    expect(set.errors.map(({ name, message }) => `${name}: ${message}`)).toEqual([
      `AccessDenied: The ${name} callback refused.`,
    ])
  })

  it('at a sign-in leaves the session that this browser has as it is', async () => {
    const set = await signedIn(name)
    set.ends()
    await set.browser.submit('/auth/callback/credentials', { username: 'grace' })
    set.says.at = undefined
    pass(6 * MINUTE)
    expect((await set.browser.session())?.user?.name).toBe('ada')
  })

  it.each<[string, () => unknown]>([
    ['throws', () => Promise.reject(new Error('the app is down'))],
    ['returns nothing', () => undefined],
    ['returns a text', () => 'null'],
    ['returns a list', () => []],
  ])('is not one that %s, which ends nothing', async (_, at) => {
    const set = await signedIn(name)
    pass(6 * MINUTE)
    set.says.at = at
    const answer = await set.browser.get('/auth/session')
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([500, []])
    expect(await set.isRevoked()).toBe(false)
    set.says.at = undefined
    pass(6 * MINUTE)
    expect(await set.browser.session()).not.toBeNull()
  })

  it('ends the tokens at the provider, if they end with the session', async () => {
    const { callbacks, ends } = app(name)
    const set = await signedInWithTokens({ callbacks }, { options: { revokeOnSignOut: true } })
    ends()
    pass(6 * MINUTE)
    expect(await set.browser.session()).toBeNull()
    await set.settled()
    expect(set.server.seen).toMatchObject([
      { endpoint: '/revoke', form: { token: 'the-refresh-token-1' } },
    ])
  })

  it('that ends the session during a sign-out elsewhere stays ended', async () => {
    const set = await signedIn(name)
    const thief = copyOf(set.browser, {} as never, set.isolate('elsewhere'))
    pass(6 * MINUTE)
    await set.browser.submit('/auth/signout')
    set.ends()
    expect(await thief.session()).toBeNull()
    await expectEnded({ ...set, browser: thief }, set.copyElsewhere())
  })
})

describe('the value that jwt returns at a renewal', () => {
  it('is given to session at once, so that a role that was taken away counts in five minutes', async () => {
    let role = 'admin'
    const set = deployment({
      callbacks: {
        jwt: ({ token }) => ({ ...token, role }),
        session: ({ session, token }) => ({
          ...session,
          user: { ...session.user, role: token.role },
        }),
      },
    })
    const browser = await set.signIn()
    role = 'guest'
    expect((await browser.session())?.user?.role).toBe('admin')
    pass(6 * MINUTE)
    expect((await browser.session())?.user?.role).toBe('guest')
    expect(set.kv.count('put')).toBe(1)
  })
})
