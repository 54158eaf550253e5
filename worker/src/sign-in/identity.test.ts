import { describe, expect, it } from 'vitest'
import { Browser, configWith, errorOf, fakeProvider, goodTokens } from '../test-support/browser.js'
import type { Account, OAuthUserConfig, Profile, User } from '../types.js'

async function signIn(profile: object, options: OAuthUserConfig = {}, tokens: object = goodTokens) {
  const seen: { user: User; account: Account; profile?: Profile }[] = []
  const provider = fakeProvider({ userinfo: () => profile, token: () => tokens }, options)
  const browser = new Browser(
    configWith({
      providers: [provider],
      callbacks: {
        signIn: (params) => {
          seen.push(params)
          return true
        },
      },
    }),
  )
  const response = await browser.signIn('fake')
  return { target: errorOf(response), session: await browser.session(), seen: seen[0], browser }
}

describe('the person that the provider describes', () => {
  it('a numeric id becomes text', async () => {
    expect((await signIn({ sub: 0 })).seen?.account.providerAccountId).toBe('0')
    expect((await signIn({ id: 12345 })).seen?.account.providerAccountId).toBe('12345')
  })

  it('the ids __proto__ and constructor are ordinary ids', async () => {
    const [one, two] = [await signIn({ sub: '__proto__' }), await signIn({ sub: 'constructor' })]
    expect(one.session?.user?.id).toMatch(/^[\w-]{22}$/)
    expect(one.session?.user?.id).not.toBe(two.session?.user?.id)
  })

  it.each([
    ['http://provider.example/a.png', null],
    ['javascript:alert(1)', null],
    ['data:image/svg+xml,<svg onload=alert(1)>', null],
    ['//provider.example/a.png', null],
    [{ url: 'https://x' }, null],
    ['', null],
    [`https://provider.example/${'x'.repeat(5_000)}`, null],
    ['https://provider.example/a.png?x=1&y=2', 'https://provider.example/a.png?x=1&y=2'],
    ['https://provider.example/\n"><script>', 'https://provider.example/%22%3E%3Cscript%3E'],
  ])('the picture %j becomes %j', async (picture, expected) => {
    expect((await signIn({ sub: 'ada', picture })).session?.user?.image).toBe(expected)
  })

  it.each([[{}], [['x']], [1], [true], [''], [null]])(
    'a name and an e-mail that are %j become null',
    async (value) => {
      const { session } = await signIn({ sub: 'ada', name: value, email: value })
      expect(session?.user).toMatchObject({ name: null, email: null })
    },
  )

  it('a name of 100,000 characters does not make cookies that servers refuse', async () => {
    const long = 'ж'.repeat(100_000)
    const { browser, target } = await signIn({ sub: 'ada', name: long, email: long, picture: long })
    expect(target).toBe('/inbox')
    expect(browser.cookie.length).toBeLessThan(4_096)
  })

  it('the longest name, address and picture together still fit two cookies', async () => {
    const { browser, session } = await signIn({
      sub: 'ada',
      name: 'ж'.repeat(256),
      email: `${'ж'.repeat(242)}@example.com`,
      picture: `https://provider.example/${'p'.repeat(2_000)}`,
    })
    expect(session?.user?.name).toHaveLength(256)
    expect(session?.user?.email).toHaveLength(254)
    expect(browser.cookie.length).toBeLessThan(8_192)
  })

  it('the default profile takes the standard claims', async () => {
    const { session } = await signIn({ sub: 'ada', nickname: 'Ada', email: 'ada@example.com' })
    expect(session?.user).toMatchObject({ name: 'Ada', email: 'ada@example.com', image: null })
  })
})

describe('the token answer cannot change', () => {
  it('provider, type, account id and user id', async () => {
    const forged = {
      ...goodTokens,
      provider: 'admin',
      type: 'credentials',
      providerAccountId: 'root',
      userId: 'root',
    }
    const { seen, session } = await signIn({ sub: 'ada' }, {}, forged)
    expect(seen?.account).toMatchObject({
      provider: 'fake',
      type: 'oauth',
      providerAccountId: 'ada',
    })
    expect(seen?.account.userId).toBe(session?.user?.id)
  })

  it('expires_at, which is calculated', async () => {
    const tokens = { ...goodTokens, expires_in: 60, expires_at: 1 }
    const { seen } = await signIn({ sub: 'ada' }, {}, tokens)
    const now = Date.now() / 1000
    expect(seen?.account.expires_at).toBeGreaterThan(now)
    expect(seen?.account.expires_at).toBeLessThan(now + 120)
    const { seen: without } = await signIn({ sub: 'ada' }, {}, { ...goodTokens, expires_at: 1 })
    expect(without?.account).not.toHaveProperty('expires_at')
  })

  it('the lower case of token_type', async () => {
    expect(
      (await signIn({ sub: 'ada' }, {}, { ...goodTokens, token_type: 'BEARER' })).seen?.account,
    ).toMatchObject({ token_type: 'bearer' })
  })

  it('the members that account() chooses', async () => {
    const account = () => ({ scope: 'kept' })
    const { seen } = await signIn({ sub: 'ada' }, { account })
    expect(seen?.account).toMatchObject({ scope: 'kept', provider: 'fake' })
    expect(seen?.account).not.toHaveProperty('access_token')
  })
})

describe('profile() of the app', () => {
  it.each([
    [
      'throws',
      () => {
        throw new Error('x')
      },
    ],
    ['returns null', () => null as never],
    ['returns no id', () => ({ name: 'x' })],
    ['returns the text undefined as object', () => ({ id: undefined as never })],
  ])('that %s fails the sign-in and signs nobody in', async (_, profile) => {
    const { target, session } = await signIn({ sub: 'ada' }, { profile })
    expect(target).toBe('/auth/signin OAuthCallbackError')
    expect(session).toBeNull()
  })

  it('gets the whole answer and the tokens', async () => {
    const profile = (answer: Profile, { access_token }: { access_token?: string }) => ({
      id: `${String(answer.deep)}-${access_token}`,
    })
    const { seen } = await signIn({ deep: 'id' }, { profile })
    expect(seen?.account.providerAccountId).toBe('id-the-access-token')
  })
})
