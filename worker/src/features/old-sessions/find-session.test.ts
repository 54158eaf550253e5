import { afterEach, describe, expect, test, vi } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { betterAuthApp, type Jar, OLD_SECRET } from '../../../../test/support/old-cookies.js'
import { type BetterAuthOptions, betterAuth } from '../../migrate.js'
import { claimsIn, everythingIn } from '../../test-support/browser.js'
import { hangs } from '../../test-support/faulty.js'
import { until, withOldSessions } from '../../test-support/old-sessions.js'
import { waitedFor } from '../../test-support/time.js'

const { pass, takeTimers } = clock()
afterEach(() => vi.restoreAllMocks())

type Find = NonNullable<BetterAuthOptions['findSession']>

const service = (findSession: Find, changes = {}) =>
  withOldSessions({
    migrateFrom: [betterAuth({ secret: OLD_SECRET, until, findSession })],
    ...changes,
  })

async function isNobody(jar: Jar, { get }: ReturnType<typeof withOldSessions>) {
  const answer = await waitedFor(get(jar))
  expect([answer.status, await answer.json(), answer.headers.getSetCookie()]).toEqual([
    200,
    null,
    [],
  ])
}

describe('findSession', () => {
  test('is asked with the token alone, and its answer moves in', async () => {
    const app = betterAuthApp()
    const jar = await app.signUp('ada@example.com')
    const findSession = vi.fn(app.findSession)
    const { session } = service(findSession)
    expect(await session(jar)).toMatchObject({ user: { email: 'ada@example.com' } })
    expect(findSession.mock.calls).toEqual([[jar.get('better-auth.session_token')?.split('.')[0]]])
  })

  test('is not asked while the copy counts, for an unsigned token, or for one that moved in', async () => {
    const app = betterAuthApp({ strategy: 'compact' })
    const jar = await app.signUp('ada@example.com')
    const findSession = vi.fn(app.findSession)
    const { session } = service(findSession)
    await session(new Map([['better-auth.session_token', `a.${'A'.repeat(43)}=`]]))
    await session(jar)
    jar.delete('better-auth.session_data')
    expect(await session(jar)).toBeNull()
    expect(findSession).not.toHaveBeenCalled()
  })

  test('is asked after the copy’s end, and decides: a session that was deleted meanwhile is over', async () => {
    const app = betterAuthApp({ strategy: 'jwe' })
    const [jar, gone] = [await app.signUp('ada@example.com'), await app.signIn('ada@example.com')]
    pass(301)
    const { session } = service(app.findSession)
    expect(await session(jar)).not.toBeNull()
    await (await app.auth.$context).internalAdapter.deleteSession(
      gone.get('better-auth.session_token')?.split('.')[0] ?? '',
    )
    expect(await session(gone)).toBeNull()
  })

  test('for a session that has ended answers no user', async () => {
    const app = betterAuthApp()
    const jar = await app.signUp('ada@example.com')
    pass(7 * 86_400)
    await isNobody(jar, service(app.findSession))
  })

  test.each([[null], [undefined]])('may answer %s, which is not a fault', async (answer) => {
    const jar = await betterAuthApp().signUp('ada@example.com')
    const one = service(() => answer)
    await isNobody(jar, one)
    expect(one.errors).toEqual([])
  })

  test('is asked of the last four copies’ sessions only if none of them counts', async () => {
    const app = betterAuthApp({ strategy: 'compact' })
    const jar = await app.signUp('ada@example.com')
    const [token, data] = ['better-auth.session_token', 'better-auth.session_data']
    const copy = `${data}=${jar.get(data)}`
    const findSession = vi.fn<Find>(() => null)
    const isMovedIn = async (...copies: string[]) => {
      const cookie = [`${token}=${jar.get(token)}`, ...copies].join('; ')
      const { auth } = service(findSession)
      const answer = await auth.request('/auth/session', { headers: { cookie } }, {})
      return (await answer.json()) !== null
    }
    const tossed = Array.from({ length: 4 }, (_, at) => `${data}=${at}`)
    expect(await isMovedIn(copy, ...tossed.slice(1))).toBe(true)
    expect(findSession).not.toHaveBeenCalled()
    expect(await isMovedIn(copy, ...tossed)).toBe(false)
    expect(findSession).toHaveBeenCalledTimes(1)
  })

  test('a token is used up for 90 days after the last day of moving in', async () => {
    const app = betterAuthApp()
    const entry = (date: string) => ({
      migrateFrom: [betterAuth({ secret: OLD_SECRET, until: date, findSession: app.findSession })],
    })
    const late = withOldSessions(entry('2026-11-01T00:00:10.500Z'))
    await late.session(await app.signUp('ada@example.com'))
    const [use] = late.calls.filter(({ name }) => name === 'consume')
    expect(use?.args[1]).toBe(Date.UTC(2026, 10, 1, 0, 0, 11) / 1_000 + 90 * 86_400)
  })

  test('its answer is the profile, and the log names the library that the person came from', async () => {
    const app = betterAuthApp()
    const profiles: unknown[] = []
    const jwt = ({ token, profile }: { token: object; profile?: unknown }) => {
      if (profile) profiles.push(profile)
      return token
    }
    const { session, lines } = service(app.findSession, { callbacks: { jwt } })
    await session(await app.signUp('ada@example.com'))
    expect(profiles).toMatchObject([
      { session: { token: expect.any(String) }, user: { email: 'ada@example.com' } },
    ])
    expect(lines).toMatchObject([{ event: 'moved-in', provider: 'better-auth' }])
  })

  test.each<[string, Find, string?]>([
    [
      'throws',
      () => {
        throw new Error('down')
      },
      'down',
    ],
    ['rejects', () => Promise.reject(new Error('down')), 'down'],
    ['hangs', hangs],
    ['answers a text', () => 'rubbish' as never],
    ['answers a list', () => [] as never],
    ['answers a session without a user', async () => ({ session: {} }) as never],
  ])(
    'that %s signs no user in, keeps the cookie, is logged, and may answer later',
    async (_, findSession, reason) => {
      takeTimers()
      const app = betterAuthApp()
      const jar = await app.signUp('ada@example.com')
      const broken = service(findSession)
      await isNobody(jar, broken)
      expect(broken.errors[0]?.message).toContain('findSession')
      if (reason !== undefined) expect(everythingIn(broken.errors[0])).toContain(reason)
      expect(JSON.stringify([broken.lines, broken.errors.map(String)])).not.toContain(
        jar.get('better-auth.session_token')?.split('.')[0],
      )
      const { session } = service(app.findSession, { store: broken.store })
      expect(await waitedFor(session(jar))).not.toBeNull()
    },
  )

  test.each<[string, (found: Record<string, Record<string, unknown>>) => object]>([
    ['another token', ({ session, user }) => ({ session: { ...session, token: 'another' }, user })],
    ['another user', ({ session, user }) => ({ session, user: { ...user, id: 'eve' } })],
    ['another userId', ({ session, user }) => ({ session: { ...session, userId: 'eve' }, user })],
    ['no userId', ({ session, user }) => ({ session: { ...session, userId: undefined }, user })],
    [
      'no createdAt',
      ({ session, user }) => ({ session: { ...session, createdAt: undefined }, user }),
    ],
    [
      'a createdAt that is null',
      ({ session, user }) => ({ session: { ...session, createdAt: null }, user }),
    ],
    [
      'a createdAt before 1970',
      ({ session, user }) => ({ session: { ...session, createdAt: -1 }, user }),
    ],
    [
      'a createdAt to come',
      ({ session, user }) => ({ session: { ...session, createdAt: Date.now() + 120_000 }, user }),
    ],
    [
      'an invalid expiresAt',
      ({ session, user }) => ({ session: { ...session, expiresAt: 'soon' }, user }),
    ],
    [
      'an id that is an object',
      ({ session, user }) => ({ session: { ...session, userId: {} }, user: { ...user, id: {} } }),
    ],
  ])('that answers %s gets an error about parts that do not fit', async (_, change) => {
    const app = betterAuthApp()
    const jar = await app.signUp('ada@example.com')
    const broken = service(
      async (token) => change((await app.findSession(token)) as never) as never,
    )
    await isNobody(jar, broken)
    expect(broken.errors[0]?.message).toContain('belong together')
  })

  test.each([
    ['texts', (date: Date) => date.toISOString()],
    ['numbers', (date: Date) => date.getTime()],
  ])('may answer times as %s, and ids as numbers', async (_, write) => {
    const app = betterAuthApp()
    const jar = await app.signUp('ada@example.com')
    const { session } = service(async () => ({
      session: {
        userId: 42,
        createdAt: write(new Date()),
        expiresAt: write(new Date(Date.now() + 1_000)),
      },
      user: { id: '42', name: 'Ada' },
    }))
    expect(await session(jar)).toMatchObject({ user: { id: '42', name: 'Ada', email: null } })
  })

  test.each([
    ['lately', -30, 30],
    ['by a clock that is a minute ahead', 60, 0],
  ])('for a session that began %s: it goes on since then', async (_, ahead, age) => {
    const app = betterAuthApp()
    const jar = await app.signUp('ada@example.com')
    const one = service(async (token) => {
      const found = await app.findSession(token)
      const createdAt = Date.now() + ahead * 1_000
      return found && { ...found, session: { ...found.session, createdAt } }
    })
    const browser = one.browser(jar)
    await browser.session()
    expect(claimsIn(browser).auth_time).toBe(Math.floor(Date.now() / 1_000) - age)
  })

  test('for a session since 1970 says that it is over', async () => {
    const app = betterAuthApp()
    const jar = await app.signUp('ada@example.com')
    const one = service(async (token) => {
      const found = await app.findSession(token)
      return found && { ...found, session: { ...found.session, createdAt: 0 } }
    })
    await isNobody(jar, one)
    expect(one.errors).toEqual([])
  })

  test('is asked once by 100 requests at once', async () => {
    const app = betterAuthApp()
    const jar = await app.signUp('ada@example.com')
    const findSession = vi.fn(app.findSession)
    const { get } = service(findSession)
    await Promise.all(Array.from({ length: 100 }, () => get(jar)))
    expect(findSession).toHaveBeenCalledTimes(1)
  })

  test('is asked 300 times in a minute for a network whose sessions are all over, and others go on', async () => {
    const app = betterAuthApp()
    const jar = await app.signUp('ada@example.com')
    const findSession = vi.fn<Find>(() => null)
    const { auth, env } = service(findSession)
    const from = async (address: string) => {
      const cookie = [...jar].map((pair) => pair.join('=')).join('; ')
      const headers = { cookie, 'cf-connecting-ip': address }
      return (await auth.request('/auth/session', { headers }, env)).json()
    }
    for (let tries = 0; tries < 150; tries++) await from('192.0.2.1')
    // An ended session does not count either.
    findSession.mockImplementation(async (token) => {
      const found = await app.findSession(token)
      return found && { ...found, session: { ...found.session, expiresAt: Date.now() } }
    })
    for (let tries = 0; tries < 160; tries++) await from('192.0.2.1')
    expect(findSession).toHaveBeenCalledTimes(300)
    await from('192.0.2.2')
    expect(findSession).toHaveBeenCalledTimes(301)
    pass(60)
    findSession.mockImplementation(app.findSession)
    expect(await from('192.0.2.1')).toMatchObject({ user: { email: 'ada@example.com' } })
  })

  test('is asked of any number of sessions of a network that count', async () => {
    const secret = new TextEncoder().encode(OLD_SECRET)
    const hmac = { name: 'HMAC', hash: 'SHA-256' }
    const key = await crypto.subtle.importKey('raw', secret, hmac, false, ['sign'])
    const findSession = vi.fn<Find>((token) => ({
      session: { token, userId: token, createdAt: Date.now(), expiresAt: Date.now() + 60_000 },
      user: { id: token },
    }))
    const { session } = service(findSession)
    for (let at = 0; at < 310; at++) {
      const mac = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(`token-${at}`))
      const cookie = encodeURIComponent(`token-${at}.${Buffer.from(mac).toString('base64')}`)
      expect(await session(new Map([['better-auth.session_token', cookie]]))).not.toBeNull()
    }
    expect(findSession).toHaveBeenCalledTimes(310)
  })
})
