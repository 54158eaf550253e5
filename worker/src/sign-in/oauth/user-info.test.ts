import { beforeEach, describe, expect, it, vi } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { customFetch } from '../../lib/symbols.js'
import {
  Browser,
  configWith,
  errorOf,
  everythingIn,
  fakeProvider,
  goodTokens,
  signInAt,
} from '../../test-support/browser.js'
import { providerAt, type TestIssuer, testIssuer } from '../../test-support/issuer.js'
import type { OIDCConfig, Provider, User, UserinfoRequest } from '../../types.js'

let issuer: TestIssuer
let errors: Error[]

const failed = '/auth/signin OAuthCallbackError'

beforeEach(async () => {
  issuer = await testIssuer('https://issuer.example', { alg: 'ES256' })
  errors = []
})
const { takeTimers, advance } = clock({ start: 'now' })

const browserFor = (...providers: Provider[]) => {
  const logger = { error: (error: Error) => void errors.push(error) }
  return new Browser(configWith({ providers, logger }))
}

async function refused(options: Partial<OIDCConfig>, reason: string): Promise<void> {
  const browser = browserFor(providerAt(issuer, options))
  expect(errorOf(await signInAt(browser))).toBe(failed)
  expect(await browser.session()).toBeNull()
  expect(errors).toHaveLength(1)
  expect(everythingIn(errors)).toContain(reason)
  expect(everythingIn(errors)).not.toMatch(/access-token-|eyJ/)
}

async function userOf(options: Partial<OIDCConfig> = {}) {
  const browser = browserFor(providerAt(issuer, options))
  expect(errorOf(await signInAt(browser))).toBe('/inbox')
  return (await browser.session())?.user
}

describe('user info beside an ID token', () => {
  it('adds to it', async () => {
    issuer.userinfo = { sub: 'ada', name: 'Ada' }
    expect(await userOf()).toMatchObject({ name: 'Ada' })
    const asked = issuer.requests.at(-1)
    expect(asked?.headers.get('authorization')).toMatch(/^Bearer access-token-\d+$/)
    expect(asked?.url).toBe('https://issuer.example/userinfo')
  })

  it.each([
    ['of somebody else', { sub: 'eve' }],
    ['in another letter case', { sub: 'Ada' }],
    ['of nobody', {}],
    ['with an empty sub', { sub: '' }],
    ['of null', { sub: null }],
    ['of a list', { sub: ['ada'] }],
    ['with the right id and another sub', { id: 'ada', sub: 'eve' }],
  ])('token substitution: %s is refused', async (_, userinfo) => {
    issuer.userinfo = userinfo
    await refused({}, 'two different people')
  })

  it('token substitution: a number is not equal to its text', async () => {
    issuer.claims = { sub: '7' }
    issuer.userinfo = { sub: 7 }
    await refused({}, 'two different people')
  })

  it('does not change signed claims', async () => {
    issuer.claims = { name: 'Ada', email: 'ada@example.com', email_verified: true }
    issuer.userinfo = { sub: 'ada', name: 'Eve', email: 'eve@example.com', iss: 'evil', x: 1 }
    const seen: Record<string, unknown>[] = []
    const profile = (all: Record<string, unknown>): User => {
      seen.push(all)
      return { id: String(all.sub), name: String(all.name), email: String(all.email) }
    }
    expect(await userOf({ profile })).toMatchObject({ name: 'Ada', email: 'ada@example.com' })
    expect(seen[0]).toMatchObject({ iss: issuer.issuer, x: 1 })
  })

  it('cannot verify a signed address by another address', async () => {
    issuer.claims = { email: 'ada@example.com' }
    issuer.userinfo = { sub: 'ada', email: 'eve@example.com', email_verified: true }
    const profile = ({ sub, email_verified }: Record<string, unknown>): User => ({
      id: String(sub),
      name: String(email_verified),
    })
    expect(await userOf({ profile })).toMatchObject({ name: 'undefined' })
  })

  it.each<[object, object, boolean | undefined]>([
    [{ email: 'ada@example.com', email_verified: true }, {}, true],
    [{ email: 'ada@example.com', email_verified: true }, { email_verified: false }, false],
    [{ email: 'ada@example.com' }, { email: 'eve@example.com', email_verified: 'true' }, undefined],
    [{ email: 'ada@example.com' }, { email_verified: true }, undefined],
    [{ email: 'ada@example.com' }, { email: 'ada@example.com', email_verified: false }, false],
    [{ email_verified: true }, { email: 'victim@example.com' }, undefined],
    [{ email_verified: true }, { email: 'victim@example.com', email_verified: false }, false],
    [{ email_verified: false }, { email: 'ada@example.com', email_verified: true }, false],
    [{}, { email: 'ada@example.com', email_verified: true }, true],
    [{ email: 'ada@example.com', email_verified: true }, { email_verified: 'false' }, false],
    [{ email: 'ada@example.com', email_verified: true }, { email_verified: 'no' }, false],
    [{ email: 'ada@example.com', email_verified: true }, { email_verified: 'true' }, true],
    [{ email: 'ada@example.com', email_verified: 'true' }, { email_verified: true }, undefined],
  ])(
    'an ID token with %j and user info with %j: only who names the address verifies it',
    async (claims, userinfo, expected) => {
      issuer.claims = { ...claims }
      issuer.userinfo = { sub: 'ada', ...userinfo }
      const seen: unknown[] = []
      const profile = ({ sub, email_verified }: Record<string, unknown>): User => {
        seen.push(email_verified)
        return { id: String(sub) }
      }
      await userOf({ profile })
      expect(seen).toEqual([expected])
    },
  )

  it('is never requested with idToken: true', async () => {
    issuer.userinfo = { sub: 'eve', name: 'Eve' }
    const request = vi.fn(() => ({ sub: 'eve' }))
    expect(await userOf({ idToken: true })).toMatchObject({ name: null })
    expect(await userOf({ idToken: true, userinfo: { request } })).toMatchObject({ name: null })
    expect(issuer.requests.filter(({ url }) => url.endsWith('/userinfo'))).toEqual([])
    expect(request).not.toHaveBeenCalled()
  })

  it('is not requested if the provider has no such endpoint', async () => {
    issuer.claims = { name: 'Ada' }
    expect(await userOf()).toMatchObject({ name: 'Ada' })
  })
})

describe('userinfo.request', () => {
  const address = 'https://issuer.example/people/me'
  const asking = (answer: () => Response | Promise<Response>): Partial<OIDCConfig> => ({
    userinfo: { request: async ({ fetch }) => (await fetch(address)).json() },
    [customFetch]: async (input, init) =>
      input === address ? answer() : issuer.fetch(input, init),
  })

  it('gets the tokens, the provider and its fetch, and returns the profile', async () => {
    const seen: UserinfoRequest[] = []
    issuer.answers = { me: () => Response.json({ sub: 'ada', name: 'Ada' }) }
    const request = async (context: UserinfoRequest) => {
      seen.push(context)
      return (await context.fetch(address)).json()
    }
    expect(await userOf({ userinfo: { request } })).toMatchObject({ name: 'Ada' })
    expect(seen[0]?.tokens.access_token).toMatch(/^access-token-/)
    expect(seen[0]?.provider).toMatchObject({ id: 'test', clientId: 'the-client-id' })
    // The fetch adds no token, so none goes to a URL that the function chose.
    expect(issuer.requests.at(-1)?.headers.has('authorization')).toBe(false)
    expect(issuer.requests.at(-1)?.redirect).toBe('manual')
  })

  it('must be about the same person too', async () => {
    await refused({ userinfo: { request: () => ({ sub: 'eve' }) } }, 'two different people')
  })

  it.each<[string, string, () => Response]>([
    ['of 5 MiB', 'longer than', () => Response.json({ sub: 'ada', x: 'x'.repeat(5 << 20) })],
    ['a redirect', 'a redirect', () => Response.redirect('http://169.254.169.254/')],
    ['nothing', 'not JSON', () => new Response(null)],
  ])('an answer that is %s is refused', async (_, reason, answer) => {
    await refused(asking(answer), reason)
  })

  /** A request that is never answered, with the moment when it was made. */
  function silence() {
    takeTimers()
    let ask = () => {}
    const asked = new Promise<void>((resolve) => {
      ask = resolve
    })
    const answer = () => {
      ask()
      return new Promise<never>(() => {})
    }
    return { asked, answer }
  }

  it('an answer that never comes ends after ten seconds', async () => {
    const { asked, answer } = silence()
    const end = refused(asking(answer), 'No answer within 10000 ms')
    await asked
    await advance(9_999)
    expect(errors).toEqual([])
    await advance(1)
    await end
  })

  it('a function that never ends is given up too', async () => {
    const { asked, answer } = silence()
    void refused({ userinfo: { request: answer } }, 'No answer within')
    await asked
    await advance(60_000)
    await expect.poll(() => errors).toHaveLength(1)
  })

  it.each([[null], [undefined], ['ada'], [7], [[{ sub: 'ada' }]], [true]])(
    'a result that is %j is refused',
    async (result) => refused({ userinfo: { request: () => result } }, 'returned no object'),
  )

  it('its error is logged without the tokens', async () => {
    const request = ({ tokens }: UserinfoRequest) => {
      throw new Error(`GET with ${tokens.access_token} and ${tokens.id_token} failed`)
    }
    await refused({ userinfo: { request } }, 'GET with [hidden] and [hidden] failed')
  })
})

describe('the person that a plain OAuth provider describes', () => {
  const signIn = async (userinfo: object) => {
    const browser = browserFor(fakeProvider({ userinfo: () => userinfo, token: () => goodTokens }))
    return { end: errorOf(await browser.signIn('fake')), user: (await browser.session())?.user }
  }
  const email = 'ada@example.com'

  it.each([
    [{ email_verified: false }, null],
    [{ email_verified: true }, email],
    [{ email_verified: null }, email],
    [{}, email],
  ])('with %j has the address %s', async (claims, expected) => {
    expect((await signIn({ sub: 'ada', email, ...claims })).user?.email).toBe(expected)
  })

  it.each(['true', 'false', '', 1, 0, [true], {}])(
    'is signed in with an email_verified of %j, which vouches for nothing',
    async (email_verified) => {
      const { end, user } = await signIn({ sub: 'ada', email, email_verified })
      expect(end).toBe('/inbox')
      expect(user).not.toHaveProperty('emailVerified')
    },
  )

  it.each([
    ['http://provider.example/a.png', null],
    ['https://provider.example/a.png', 'https://provider.example/a.png'],
  ])('with the picture %s has the image %s', async (picture, image) => {
    expect((await signIn({ sub: 'ada', picture })).user?.image).toBe(image)
  })

  it.each([
    [{ sub: 'ada', id: 7 }, { sub: 'ada' }, true],
    [{ sub: null, id: 'ada' }, { id: 'ada' }, true],
    [{ id: 7 }, { sub: '7' }, true],
    [{ sub: 'ada' }, { sub: 'ada ' }, false],
    [{ sub: 'ada' }, { sub: 'Ada' }, false],
    [{ sub: 1 }, { sub: '01' }, false],
  ])('%j and %j are the same person: %s', async (one, other, isSame) => {
    const ids = [(await signIn(one)).user?.id, (await signIn(other)).user?.id]
    for (const id of ids) expect(id).toMatch(/^[\w-]{22}$/)
    expect(ids[0] === ids[1]).toBe(isSame)
  })
})
