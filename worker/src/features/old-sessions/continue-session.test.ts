import { describe, expect, test } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import {
  authjsCookies,
  authjsToken,
  betterAuthApp,
  headerOf,
  OLD_SECRET,
} from '../../../../test/support/old-cookies.js'
import { digest } from '../../lib/base64url.js'
import { authjs, betterAuth } from '../../migrate.js'
import { subjectOf } from '../../person/subject.js'
import { claimsIn, locationOf } from '../../test-support/browser.js'
import { fails, hangs } from '../../test-support/faulty.js'
import { until, withOldSessions } from '../../test-support/old-sessions.js'
import { waitedFor } from '../../test-support/time.js'

const { pass, takeTimers } = clock()

const HTTPS = 'https://app.example'

/** The lines of an answer that remove cookies, but for the session's own. */
function removed(answer: Response): string[] {
  return answer.headers.getSetCookie().filter((line) => line.includes('Max-Age=0'))
}

describe('a session that moves in', () => {
  test('belongs to the same person, and says when and how they signed in', async () => {
    const jar = await authjsCookies({ claims: { picture: '/ada.png', role: 'admin' } })
    pass(3_600)
    const { browser, lines } = withOldSessions()
    const one = browser(jar)
    const answer = await one.get('/auth/session')
    const now = Date.now() / 1000
    expect(await answer.json()).toEqual({
      user: { id: '7', name: 'Ada', email: 'ada@example.com', image: '/ada.png' },
      expires: new Date((now + 30 * 86_400 - 0) * 1000).toISOString(),
    })
    expect(claimsIn(one)).toMatchObject({ sub: '7', amr: ['authjs'], auth_time: now - 3_600 })
    expect(removed(answer)).toEqual([
      'authjs.session-token=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax',
    ])
    expect([...one.jar.keys()]).toEqual(['auth.session-token'])
    expect(lines).toMatchObject([{ event: 'moved-in', provider: 'authjs' }])
    expect(JSON.stringify(lines)).not.toMatch(/Ada|ada@|"7"/)
  })

  test('from better-auth has the time of createdAt, and no address is verified', async () => {
    const app = betterAuthApp({ strategy: 'compact' })
    const jar = await app.signUp('ada@example.com')
    const context = await app.auth.$context
    const user = await context.internalAdapter.findUserByEmail('ada@example.com')
    await context.internalAdapter.updateUser(user?.user.id ?? '', { emailVerified: true })
    pass(60)
    const one = withOldSessions().browser(jar)
    const answer = await one.get('/auth/session')
    expect(await answer.json()).toMatchObject({
      user: { id: user?.user.id, name: 'Ada', email: 'ada@example.com', image: null },
    })
    const { amr, auth_time, session } = claimsIn(one)
    expect({ amr, auth_time }).toEqual({ amr: ['better-auth'], auth_time: Date.now() / 1000 - 60 })
    expect(JSON.stringify(session)).not.toContain('emailVerified')
    expect([...one.jar.keys()]).toEqual(['auth.session-token'])
  })

  test('goes on as any other: it is renewed, listed, and ends by a sign-out for good', async () => {
    const jar = await authjsCookies()
    const { browser } = withOldSessions()
    const one = browser(jar)
    await one.session()
    pass(600)
    expect(await one.session()).toMatchObject({ user: { id: '7' } })
    const { sessions } = (await (await one.get('/auth/sessions')).json()) as { sessions: object[] }
    expect(sessions).toMatchObject([{ current: true, provider: 'authjs' }])
    expect((await one.get('/auth/account')).status).toBe(200)
    await one.submit('/auth/signout')
    expect(await one.session()).toBeNull()
    expect(await browser(jar).session()).toBeNull()
  })

  test('begins at /renew as well, which leads back', async () => {
    const { browser } = withOldSessions()
    const one = browser(await authjsCookies())
    const answer = await one.get('/auth/renew?callbackUrl=/inbox')
    expect(answer.headers.get('location')).toBe('http://localhost:8787/inbox')
    expect(await one.session()).toMatchObject({ user: { id: '7' } })
  })

  test.each([
    ['HEAD /session', '/auth/session', 'HEAD'],
    ['HEAD /renew', '/auth/renew', 'HEAD'],
  ])('does not begin by %s', async (_, path, method) => {
    const jar = await authjsCookies()
    const { browser, session } = withOldSessions()
    const answer = await browser(jar).send(path, { method })
    expect(answer.headers.getSetCookie()).toEqual([])
    expect(await session(jar)).not.toBeNull()
  })

  test('keeps its numbers as ids: a safe integer becomes text', async () => {
    const { session } = withOldSessions()
    // Attack: the `sub` of a machine.
    expect(await session(await authjsCookies({ claims: { sub: 'machine:ci' } }))).toBeNull()
    expect(await session(await authjsCookies({ claims: { sub: 42 } }))).toMatchObject({
      user: { id: '42' },
    })
  })

  test.each([
    ['__proto__'],
    ['constructor'],
    ['a:b:c'],
    ['x'.repeat(255)],
    ['💡'.repeat(255)],
    ['person\nway'.replace('\n', ' ')],
  ])('has the id as it was: %s', async (sub) => {
    const { session } = withOldSessions()
    expect((await session(await authjsCookies({ claims: { sub } })))?.user.id).toBe(sub)
  })

  test.each([
    ['none', undefined],
    ['an empty one', ''],
    ['a blank one', ' \t'],
    ['256 characters', 'x'.repeat(256)],
    ['a control character', 'a\nb'],
    ['a fraction', 1.5],
    ['an object', { toString: 'x' }],
    ['a list', ['7']],
    ['null', null],
    ['true', true],
  ])('needs a good id: %s signs no user in, and its cookie is kept', async (_, sub) => {
    const { get } = withOldSessions()
    const answer = await get(await authjsCookies({ claims: { sub } }))
    expect([answer.status, await answer.json(), answer.headers.getSetCookie()]).toEqual([
      200,
      null,
      [],
    ])
  })
})

describe('the cookies of an old session', () => {
  test.each([
    ['plain on http', { secure: false }, 'http://localhost:8787'],
    ['plain on https', { secure: false }, HTTPS],
    ['__Secure- on https', { secure: true }, HTTPS],
    ['__Secure- on http', { secure: true }, 'http://localhost:8787'],
    ['of another name', { name: 'app.sid' }, HTTPS],
    ['with another name, __Secure-', { name: 'app.sid', secure: true }, HTTPS],
  ])('are read and removed, with all parts: %s', async (_, given, at) => {
    const { browser } = withOldSessions({
      migrateFrom: [
        authjs({ secret: OLD_SECRET, until, ...('name' in given ? { cookie: given.name } : {}) }),
      ],
    })
    const jar = await authjsCookies({ ...given, claims: { note: 'x'.repeat(6_000) } })
    expect(jar.size).toBeGreaterThan(2)
    const one = browser(jar, at)
    const lines = removed(await one.get('/auth/session'))
    expect(lines.map((line) => line.split('=')[0])).toEqual([...jar.keys()])
    for (const line of lines) {
      expect(line).toContain('; Path=/;')
      if (line.startsWith('__Secure-')) expect(line).toContain('; Secure')
    }
    expect([...one.jar.keys()].filter((name) => jar.has(name))).toEqual([])
    expect(await one.session()).not.toBeNull()
  })

  test.each(['compact', 'jwt', 'jwe'] as const)(
    'cookies of better-auth: token and the %s copy, with its parts, with any prefix',
    async (strategy) => {
      const app = betterAuthApp({ strategy, prefix: 'shop', secure: true })
      const jar = await app.signUp('ada@example.com', 'Ada '.repeat(1_000))
      expect([...jar.keys()]).toContain('__Secure-shop.session_data.0')
      const migrateFrom = [betterAuth({ secret: OLD_SECRET, until, cookiePrefix: 'shop' })]
      const one = withOldSessions({ migrateFrom }).browser(jar, HTTPS)
      const lines = removed(await one.get('/auth/session'))
      expect(lines.map((line) => line.split('=')[0]).sort()).toEqual([...jar.keys()].sort())
      expect([...one.jar.keys()]).toEqual(['__Host-auth.session-token'])
      expect(await one.session()).toMatchObject({ user: { email: 'ada@example.com', name: null } })
    },
  )

  test('are not read beside a session of ours, and not by another one’s leave', async () => {
    const { browser, session } = withOldSessions()
    const one = browser(await authjsCookies({ claims: { sub: 'first' } }))
    await one.session()
    const other = await authjsCookies({ claims: { sub: 'second' } })
    const header = new Map([...one.jar, ...other])
    expect(await session(header)).toMatchObject({ user: { id: 'first' } })
    expect(await session(other)).toMatchObject({ user: { id: 'second' } })
  })

  test('are read beside a damaged cookie of ours', async () => {
    const { session } = withOldSessions()
    const jar = await authjsCookies()
    jar.set('auth.session-token', 'a.b.c')
    expect(await session(jar)).toMatchObject({ user: { id: '7' } })
  })

  test('cookie tossing: sessions of two people under one name sign no user in', async () => {
    const { auth, session } = withOldSessions()
    const [one, two] = [await authjsToken(), await authjsToken({ claims: { sub: 'eve' } })]
    const cookie = `authjs.session-token=${one}; authjs.session-token=${two}`
    const answer = await auth.request('/auth/session', { headers: { cookie } }, {})
    expect([await answer.json(), answer.headers.getSetCookie()]).toEqual([null, []])
    expect(await session(new Map([['authjs.session-token', one]]))).toMatchObject({
      user: { id: '7' },
    })
  })

  test('for one person twice: the latest session counts', async () => {
    const { auth } = withOldSessions()
    const older = await authjsToken({ claims: { name: 'Older' } })
    pass(60)
    const newer = await authjsToken({ claims: { name: 'Newer' } })
    const cookie = `authjs.session-token=${newer}; authjs.session-token=${older}`
    const answer = await auth.request('/auth/session', { headers: { cookie } }, {})
    expect(await answer.json()).toMatchObject({ user: { name: 'Newer' } })
  })
})

describe('an old session', () => {
  test.each([
    ['Auth.js', () => authjsCookies()],
    ['better-auth', () => betterAuthApp({ strategy: 'compact' }).signUp('ada@example.com')],
  ])('from %s brought by 100 requests at once begins one session', async (_, make) => {
    const { get, inner } = withOldSessions()
    const jar = await make()
    const answers = await Promise.all(Array.from({ length: 100 }, () => get(jar)))
    const found = await Promise.all(answers.map((answer) => answer.json()))
    expect(answers.map(({ status }) => status)).toEqual(Array(100).fill(200))
    const person = found.find((one) => one !== null) as { user: { id: string } }
    expect(found.filter((one) => one !== null)).toHaveLength(1)
    expect(answers.filter(({ headers }) => headers.getSetCookie().length > 0)).toHaveLength(1)
    expect(await inner.sessions.list(person.user.id)).toHaveLength(1)
  })

  test('is known by its jti: another text of it is not another session', async () => {
    const { session } = withOldSessions()
    const jar = await authjsCookies()
    expect(await session(jar)).not.toBeNull()
    const again = headerOf(jar).replace('session-token=', 'session-token="').concat('"')
    const [name = '', value = ''] = again.split(/=(.*)/s)
    expect(await session(new Map([[name, value]]))).toBeNull()
  })

  test('costs a replay one call of the ledger, and no write of a session', async () => {
    const { session, count, calls } = withOldSessions()
    const jar = await authjsCookies()
    await session(jar)
    calls.splice(0)
    await session(jar)
    expect(calls.map(({ name }) => name)).toEqual(['claimRefresh'])
    expect(count('put')).toBe(0)
  })

  test('is used up for as long as it could live, though the lease of its name is forgotten sooner', async () => {
    const { session, inner } = withOldSessions()
    const jar = await authjsCookies()
    expect(await session(jar)).not.toBeNull()
    for (const hours of [2, 48, 29 * 24 - 60]) {
      pass(hours * 3_600)
      expect(await session(jar)).toBeNull()
    }
    expect(await inner.sessions.list('7')).toHaveLength(1)
  })

  test('by a person who signed out everywhere since does not move in, while it could live', async () => {
    const [before, after] = [await authjsCookies(), await authjsCookies()]
    const { auth, session } = withOldSessions({ session: { maxAge: 3_600 } })
    pass(1)
    await auth.endSessions({ sub: '7' }, {})
    expect(await session(before)).toBeNull()
    pass(20 * 86_400)
    expect(await session(after)).toBeNull()
    expect(await session(await authjsCookies())).toMatchObject({ user: { id: '7' } })
  })

  test('by an erased person does not bring them back, while it could live', async () => {
    const old = await authjsCookies()
    const { auth, session, inner } = withOldSessions({ session: { maxAge: 3_600 } })
    pass(1)
    await auth.deletePerson('7', {})
    expect(await session(old)).toBeNull()
    pass(20 * 86_400)
    expect(await session(old)).toBeNull()
    expect(await inner.sessions.list('7')).toEqual([])
  })

  test('that is older than session.absoluteMaxAge allows signs no user in', async () => {
    const old = await authjsCookies({ maxAge: 200 * 86_400 })
    pass(91 * 86_400)
    const later = [authjs({ secret: OLD_SECRET, until: '2028-01-01' })]
    expect(await withOldSessions({ migrateFrom: later }).session(old)).toBeNull()
    const year = { maxAge: 30 * 86_400, absoluteMaxAge: 365 * 86_400 }
    expect(await withOldSessions({ migrateFrom: later, session: year }).session(old)).not.toBeNull()
  })

  test('is not read after `until`: nothing is read, removed or looked up', async () => {
    const { get, calls } = withOldSessions()
    const jar = await authjsCookies({ maxAge: 90 * 86_400 })
    pass((Date.parse(until) - Date.now()) / 1000)
    const answer = await get(jar)
    expect([await answer.json(), answer.headers.getSetCookie(), calls]).toEqual([null, [], []])
    expect(answer.headers.has('x-auth-moves-in')).toBe(false)
  })

  test('ends with a sign-out of a browser that has no session of ours yet', async () => {
    const jar = await authjsCookies()
    const { browser, session } = withOldSessions()
    const one = browser(jar)
    await one.submit('/auth/signout')
    expect([...one.jar.keys()]).not.toContain('authjs.session-token')
    expect(await session(jar)).toBeNull()
  })

  test('does not come back after a sign-in of its browser: the sign-in ends it', async () => {
    const jar = await authjsCookies()
    const { browser, session } = withOldSessions()
    const one = browser(jar)
    await one.signIn('one', 'bo')
    expect([...one.jar.keys()]).not.toContain('authjs.session-token')
    await one.submit('/auth/signout')
    expect(await one.session()).toBeNull()
    expect(await session(jar)).toBeNull()
  })
})

describe('the person’s id', () => {
  test('is what subject says, if it says anything: it is asked with the old id', async () => {
    const asked: unknown[] = []
    const { session } = withOldSessions({
      subject: ({ provider, account, user }) => {
        asked.push({ provider, id: account.providerAccountId, email: user.email })
        return account.providerAccountId === '7' ? 'person:7' : undefined
      },
    })
    expect(await session(await authjsCookies())).toMatchObject({ user: { id: 'person:7' } })
    expect(await session(await authjsCookies({ claims: { sub: '8' } }))).toMatchObject({
      user: { id: '8' },
    })
    expect(asked[0]).toEqual({ provider: 'authjs', id: '7', email: 'ada@example.com' })
  })

  test('a session that moved in claims no subject: an account may take it afterwards', async () => {
    const { browser, inner } = withOldSessions({ subject: () => 'person:7' })
    await browser(await authjsCookies()).session()
    expect(await inner.ledger.document('subject\nperson:7')).toBeUndefined()
    const one = browser()
    await one.signIn('one', 'ada')
    expect(claimsIn(one).sub).toBe('person:7')
  })

  test.each([['7\n8'], [''], [{}]])(
    'subject that says %j signs no user in, and the log names it',
    async (said) => {
      const { get, errors } = withOldSessions({ subject: () => said as string })
      const answer = await get(await authjsCookies())
      expect([answer.status, await answer.json(), answer.headers.getSetCookie()]).toEqual([
        200,
        null,
        [],
      ])
      expect(errors[0]?.message).toContain('subject')
    },
  )

  test('takeover: an old id that may be an account’s own signs no user in, also before that account comes', async () => {
    const { browser, session, lines } = withOldSessions()
    const attacker = await authjsCookies({ claims: { sub: await subjectOf('one', 'ada') } })
    expect(await session(attacker)).toBeNull()
    expect(lines).toMatchObject([{ event: 'sign-in-refused', error: 'AccessDenied' }])
    const victim = browser()
    await victim.signIn('one', 'ada')
    expect(await session(attacker)).toBeNull()
  })

  test('an id of that shape moves in if subject gives it, unless it is the own one of an account that was here', async () => {
    const given = withOldSessions({
      subject: ({ provider, account }) =>
        provider === 'authjs' ? account.providerAccountId : undefined,
    })
    const own = await subjectOf('one', 'ada')
    const victim = given.browser()
    await victim.signIn('one', 'ada')
    expect(claimsIn(victim).sub).toBe(own)
    // Only the victim's claim to their id is left.
    await victim.submit('/auth/signout')
    expect(await given.session(await authjsCookies({ claims: { sub: own } }))).toBeNull()
    const other = await subjectOf('one', 'grace')
    expect(await given.session(await authjsCookies({ claims: { sub: other } }))).toMatchObject({
      user: { id: other },
    })
  })
})

describe('the rights of a session that moved in', () => {
  const subject = () => '7'

  test('it is not a fresh sign-in for its ways, however new the old session is: its person signs in first', async () => {
    const { browser } = withOldSessions({ subject })
    const one = browser(await authjsCookies())
    await one.session()
    const add = await one.submit('/auth/ways/add', { provider: 'one' })
    const page = '/auth/signin?maxAge=300&callbackUrl=http%3A%2F%2Flocalhost%3A8787%2Faccount'
    expect(locationOf(add).replace('%2Fauth%2Faccount', '%2Faccount')).toBe(
      `http://localhost:8787${page}`,
    )
    const shown = await one.get(page)
    expect([shown.status, await shown.text()]).toEqual([
      200,
      expect.stringContaining('/auth/signin/one'),
    ])
  })

  test('an asked-for sign-in begins a session of its own, by any provider, and ends it', async () => {
    const { browser, copy } = withOldSessions({
      subject: ({ provider }) => (provider === 'authjs' ? undefined : 'other'),
    })
    const one = browser(await authjsCookies())
    await one.session()
    const before = copy(one)
    const start = await one.submit('/auth/signin/one', { maxAge: '300', callbackUrl: '/inbox' })
    const state = new URL(locationOf(start)).searchParams.get('state') ?? ''
    const back = await one.get(`/auth/callback/one?${new URLSearchParams({ code: 'ada', state })}`)
    expect(locationOf(back)).toBe('http://localhost:8787/inbox')
    expect(claimsIn(one)).toMatchObject({ sub: 'other', amr: ['one'] })
    expect(await (await before.get('/auth/session?online=1')).json()).toBeNull()
  })

  test('takeover: an id that is spelled as the way of another person’s address is not a way', async () => {
    const { browser } = withOldSessions()
    const one = browser(await authjsCookies({ claims: { sub: 'email:abcdefghijklmnopqrstuv' } }))
    await one.session()
    const { ways } = (await (await one.get('/auth/ways')).json()) as { ways: { id: string }[] }
    const own = await digest(['latchkey/way/v1', 'email:abcdefghijklmnopqrstuv'], 16)
    expect(ways).toMatchObject([{ provider: 'authjs', current: true }])
    expect(ways[0]?.id).not.toBe(own)
  })
})

describe('the app’s callbacks', () => {
  test('signIn and jwt get the person who moves in, with the old claims', async () => {
    const told: unknown[] = []
    const { session } = withOldSessions({
      callbacks: {
        signIn: ({ user, account, profile }) => told.push({ user, account, profile }) > 0,
        jwt: ({ token, trigger, account, profile }) => {
          told.push({ trigger, provider: account?.provider })
          return { ...token, role: profile?.role }
        },
        session: ({ session, token }) => ({ ...session, role: token.role }),
      },
    })
    const found = await session(await authjsCookies({ claims: { role: 'admin' } }))
    expect(found).toMatchObject({ user: { id: '7' }, role: 'admin' })
    expect(told).toMatchObject([
      {
        user: { id: '7', name: 'Ada' },
        account: { provider: 'authjs', providerAccountId: '7', userId: '7' },
        profile: { sub: '7', role: 'admin' },
      },
      { trigger: 'signIn', provider: 'authjs' },
    ])
  })

  test.each([
    ['signIn refuses', { signIn: () => false }],
    ['signIn leads elsewhere', { signIn: () => '/elsewhere' }],
    ['signIn throws', { signIn: () => Promise.reject(new Error('no')) }],
    ['jwt returns null', { jwt: () => null }],
    ['jwt throws', { jwt: () => Promise.reject(new Error('no')) }],
    ['session returns null', { session: () => null }],
  ])(
    '%s: no user is signed in, the cookie is kept, and it may move in later',
    async (_, callbacks) => {
      const jar = await authjsCookies()
      const { get, store, lines } = withOldSessions({ callbacks })
      const answer = await get(jar)
      expect([answer.status, await answer.json(), answer.headers.getSetCookie()]).toEqual([
        200,
        null,
        [],
      ])
      expect(lines).toMatchObject([{ event: 'sign-in-refused', provider: 'authjs' }])
      expect(await withOldSessions({ store }).session(jar)).toMatchObject({ user: { id: '7' } })
    },
  )
})

describe('faults', () => {
  test.each([
    ['put', fails],
    ['put', hangs],
    ['claimRefresh', fails],
    ['claimRefresh', hangs],
    ['isRevoked', fails],
    ['consume', fails],
  ] as const)(
    '%s %s: 503, no user is signed in, the cookie is kept, and moves in afterwards',
    async (method, fault) => {
      takeTimers()
      const jar = await authjsCookies()
      const { get, faults, session, inner } = withOldSessions()
      faults.set(method, fault)
      const answer = await waitedFor(get(jar))
      expect([answer.status, answer.headers.getSetCookie()]).toEqual([503, []])
      faults.clear()
      expect(await inner.sessions.list('7')).toEqual([])
      expect(await session(jar)).toMatchObject({ user: { id: '7' } })
    },
  )

  test('a ledger that used the old session up, but lost its answer, begins none', async () => {
    const jar = await authjsCookies()
    const { get, faults, session, inner } = withOldSessions()
    faults.set('consume', async (...args) => {
      await inner.ledger.consume(...(args as [string, number]))
      throw new Error('The answer was lost.')
    })
    expect((await get(jar)).status).toBe(503)
    faults.clear()
    expect(await session(jar)).toBeNull()
    expect(await inner.sessions.list('7')).toEqual([])
  })

  test('a process that stops halfway leaves the session to another try after half a minute', async () => {
    const jar = await authjsCookies()
    const { get, faults, session } = withOldSessions()
    faults.set('put', fails)
    faults.set('settleRefresh', fails)
    await get(jar)
    faults.clear()
    expect(await session(jar)).toBeNull()
    pass(31)
    expect(await session(jar)).toMatchObject({ user: { id: '7' } })
  })
})

describe('options', () => {
  const secret = OLD_SECRET
  test.each([
    ['until', { secret }],
    ['until', { secret, until: '' }],
    ['until', { secret, until: 'next year' }],
    ['until', { secret, until: '2026-13-01' }],
    ['until', { secret, until: new Date(Number.NaN) }],
    ['until', { secret, until: 1_793_491_200 }],
    ['secret', { until, secret: '' }],
    ['secret', { until, secret: ' ' }],
    ['secret', { until, secret: [] }],
    ['secret', { until, secret: [secret, undefined] }],
    ['secret', { until, secret: 7 }],
  ])('are refused at the start by name: %s in %j', (name, options) => {
    for (const make of [authjs, betterAuth]) {
      expect(() => make(options as never)).toThrow(`${make.name}() needs \`${name}\``)
      expect(() => make(options as never)).not.toThrow(secret)
    }
  })

  test('a secret that is missing is refused by name when the service starts, and not while an app is built', async () => {
    for (const make of [authjs, betterAuth]) {
      const { get, errors } = withOldSessions({ migrateFrom: [make({ secret: undefined, until })] })
      expect((await get(new Map())).status).toBe(500)
      expect(errors[0]?.message).toContain(`${make.name}() needs \`secret\``)
    }
  })

  test('others too', () => {
    expect(() => authjs({ secret, until, cookie: 'a b' })).toThrow('`cookie` of authjs()')
    expect(() => betterAuth({ secret, until, cookiePrefix: '' })).toThrow(
      '`cookiePrefix` of betterAuth()',
    )
    const findSession = 'select' as never
    expect(() => betterAuth({ secret, until, findSession })).toThrow('`findSession`')
  })

  test.each([
    [['authjs']],
    ['authjs'],
    [[{ id: 'authjs', until: 9e15, cookies: ['x'] }]],
    [[null]],
  ])('migrateFrom takes no %j', async (migrateFrom) => {
    const { get, errors } = withOldSessions({ migrateFrom: migrateFrom as never })
    expect((await get(new Map())).status).toBe(500)
    expect(errors[0]?.message).toContain('migrateFrom')
  })

  test('no entry at all moves no user in', async () => {
    expect(await withOldSessions({ migrateFrom: [] }).session(await authjsCookies())).toBeNull()
  })

  test('`until` may be a Date, and each secret of an array counts', async () => {
    const entry = authjs({ secret: ['another', OLD_SECRET], until: new Date(until) })
    const { session } = withOldSessions({ migrateFrom: [entry] })
    expect(await session(await authjsCookies())).not.toBeNull()
    expect(await session(await authjsCookies({ secret: 'another' }))).not.toBeNull()
  })
})
