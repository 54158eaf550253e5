import { afterEach, describe, expect, test, vi } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { betterAuthApp, type Jar, OLD_SECRET } from '../../../test/support/old-cookies.js'
import { type BetterAuthOptions, betterAuth } from '../migrate.js'
import { hangs } from '../test-support/faulty.js'
import { movingIn, until } from '../test-support/moving-in.js'
import { waitedFor } from '../test-support/time.js'

const { pass, takeTimers } = clock()
afterEach(() => vi.restoreAllMocks())

type Find = NonNullable<BetterAuthOptions['findSession']>

const service = (findSession: Find, changes = {}) =>
  movingIn({ migrateFrom: [betterAuth({ secret: OLD_SECRET, until, findSession })], ...changes })

async function isNobody(jar: Jar, { get }: ReturnType<typeof movingIn>) {
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

  test('is not asked while the copy counts, nor for a token that nobody signed, nor for one that moved in', async () => {
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

  test('of a session that has ended answers nobody', async () => {
    const app = betterAuthApp()
    const jar = await app.signUp('ada@example.com')
    pass(7 * 86_400)
    await isNobody(jar, service(app.findSession))
  })

  test.each<[string, Find]>([
    [
      'throws',
      () => {
        throw new Error('down')
      },
    ],
    ['rejects', () => Promise.reject(new Error('down'))],
    ['hangs', hangs],
    ['answers a text', () => 'rubbish' as never],
    ['answers a list', () => [] as never],
    ['answers a session without a user', async () => ({ session: {} }) as never],
  ])(
    'that %s signs nobody in, keeps the cookie, is told in the log, and may answer later',
    async (_, findSession) => {
      takeTimers()
      const app = betterAuthApp()
      const jar = await app.signUp('ada@example.com')
      const broken = service(findSession)
      await isNobody(jar, broken)
      expect(broken.errors[0]?.message).toContain('findSession')
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
      'a createdAt to come',
      ({ session, user }) => ({ session: { ...session, createdAt: Date.now() + 120_000 }, user }),
    ],
    [
      'an expiresAt that is none',
      ({ session, user }) => ({ session: { ...session, expiresAt: 'soon' }, user }),
    ],
    [
      'an id that is an object',
      ({ session, user }) => ({ session: { ...session, userId: {} }, user: { ...user, id: {} } }),
    ],
  ])('that answers %s is told to answer what does not belong together', async (_, change) => {
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
    for (let tries = 0; tries < 310; tries++) await from('192.0.2.1')
    expect(findSession).toHaveBeenCalledTimes(300)
    await from('192.0.2.2')
    expect(findSession).toHaveBeenCalledTimes(301)
    pass(60)
    findSession.mockImplementation(app.findSession)
    expect(await from('192.0.2.1')).toMatchObject({ user: { email: 'ada@example.com' } })
  })
})
