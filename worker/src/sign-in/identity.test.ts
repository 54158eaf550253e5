import { describe, expect, it } from 'vitest'
import { OAuthCallbackError } from '../errors.js'
import { Browser, configWith, errorOf, fakeProvider, goodTokens } from '../test-support/browser.js'
import type { Account, OAuthUserConfig, Profile, User } from '../types.js'

async function signIn(profile: object, options: OAuthUserConfig = {}, tokens: object = goodTokens) {
  const seen: { user: User; account: Account; profile?: Profile }[] = []
  const provider = fakeProvider({ userinfo: () => profile, token: () => tokens }, options)
  const errors: Error[] = []
  const browser = new Browser(
    configWith({
      providers: [provider],
      logger: { error: (error) => void errors.push(error) },
      callbacks: {
        signIn: (params) => {
          seen.push(params)
          return true
        },
      },
    }),
  )
  const response = await browser.signIn('fake')
  const target = errorOf(response)
  return { target, session: await browser.session(), seen: seen[0], browser, errors }
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
    [['https://provider.example/a.png'], null],
    ['', null],
    [`https://provider.example/${'x'.repeat(5_000)}`, null],
    ['https://provider.example/a.png?x=1&y=2', 'https://provider.example/a.png?x=1&y=2'],
    ['https://provider.example/\n"><script>', 'https://provider.example/%22%3E%3Cscript%3E'],
  ])('the picture %j becomes %j', async (picture, expected) => {
    expect((await signIn({ sub: 'ada', picture })).session?.user?.image).toBe(expected)
  })

  it.each([[{}], [['x']], [1], [true], [''], [null]])(
    'a name and an email that are %j become null',
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
      picture: `https://provider.example/${'p'.repeat(2_023)}`,
    })
    expect(session?.user?.image).toHaveLength(2_048)
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

describe('"email_verified" of the provider', () => {
  const email = 'ada@example.com'

  it.each(['true', 'TRUE', 'True'])(
    'that is the text %j refuses nobody, and vouches for nothing',
    async (email_verified) => {
      const { target, session, seen } = await signIn({ sub: 'ada', email, email_verified })
      expect(target).toBe('/inbox')
      expect(session?.user).toMatchObject({ email })
      expect(session?.user).not.toHaveProperty('emailVerified')
      expect(seen?.profile).not.toHaveProperty('email_verified')
    },
  )

  it.each(['false', 'FALSE', 'no', '', 'x'.repeat(9_000), 0, 1, {}, [], [true], ['true']])(
    'that is %j refuses nobody, and is a no: as a text, false would count as true in many an app',
    async (email_verified) => {
      const { target, session, seen } = await signIn({ sub: 'ada', email, email_verified })
      expect(target).toBe('/inbox')
      expect(session?.user).toMatchObject({ email: null })
      expect(session?.user).not.toHaveProperty('emailVerified')
      expect(seen?.profile?.email_verified).toBe(false)
    },
  )

  it.each([true, false, null, undefined])('may be %j', async (email_verified) => {
    expect((await signIn({ sub: 'ada', email_verified })).target).toBe('/inbox')
  })

  it('is a boolean for a profile function that counts every text as true', async () => {
    const profile = ({ sub, email_verified }: Profile) => ({
      id: String(sub),
      email,
      emailVerified: Boolean(email_verified),
    })
    for (const email_verified of ['true', 'false', 1, {}]) {
      const { session } = await signIn({ sub: 'ada', email_verified }, { profile } as never)
      expect(session?.user).not.toHaveProperty('emailVerified')
    }
  })
})

describe('the log of a person who cannot be described', () => {
  const thrown = new Error('no such member')
  const fails = () => {
    throw thrown
  }

  it.each<[string, OAuthUserConfig, object]>([
    [
      'profile() that throws',
      { profile: fails },
      { reason: 'profile() could not read the answer.', err: thrown },
    ],
    [
      'profile() that throws no error',
      { profile: () => Promise.reject('x') as never },
      { reason: 'profile() could not read the answer.' },
    ],
    [
      'profile() without a user',
      { profile: () => null as never },
      { reason: 'profile() returned no user.' },
    ],
    [
      'profile() without an id',
      { profile: () => ({ name: 'x' }) as never },
      { reason: 'The profile has no usable id.' },
    ],
    [
      'account() that throws',
      { account: fails },
      { reason: 'account() could not read the tokens.', err: thrown },
    ],
  ])('has the reason: %s', async (_, options, cause) => {
    const { target, session, errors } = await signIn({ sub: 'ada' }, options)
    expect(target).toBe('/auth/signin OAuthCallbackError')
    expect(session).toBeNull()
    expect(errors.map(({ message }) => message)).toEqual(['Sign-in with "fake" failed.'])
    expect(errors[0]?.cause).toEqual({ provider: 'fake', ...cause })
  })

  it('has the own words of a profile() that refuses', async () => {
    const own = new OAuthCallbackError('Only people of the company sign in here.')
    const { target, errors } = await signIn({ sub: 'ada' }, { profile: () => Promise.reject(own) })
    expect(target).toBe('/auth/signin OAuthCallbackError')
    expect(errors).toEqual([own])
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
  ])('that %s fails the sign-in', async (_, profile) => {
    const { target, session } = await signIn({ sub: 'ada' }, { profile })
    expect(target).toBe('/auth/signin OAuthCallbackError')
    expect(session).toBeNull()
  })

  it.each<[string, object, OAuthUserConfig['profile'], string]>([
    ['the id of a plain provider’s answer', { id: 7 }, () => ({ name: 'x' }), '7'],
    [
      'the address that the provider vouches for',
      { mail: 'Ada@Mail.example' },
      ({ mail }) => ({ email: mail as string, emailVerified: true }),
      'ada@mail.example',
    ],
  ])('that returns no id: it is %s', async (_, answer, profile, id) => {
    const { seen, target } = await signIn(answer, { profile: profile as never })
    expect([target, seen?.account.providerAccountId]).toEqual(['/inbox', id])
  })

  it.each([undefined, false, 'true', 1])(
    'account takeover: an address that %j vouches for is not an id',
    async (emailVerified) => {
      const profile = () => ({ email: 'ada@mail.example', emailVerified })
      const { target, session } = await signIn({}, { profile })
      expect([target, session]).toEqual(['/auth/signin OAuthCallbackError', null])
    },
  )

  it('gets the whole answer and the tokens', async () => {
    const profile = (answer: Profile, { access_token }: { access_token?: string }) => ({
      id: `${String(answer.deep)}-${access_token}`,
    })
    const { seen } = await signIn({ deep: 'id' }, { profile })
    expect(seen?.account.providerAccountId).toBe('id-the-access-token')
  })
})
