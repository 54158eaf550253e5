import { describe, expect, it } from 'vitest'
import { memoryStore } from '../stores/memory.js'
import {
  Browser,
  configWith,
  errorOf,
  fakeProvider,
  goodTokens,
  locationOf,
} from '../test-support/browser.js'
import { signedIn } from '../test-support/signed-in.js'
import type { AuthConfig, Callbacks, SessionRecord } from '../types.js'

const setUp = (callbacks: Partial<Callbacks> = {}, changes: Partial<AuthConfig> = {}) =>
  new Browser(configWith({ providers: [fakeProvider()], callbacks, ...changes }))

/** A POST /session with data. */
async function update(browser: Browser, data: unknown) {
  const response = await browser.send('/auth/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ csrfToken: await browser.csrfToken(), data }),
  })
  return {
    response,
    session: (await response
      .clone()
      .json()
      .catch(() => undefined)) as unknown,
  }
}

describe('signIn', () => {
  it.each([[false], [undefined], [null], [0], [1], [{}]])(
    'that returns %j refuses: only true lets in',
    async (answer) => {
      const browser = setUp({ signIn: () => answer as boolean })
      expect(errorOf(await browser.signIn('fake'))).toBe('/auth/error AccessDenied')
      expect(await browser.session()).toBeNull()
    },
  )

  it('that throws refuses', async () => {
    const signIn = () => {
      throw new Error('x')
    }
    expect(errorOf(await setUp({ signIn }).signIn('fake'))).toBe('/auth/error AccessDenied')
  })

  it('that returns a URL redirects there, signs no user in, and is not an open redirect', async () => {
    const browser = setUp({ signIn: () => '/terms' })
    expect(new URL(locationOf(await browser.signIn('fake'))).pathname).toBe('/terms')
    expect(await browser.session()).toBeNull()
    const hostile = setUp({ signIn: () => '//evil.com' })
    expect(locationOf(await hostile.signIn('fake'))).not.toContain('evil')
  })

  it('refused, nothing was written', async () => {
    const store = memoryStore()
    let puts = 0
    const put = async () => {
      puts++
    }
    const counting = { ...store, sessions: { ...store.sessions, put } }
    await setUp({ signIn: () => false }, { store: counting }).signIn('fake')
    expect(puts).toBe(0)
  })
})

describe('jwt and session', () => {
  it('get their arguments at sign-in, and decide the session’s contents', async () => {
    const { browser } = await signedIn({
      callbacks: {
        jwt: ({ token, account, trigger }) => ({
          ...token,
          trigger,
          access: account?.access_token,
          same: account?.userId === token.sub,
        }),
        session: ({ session, token }) => ({
          ...session,
          role: token.trigger,
          same: token.same,
          expires: '1970-01-01T00:00:00Z',
        }),
      },
    })
    const session = await browser.session()
    expect(session).toMatchObject({ role: 'signUp', same: true })
    // The app cannot change the end of a session.
    expect(new Date(session?.expires ?? 0).getTime()).toBeGreaterThan(Date.now())
    await browser.signIn('fake')
    expect(await browser.session()).toMatchObject({ role: 'signIn', same: true })
  })

  it('session always has its user, whose members it may set', async () => {
    const session: Callbacks['session'] = ({ session, token }) => {
      session.user.name = `${token.name} of the tests`
      return session
    }
    const { browser } = await signedIn({ callbacks: { session } })
    expect((await browser.session())?.user?.name).toMatch(/ of the tests$/)
  })

  it('the value of jwt is neither in the cookie nor readable in the record', async () => {
    const store = memoryStore()
    const records: SessionRecord[] = []
    const put = async (record: SessionRecord) => {
      records.push(record)
      await store.sessions.put(record)
    }
    const jwt: Callbacks['jwt'] = ({ token, account }) => ({ ...token, at: account?.access_token })
    const browser = setUp({ jwt }, { store: { ...store, sessions: { ...store.sessions, put } } })
    await browser.signIn('fake')
    const decoded = [browser.cookie, JSON.stringify(records)]
      .flatMap((text) => text.split(/[.;=", ]/))
      .map((part) => part + Buffer.from(part, 'base64url').toString('latin1'))
      .join()
    expect(decoded).not.toContain(goodTokens.access_token)
    expect(records).toHaveLength(1)
  })

  it('jwt cannot change the person', async () => {
    const plain = setUp()
    await plain.signIn('fake')
    const forging = setUp({ jwt: ({ token }) => ({ ...token, sub: 'root' }) })
    await forging.signIn('fake')
    expect((await forging.session())?.user?.id).toBe((await plain.session())?.user?.id)
  })

  it.each<[string, Partial<Callbacks>]>([
    ['jwt returns a string', { jwt: () => 'x' as never }],
    [
      'session returns more than cookies can hold',
      { session: ({ session }) => ({ ...session, pad: 'x'.repeat(9_000) }) as never },
    ],
    ['jwt throws', { jwt: () => Promise.reject(new Error('x')) }],
    ['session returns a string', { session: () => 'x' as never }],
    ['session throws', { session: () => Promise.reject(new Error('x')) }],
  ])('%s: no user is signed in', async (_, callbacks) => {
    const browser = setUp(callbacks)
    expect(errorOf(await browser.signIn('fake'))).toBe('/auth/error Configuration')
    expect(await browser.session()).toBeNull()
  })

  it('jwt that returns null refuses: no user is signed in', async () => {
    const browser = setUp({ jwt: () => null })
    expect(errorOf(await browser.signIn('fake'))).toBe('/auth/error AccessDenied')
    expect(await browser.session()).toBeNull()
  })

  it('a session may have no user', async () => {
    const { browser } = await signedIn({
      callbacks: { session: ({ session: { expires } }) => ({ expires }) },
    })
    expect(await browser.session()).toEqual({ expires: expect.any(String) })
  })
})

describe('session update', () => {
  const evil = {
    user: { id: 'root', name: 'root', role: 'admin' },
    sub: 'root',
    expires: '2999-01-01',
    __proto__: { isAdmin: true },
  }

  it('puts nothing into the session by itself', async () => {
    const { browser } = await signedIn()
    const before = await browser.session()
    const { session } = await update(browser, evil)
    expect(session).toMatchObject({ user: before?.user })
    expect(JSON.stringify(session)).not.toContain('root')
    expect(JSON.stringify(await browser.session())).not.toContain('root')
  })

  it('goes through the callbacks with its trigger', async () => {
    const { browser } = await signedIn({
      callbacks: {
        jwt: ({ token, trigger, session }) =>
          trigger === 'update'
            ? { ...token, name: String((session as { name: string }).name) }
            : token,
        session: ({ session, trigger, newSession }) => ({ ...session, trigger, newSession }),
      },
    })
    const { session } = await update(browser, { name: 'New' })
    expect(session).toMatchObject({
      user: { name: 'New' },
      trigger: 'update',
      newSession: { name: 'New' },
    })
    expect((await browser.session())?.user?.name).toBe('New')
  })

  it('without a session answers null and sets none', async () => {
    const browser = setUp()
    const { session } = await update(browser, evil)
    expect(session).toBeNull()
    expect([...browser.jar.keys()]).toEqual(['auth.csrf-token'])
  })

  it('for a revoked session answers null, though its cookie is fresh', async () => {
    const store = memoryStore()
    const browser = setUp({}, { store })
    await browser.signIn('fake')
    const { cookie } = browser
    await browser.submit('/auth/signout')
    for (const pair of cookie.split('; ')) {
      const [name = '', value = ''] = pair.split('=')
      browser.jar.set(name, value)
    }
    expect((await update(browser, {})).session).toBeNull()
  })

  it.each([
    '{"__proto__":{"isAdmin":true}}',
    '{"a":[{"b":{"__proto__":{"isAdmin":true}}}]}',
    '{"user":{"constructor":{"prototype":{"isAdmin":true}}}}',
  ])('prototype pollution: %s reaches neither callback nor token', async (data) => {
    const seen: unknown[] = []
    const jwt: Callbacks['jwt'] = ({ token, trigger, session }) => {
      if (trigger === 'update') seen.push(session)
      return token
    }
    const { browser } = await signedIn({ callbacks: { jwt } })
    const csrfToken = await browser.csrfToken()
    const bodies = [
      `{"csrfToken":"${csrfToken}","data":${data}}`,
      `{"csrfToken":"${csrfToken}","__proto__":${data},"data":{}}`,
    ]
    for (const body of bodies) {
      const headers = { 'content-type': 'application/json' }
      const answer = await browser.send('/auth/session', { method: 'POST', body, headers })
      expect(answer.status).toBe(400)
      expect(answer.headers.getSetCookie()).toEqual([])
    }
    expect(seen).toEqual([])
    expect(await browser.session()).not.toBeNull()
  })

  it('with a callback that throws changes nothing and signs no user out', async () => {
    const jwt: Callbacks['jwt'] = ({ token, trigger }) => {
      if (trigger === 'update') throw new Error('x')
      return token
    }
    const { browser } = await signedIn({ callbacks: { jwt } })
    const before = await browser.session()
    const { response, session } = await update(browser, {})
    expect([response.status, session]).toEqual([
      500,
      { error: 'Configuration', reference: expect.any(String) },
    ])
    expect(await browser.session()).toEqual(before)
  })
})

describe('events', () => {
  it('are called, and their failure changes nothing', async () => {
    const told: string[] = []
    const browser = setUp(
      {},
      {
        events: {
          signIn: ({ account }) => {
            told.push(`in ${account.providerAccountId}`)
            throw new Error('x')
          },
          signOut: async ({ session }) => {
            told.push(`out ${session.user?.name}`)
            throw new Error('x')
          },
        },
      },
    )
    expect(errorOf(await browser.signIn('fake'))).toBe('/inbox')
    expect(errorOf(await browser.submit('/auth/signout'))).toBe('/')
    expect(told).toEqual(['in ada', 'out null'])
    expect(await browser.session()).toBeNull()
  })
})
