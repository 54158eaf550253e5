import { describe, expect, it, vi } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import credentials from '../providers/credentials.js'
import { memoryStore } from '../stores/memory.js'
import {
  Browser,
  claimsIn,
  configWith,
  errorOf,
  fakeProvider,
  goodTokens,
  setsSession,
} from '../test-support/browser.js'
import { signedIn } from '../test-support/signed-in.js'
import type { AuthConfig, Callbacks, Events, User } from '../types.js'

const DAY = 24 * 60 * 60

const { pass } = clock()

function counting(callbacks: Partial<Callbacks>, changes: Partial<AuthConfig> = {}) {
  const store = memoryStore()
  const put = vi.fn(store.sessions.put)
  const config = configWith({
    providers: [fakeProvider()],
    callbacks,
    ...changes,
    store: { ...store, sessions: { ...store.sessions, put } },
  })
  return { browser: new Browser(config), put }
}

describe('a callback that fails on GET /session', () => {
  /** A session whose renewal, a day later, runs into the failure. */
  async function failing(name: 'jwt' | 'session', late: number) {
    const broken = { is: false }
    const fail = (at: string) => {
      if (broken.is && at === name) throw new Error('the app is down')
    }
    const { browser } = await signedIn({
      callbacks: {
        jwt: ({ token }) => {
          fail('jwt')
          return token
        },
        session: ({ session }) => {
          fail('session')
          return session
        },
      },
    })
    pass(DAY - 60)
    const before = await browser.session()
    pass(late)
    broken.is = true
    return { browser, before, broken }
  }

  it.each(['jwt', 'session'] as const)(
    '%s, while the token lives: the last session',
    async (name) => {
      const { browser, before } = await failing(name, 4 * 60 + 30)
      const response = await browser.get('/auth/session')
      expect([response.status, await response.json()]).toEqual([200, before])
      expect(response.headers.getSetCookie()).toEqual([])
    },
  )

  it.each(['jwt', 'session'] as const)(
    '%s, after the token’s end: an error as JSON, never a redirect, and the cookie stays',
    async (name) => {
      const { browser, broken } = await failing(name, 5 * 60 + 30)
      const response = await browser.get('/auth/session')
      expect([response.status, await response.json()]).toEqual([
        500,
        { error: 'Configuration', reference: expect.any(String) },
      ])
      expect(response.headers.get('location')).toBeNull()
      expect(response.headers.getSetCookie()).toEqual([])
      broken.is = false
      expect(await browser.session()).not.toBeNull()
    },
  )
})

describe('the value that the session callback returns', () => {
  it('is neither frozen nor shared: the app may keep using its object', async () => {
    const kept = { user: { id: 'x', name: 'Ada', tags: ['one'] }, expires: '' }
    const { browser } = await signedIn({ callbacks: { session: () => kept } })
    expect(await browser.session()).toMatchObject({ user: { tags: ['one'] } })
    kept.user.tags.push('two')
    kept.user.name = 'Eve'
    expect(Object.isFrozen(kept) || Object.isFrozen(kept.user)).toBe(false)
    expect(await browser.session()).toMatchObject({ user: { name: 'Ada', tags: ['one'] } })
  })

  it('is taken as JSON, at sign-in as later', async () => {
    const toJSON = () => ({ user: { name: 'Ada' } })
    const { browser } = await signedIn({
      callbacks: {
        session: ({ token }) =>
          token.sub === undefined
            ? (null as never)
            : ({
                at: new Date(0),
                none: undefined,
                map: new Map([[1, 2]]),
                of: { toJSON },
              } as never),
      },
    })
    const expected = { at: '1970-01-01T00:00:00.000Z', map: {}, of: { user: { name: 'Ada' } } }
    expect(await browser.session()).toEqual({ ...expected, expires: expect.any(String) })
    expect(claimsIn(browser).session).toEqual(expected)
  })

  it('may be an object with toJSON', async () => {
    class View {
      #name = 'Ada'
      toJSON() {
        return { user: { name: this.#name } }
      }
    }
    const { browser } = await signedIn({ callbacks: { session: () => new View() as never } })
    expect(await browser.session()).toMatchObject({ user: { name: 'Ada' } })
  })

  const cycle: Record<string, unknown> = {}
  cycle.self = cycle
  it.each<[string, unknown]>([
    ['a BigInt', { id: 1n }],
    ['a cycle', cycle],
    ['more than 8 KiB', { pad: 'x'.repeat(8_192) }],
    ['more than 8 KiB of few characters', { pad: 'ж'.repeat(4_096) }],
    ['JSON that is a text', { toJSON: () => 'Ada' }],
    ['JSON that is a list', { toJSON: () => [] }],
    ['JSON that is nothing', { toJSON: () => undefined }],
    [
      'a getter that throws',
      Object.defineProperty({}, 'x', { enumerable: true, get: () => cycle }),
    ],
    ['a function', () => {}],
    ['nothing', undefined],
    ['a list', []],
  ])('with %s is refused, before anything is written', async (_, session) => {
    const { browser, put } = counting({ session: () => session as never })
    expect(errorOf(await browser.signIn('fake'))).toBe('/auth/error Configuration')
    expect(put).not.toHaveBeenCalled()
    expect(browser.jar.has('auth.session-token')).toBe(false)
  })

  it('may be as large as 8 KiB', async () => {
    const { browser } = await signedIn({
      callbacks: { session: () => ({ pad: 'x'.repeat(8_182) }) as never },
    })
    expect(await browser.session()).not.toBeNull()
  })

  it('is refused when too large without a callback as well: a picture in the user record', async () => {
    const authorize = () => ({ id: 'ada', image: `data:image/png;base64,${'A'.repeat(50_000)}` })
    const { browser, put } = counting({}, { providers: [credentials({ authorize })] })
    const response = await browser.submit('/auth/callback/credentials')
    expect(errorOf(response)).toBe('/auth/error Configuration')
    expect(setsSession(response)).toBe(false)
    expect(put).not.toHaveBeenCalled()
  })
})

describe('callbacks cannot change the person', () => {
  it('user.id is the session’s sub in signIn, jwt and events', async () => {
    const ids: unknown[] = []
    const saw = ({ user, account }: { user?: User; account?: { userId?: string } | null }) => {
      if (user) ids.push(user.id, account?.userId)
    }
    const { browser } = counting(
      {
        signIn: (params) => {
          saw(params)
          return true
        },
        jwt: (params) => {
          saw(params)
          ids.push(params.token.sub)
          return params.token
        },
      },
      { events: { signIn: saw } as Partial<Events> },
    )
    await browser.signIn('fake')
    expect(ids).toEqual(Array(7).fill(claimsIn(browser).sub))
    expect((await browser.session())?.user?.id).toBe(claimsIn(browser).sub)
  })

  it.each([
    ['oauth', () => fakeProvider()],
    ['credentials', () => credentials({ authorize: () => ({ id: 'ada' }) })],
  ])(
    'callbacks that rewrite user and account do not change the session’s person: %s',
    async (type, provider) => {
      const attack = (params: object) => {
        const { user, account, token } = params as Record<string, Record<string, unknown>>
        for (const target of [user, account, token]) {
          Object.assign(target ?? {}, { id: 'root', userId: 'root', sub: 'root', provider: 'root' })
        }
      }
      const told: unknown[] = []
      const signIn = async (browser: Browser) =>
        type === 'oauth' ? browser.signIn('fake') : browser.submit('/auth/callback/credentials')
      const plain = counting({}, { providers: [provider()] }).browser
      await signIn(plain)
      const { browser } = counting(
        {
          signIn: (params) => {
            attack(params)
            return true
          },
          jwt: (params) => {
            attack(params)
            return params.token
          },
          session: (params) => {
            attack(params)
            return params.session
          },
        },
        {
          providers: [provider()],
          events: { signIn: ({ user, account }) => void told.push(user.id, account.userId) },
        },
      )
      await signIn(browser)
      const { sub, amr } = claimsIn(plain)
      expect(claimsIn(browser)).toMatchObject({ sub, amr })
      expect(await browser.session()).toMatchObject({ user: { id: sub } })
      expect(told).toEqual([sub, sub])
    },
  )
})

describe('an unrequested id_token', () => {
  it.each([
    ['a well-formed one', 'e30.e30.e30'],
    ['a text that is not a JWT', 'nonsense'],
    ['an object', { a: 1 }],
    ['a number', 7],
    ['null', null],
    ['an empty one', ''],
  ])('%s: stored if it is text, never trusted, and no reason to fail', async (_, id_token) => {
    const seen: unknown[] = []
    const forged = id_token === 'e30.e30.e30' ? `e30.${btoa('{"sub":"root"}')}.e30` : id_token
    const token = () => ({ ...goodTokens, id_token: forged })
    const { browser } = counting(
      {
        jwt: ({ token, account }) => {
          seen.push(account?.id_token, account?.providerAccountId)
          return token
        },
      },
      { providers: [fakeProvider({ token })] },
    )
    expect(errorOf(await browser.signIn('fake'))).toBe('/inbox')
    // An empty text counts as left out.
    expect(seen).toEqual([typeof forged === 'string' ? forged || undefined : undefined, 'ada'])
  })
})
