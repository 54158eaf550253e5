import { describe, expect, it } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import credentials from '../providers/credentials.js'
import {
  Browser,
  configWith,
  copyOf,
  errorOf,
  fakeProvider,
  locationOf,
} from '../test-support/browser.js'
import { withMail } from '../test-support/email.js'
import { signedIn } from '../test-support/signed-in.js'
import type { AuthConfig, Callbacks, OAuthUserConfig, User } from '../types.js'

const { pass, takeTimers } = clock({ start: Date.UTC(2026, 10, 1) })

const email = 'ada@example.com'
/** A provider that vouches for this address. */
const vouching = (options: OAuthUserConfig = {}) =>
  fakeProvider({ userinfo: () => ({ sub: 'ada', email, email_verified: true }) }, options)

/** What an app meets in the wild in place of the boolean `true`. */
const NO_TRUTH = ['true', 'yes', 1, 0, new Date(0), {}, [true], null, false, undefined]

async function update(browser: Browser, data: unknown): Promise<Response> {
  return browser.send('/auth/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ csrfToken: await browser.csrfToken(), data }),
  })
}

describe('emailVerified of the session’s user', () => {
  it('is true if the provider vouches for the address', async () => {
    const { browser } = await signedIn({ providers: [vouching()] })
    const user = (await browser.session())?.user
    expect(user).toEqual({ id: user?.id, name: null, email, image: null, emailVerified: true })
  })

  it('is left out if it does not', async () => {
    const userinfo = () => ({ sub: 'ada', email })
    const { browser } = await signedIn({ providers: [fakeProvider({ userinfo })] })
    expect((await browser.session())?.user).toMatchObject({ email })
    expect((await browser.session())?.user).not.toHaveProperty('emailVerified')
  })

  it.each(NO_TRUTH)('is left out if profile() says %j', async (emailVerified) => {
    const seen: User[] = []
    const profile = () => ({ id: 'ada', email, emailVerified })
    const signIn: Callbacks['signIn'] = ({ user }) => seen.push(user) > 0
    const { browser } = await signedIn({
      providers: [vouching({ profile })],
      callbacks: { signIn },
    })
    expect((await browser.session())?.user).toMatchObject({ email })
    expect((await browser.session())?.user).not.toHaveProperty('emailVerified')
    expect(seen).toHaveLength(1)
    expect(seen[0]).not.toHaveProperty('emailVerified')
  })

  it.each([null, undefined, '', 'x'.repeat(255), { toString: () => email }])(
    'is left out beside the address %j',
    async (address) => {
      const profile = () => ({ id: 'ada', email: address as string, emailVerified: true })
      const { browser } = await signedIn({ providers: [vouching({ profile })] })
      const user = (await browser.session())?.user
      expect(user).toEqual({ id: user?.id, name: null, email: null, image: null })
    },
  )

  it('is not taken from claims that a profile() of one’s own passes over', async () => {
    const profile = () => ({ id: 'ada', email })
    const { browser } = await signedIn({ providers: [vouching({ profile })] })
    expect((await browser.session())?.user).not.toHaveProperty('emailVerified')
  })

  it('allowDangerousEmailAccountLinking makes no address verified', async () => {
    const options = { allowDangerousEmailAccountLinking: true }
    const provider = fakeProvider({ userinfo: () => ({ sub: 'ada', email }) }, options)
    const { browser } = await signedIn({ providers: [provider] })
    expect((await browser.session())?.user).not.toHaveProperty('emailVerified')
  })

  it('is known to the signIn and jwt callbacks and to the event', async () => {
    const seen: User[] = []
    const note = ({ user }: { user?: User }) => user && seen.push(user)
    await signedIn({
      providers: [vouching()],
      callbacks: {
        signIn: (params) => note(params) !== undefined,
        jwt: (params) => {
          note(params)
          return params.token
        },
      },
      events: { signIn: (message) => void note(message) },
    })
    expect(seen.map(({ emailVerified }) => emailVerified)).toEqual([true, true, true])
  })
})

describe('emailVerified after a sign-in by email', () => {
  it('is true: the person has just shown to read its mails', async () => {
    takeTimers()
    const users: [asked: boolean, User][] = []
    const signIn: Callbacks['signIn'] = ({ user, email }) =>
      users.push([email?.verificationRequest === true, user]) > 0
    const { ask, browser } = withMail({}, { callbacks: { signIn } })
    const there = browser()
    const { path } = await ask(email, there)
    expect(locationOf(await there.get(path))).toMatch(/\/inbox$/)
    const user = (await there.session())?.user
    expect(user).toEqual({ id: user?.id, name: null, email, image: null, emailVerified: true })
    // A person who asks for a mail has shown nothing yet.
    expect(users.map(([asked, { emailVerified }]) => [asked, emailVerified])).toEqual([
      [true, undefined],
      [false, true],
    ])
  })
})

describe('emailVerified after a sign-in with a password', () => {
  async function userOf(user: object) {
    const provider = credentials({ authorize: () => ({ id: 'ada', ...user }) })
    const browser = new Browser(configWith({ providers: [provider] }))
    const answer = await browser.submit('/auth/callback/credentials', { callbackUrl: '/inbox' })
    expect(errorOf(answer)).toBe('/inbox')
    return (await browser.session())?.user
  }

  it('is left out: a password proves no address', async () => {
    expect(await userOf({ email })).toMatchObject({ email })
    expect(await userOf({ email })).not.toHaveProperty('emailVerified')
  })

  it.each(NO_TRUTH)('is left out if authorize says %j', async (emailVerified) => {
    expect(await userOf({ email, emailVerified })).not.toHaveProperty('emailVerified')
  })

  it('is the word of an app whose authorize says true, of an address that it names', async () => {
    expect(await userOf({ email, emailVerified: true })).toMatchObject({
      email,
      emailVerified: true,
    })
    expect(await userOf({ emailVerified: true })).not.toHaveProperty('emailVerified')
  })
})

describe('emailVerified of a session that goes on', () => {
  const userAt = async (browser: Browser) => (await browser.session())?.user

  it('stays at a renewal, at an extension and at an update', async () => {
    const jwt: Callbacks['jwt'] = ({ token }) => token
    const { browser } = await signedIn({ providers: [vouching()], callbacks: { jwt } })
    pass(10 * 60)
    expect(await userAt(browser)).toMatchObject({ emailVerified: true })
    pass(2 * 24 * 60 * 60)
    expect(await userAt(browser)).toMatchObject({ emailVerified: true })
    expect((await update(browser, {})).status).toBe(200)
    expect(await userAt(browser)).toMatchObject({ emailVerified: true })
    pass(2 * 24 * 60 * 60)
    expect(await userAt(browser)).toMatchObject({ emailVerified: true })
  })

  it('an update by the person makes no address verified, whatever a careless callback copies', async () => {
    const jwt: Callbacks['jwt'] = ({ token, session }) => ({ ...token, ...(session as object) })
    const victim = {
      email: 'victim@example.com',
      emailVerified: true,
      vouched: 'victim@example.com',
    }
    for (const provider of [vouching(), fakeProvider()]) {
      const { browser } = await signedIn({ providers: [provider], callbacks: { jwt } })
      expect((await update(browser, victim)).status).toBe(200)
      const user = await userAt(browser)
      expect(user).toMatchObject({ email: 'victim@example.com' })
      expect(user).not.toHaveProperty('emailVerified')
    }
  })

  it('an address that the jwt callback puts in its place is not vouched for', async () => {
    const jwt: Callbacks['jwt'] = ({ token, trigger }) =>
      trigger === 'signUp' ? { ...token, email: 'ada@work.example' } : { ...token, email }
    const { browser, under } = await signedIn({ providers: [vouching()], callbacks: { jwt } })
    expect(await userAt(browser)).toMatchObject({ email: 'ada@work.example' })
    expect(await userAt(browser)).not.toHaveProperty('emailVerified')
    expect((await update(browser, {})).status).toBe(200)
    // The address that was vouched for is there again.
    expect(await userAt(browser)).toMatchObject({ email, emailVerified: true })
    const none = under({ callbacks: { jwt: () => ({}) } })
    expect((await update(none, {})).status).toBe(200)
    expect(await userAt(none)).toMatchObject({ email: null })
    expect(await userAt(none)).not.toHaveProperty('emailVerified')
  })

  it('the session callback sees it, and has the last word', async () => {
    const seen: unknown[] = []
    const session: Callbacks['session'] = ({ session }) => {
      seen.push(session.user?.emailVerified)
      return { ...session, user: { ...session.user, emailVerified: false } }
    }
    const { browser } = await signedIn({ providers: [vouching()], callbacks: { session } })
    expect(seen).toEqual([true])
    expect(await userAt(browser)).toMatchObject({ emailVerified: false })
  })

  it('signing in with another provider vouches for no part of the earlier session', async () => {
    const other = { ...fakeProvider({ userinfo: () => ({ sub: 'eve', email }) }), id: 'other' }
    const { browser } = await signedIn({ providers: [vouching(), other] })
    await browser.signIn('other')
    expect(await userAt(browser)).toMatchObject({ email })
    expect(await userAt(browser)).not.toHaveProperty('emailVerified')
  })

  it('an app with a name of its own in its jwt keeps its value', async () => {
    const jwt: Callbacks['jwt'] = ({ token }) => ({ ...token, emailVerified: 'our own' })
    const session: Callbacks['session'] = ({ session, token }) =>
      ({ ...session, own: token.emailVerified }) as never
    const changes: Partial<AuthConfig> = { callbacks: { jwt, session } }
    const { browser, config } = await signedIn(changes)
    expect(await copyOf(browser, config).session()).toMatchObject({ own: 'our own' })
    expect(await userAt(browser)).not.toHaveProperty('emailVerified')
  })
})
