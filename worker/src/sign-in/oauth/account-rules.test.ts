import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../stores/memory.js'
import {
  Browser,
  claimsIn,
  configWith,
  copyOf,
  errorOf,
  fakeProvider,
  goodTokens,
  signInAt,
} from '../../test-support/browser.js'
import { providerAt, testIssuer } from '../../test-support/issuer.js'
import type { AuthConfig, OAuthUserConfig, Profile } from '../../types.js'

/** A provider whose next person the test chooses. */
function people(options: OAuthUserConfig = {}) {
  let next: Record<string, unknown> = { sub: 'ada' }
  let tokens: object = goodTokens
  const provider = fakeProvider({ userinfo: () => next, token: () => tokens }, options)
  const is = (profile: Record<string, unknown>, more = {}) => {
    next = profile
    tokens = { ...goodTokens, ...more }
  }
  return { provider, is }
}

/** Signs in with a new browser, or the given one. @returns the user's id */
async function subOf(config: AuthConfig, browser = new Browser(config), provider = 'fake') {
  expect(errorOf(await browser.signIn(provider))).toBe('/inbox')
  return claimsIn(browser).sub
}

describe('a person is the same', () => {
  // Changing this value would give every user another id.
  const ada = 'ltbnNW0JPY9cHnMdXx8Ppg'

  it('at every sign-in, on every deployment and after every rotation of the secret', async () => {
    const { provider } = people()
    const providers = [provider]
    const [older, newer] = ['old-'.repeat(10), 'new-'.repeat(10)]
    const one = configWith({ providers })
    const subs = [
      await subOf(one),
      await subOf(one),
      await subOf(configWith({ providers, secret: older })),
      await subOf(configWith({ providers, secret: [newer, older] })),
      await subOf(configWith({ providers, secret: newer })),
    ]
    expect(new Set(subs)).toEqual(new Set([ada]))
  })

  it('at another public origin', async () => {
    const config = configWith({ providers: [people().provider] })
    const browser = new Browser(config, { at: 'http://127.0.0.1:8787' })
    await browser.signIn('fake')
    expect(claimsIn(browser).sub).toBe(ada)
  })

  it.each<[string, Record<string, unknown>, object]>([
    ['name', { name: 'Eve' }, {}],
    ['address', { email: 'eve@example.com', email_verified: true }, {}],
    ['unverified address', { email: 'eve@example.com', email_verified: false }, {}],
    ['picture and other claims', { picture: 'https://eve.example/', iss: 'evil', user: 'eve' }, {}],
    ['tokens', {}, { access_token: 'other', userId: 'eve', providerAccountId: 'eve' }],
  ])('with another %s', async (_, profile, tokens) => {
    const { provider, is } = people()
    is({ sub: 'ada', ...profile }, tokens)
    expect(await subOf(configWith({ providers: [provider] }))).toBe(ada)
  })

  it('with another client', async () => {
    const { provider } = people({ clientId: 'another-client' })
    expect(await subOf(configWith({ providers: [provider] }))).toBe(ada)
  })
})

describe('account linking: two accounts are two people', () => {
  const email = 'ada@example.com'
  const verified = { email, email_verified: true }

  it.each([undefined, true, false])(
    'with one id and one address at two providers, allowDangerousEmailAccountLinking %s',
    async (allowDangerousEmailAccountLinking) => {
      const linking =
        allowDangerousEmailAccountLinking === undefined ? {} : { allowDangerousEmailAccountLinking }
      const [one, two] = [people(linking), people({ ...linking, id: 'other' })]
      for (const { is } of [one, two]) is({ sub: 'ada', ...verified })
      const config = configWith({ providers: [one.provider, two.provider] })
      const browser = new Browser(config)
      const subs = [await subOf(config, browser), await subOf(config, browser, 'other')]
      expect(new Set(subs).size).toBe(2)
      expect((await browser.session())?.user).toMatchObject({ id: subs[1], email })
    },
  )

  it('with one address at one provider', async () => {
    const { provider, is } = people({ allowDangerousEmailAccountLinking: true })
    const config = configWith({ providers: [provider] })
    is({ sub: 'ada', ...verified })
    const ada = await subOf(config)
    is({ sub: 'eve', ...verified })
    expect(await subOf(config)).not.toBe(ada)
  })

  it('pre-hijacking: an address that is verified later links no account', async () => {
    const { provider, is } = people()
    const config = configWith({ providers: [provider] })
    is({ sub: 'eve', email, email_verified: false })
    const eve = new Browser(config)
    await subOf(config, eve)
    expect((await eve.session())?.user?.email).toBeNull()
    is({ sub: 'ada', ...verified })
    expect(await subOf(config)).not.toBe(claimsIn(eve).sub)
  })

  it('profile() without an id: an ID token’s sub is the account', async () => {
    const issuer = await testIssuer('https://issuer.example', { alg: 'ES256' })
    issuer.claims = { sub: 'ada', name: 'Ada' }
    const subs: string[] = []
    for (const profile of [({ name }: Profile) => ({ name: name ?? null }), undefined]) {
      const changes = profile ? { profile } : {}
      const browser = new Browser(configWith({ providers: [providerAt(issuer, changes)] }))
      await signInAt(browser)
      subs.push(claimsIn(browser).sub)
    }
    expect(new Set(subs).size).toBe(1)
  })

  it('with one sub at two tenants of one provider', async () => {
    const issuer = await testIssuer('https://issuer.example', { alg: 'ES256' })
    const issuerOf = ({ tid }: Readonly<Record<string, unknown>>) => `https://${tid}.example`
    const config = configWith({ providers: [providerAt(issuer, { issuerOf })] })
    const subs: string[] = []
    for (const tid of ['one', 'two']) {
      issuer.claims = { tid, iss: `https://${tid}.example`, sub: 'ada' }
      const browser = new Browser(config)
      expect(errorOf(await signInAt(browser))).toBe('/inbox')
      subs.push(claimsIn(browser).sub)
    }
    expect(new Set(subs).size).toBe(2)
  })
})

describe('signing in while signed in', () => {
  function changingPeople() {
    const { provider, is } = people()
    const store = memoryStore()
    const config = configWith({
      providers: [provider],
      store,
      callbacks: {
        signIn: ({ account }) => account.providerAccountId !== 'nobody',
        jwt: ({ token, account }) => ({
          ...token,
          seen: [...((token.seen as string[] | undefined) ?? []), account?.userId],
        }),
        session: ({ session, token }) => ({ ...session, seen: token.seen }),
      },
    })
    return { config, browser: new Browser(config), is, store }
  }

  it('as another person switches the session: the old one is revoked, nothing is merged', async () => {
    const { config, browser, is, store } = changingPeople()
    is({ sub: 'ada', name: 'Ada', email: 'ada@example.com', picture: 'https://ada.example/' })
    const ada = await subOf(config, browser)
    const before = claimsIn(browser)
    const old = copyOf(browser, config)
    is({ sub: 'eve', name: 'Eve' })
    const eve = await subOf(config, browser)
    expect(eve).not.toBe(ada)
    const session = await browser.session()
    expect(session).toMatchObject({ user: { id: eve, name: 'Eve', email: null, image: null } })
    // The jwt callback's value starts over too.
    expect(session).toMatchObject({ seen: [eve] })
    expect(claimsIn(browser).sid).not.toBe(before.sid)
    expect(await store.ledger.isRevoked(before.sid)).toBe(true)
    expect(await store.sessions.get(ada, before.sid)).toBeUndefined()
    expect(await old.session()).toBeNull()
    expect(await browser.session()).not.toBeNull()
  })

  it('as the same person starts a new session and ends the old one', async () => {
    const { config, browser, store } = changingPeople()
    const sub = await subOf(config, browser)
    const { sid } = claimsIn(browser)
    expect(await subOf(config, browser)).toBe(sub)
    expect(await store.ledger.isRevoked(sid)).toBe(true)
    expect(await store.ledger.isRevoked(claimsIn(browser).sid)).toBe(false)
  })

  it('session of another browser lives on', async () => {
    const { config, browser } = changingPeople()
    const other = new Browser(config)
    await subOf(config, other)
    await subOf(config, browser)
    await subOf(config, browser)
    expect(await other.session()).not.toBeNull()
  })

  it.each([
    ['fails', {}, '/auth/signin OAuthCallbackError'],
    ['is refused by the app', { sub: 'nobody' }, '/auth/error AccessDenied'],
  ])('in a way that %s changes nothing', async (_, profile, target) => {
    const { config, browser, is, store } = changingPeople()
    const ada = await subOf(config, browser)
    const { sid } = claimsIn(browser)
    is(profile)
    expect(errorOf(await browser.signIn('fake'))).toBe(target)
    expect((await browser.session())?.user?.id).toBe(ada)
    expect(await store.ledger.isRevoked(sid)).toBe(false)
  })
})
