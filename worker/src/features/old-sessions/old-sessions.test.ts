import { OLD_SESSIONS_HEADER } from '@latchkey/host/shared'
import { expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { authjsCookies, authjsToken, headerOf } from '../../../../test/support/old-cookies.js'
import { InvalidConfiguration } from '../../errors.js'
import { authjs } from '../../migrate.js'
import { claimsIn } from '../../test-support/browser.js'
import { withDocuments } from '../../test-support/documents.js'
import { fails } from '../../test-support/faulty.js'
import { withOldSessions } from '../../test-support/old-sessions.js'
import type { Migration } from '../../types/old-sessions.js'
import type { OldSession } from './continue-session.js'
import type { SourcesReader } from './index.js'
import type { OldPerson } from './old-person.js'
import { source } from './source.js'

const { pass } = clock()

const NOW = Date.UTC(2026, 10, 1)
const DAY = 86_400

type PersonAnswer = Partial<OldPerson> | undefined | (() => never)

/** A library with a cookie `old`, which brings the sessions of these people. */
function bringing(
  people: readonly PersonAnswer[],
  { until = NOW + DAY * 1_000, name = 'old' } = {},
) {
  const all: OldSession[] = people.map((given, at) => ({
    handle: `handle-${at}`,
    ends: NOW / 1_000 + DAY,
    person: async () => {
      if (typeof given === 'function') return given()
      const whole = { id: '7', name: 'Ada', email: null, image: null, profile: {} }
      return given && { ...whole, since: NOW / 1_000 - 60, ...given }
    },
  }))
  const find = async (_header: string, one: string) => (one === name ? all : [])
  const id = 'authjs' as const
  return source({ id, until, cookies: [name], fault: undefined, removed: [name], find })
}

const world = (migrateFrom: readonly Migration[], changes = {}) =>
  withOldSessions({ migrateFrom: [...migrateFrom], ...changes })
const jar = new Map([['old', 'x']])
const together = (first: Migration, ...others: Migration[]) =>
  (first.reader as SourcesReader).together([first, ...others])

it('may come until the last library’s day, while a cookie has one of their names', async () => {
  const [first, last] = [
    bringing([{}]),
    bringing([{}], { until: NOW + 2 * DAY * 1_000, name: 'b' }),
  ]
  const { requestWith } = await withDocuments({})
  for (const sources of [together(first, last), together(last, first)]) {
    expect(sources.until).toBe(last.until)
    const comes = () =>
      ['', 'x=old', 'old=x', 'b=x', 'c=x'].map((one) => sources.mayCome(requestWith(one)))
    expect(comes()).toEqual([false, true, true, true, false])
    pass(DAY)
    expect(comes()).toEqual([false, false, false, true, false])
    pass(DAY)
    expect(comes()).toEqual([false, false, false, false, false])
    pass(-2 * DAY)
  }
})

it('a visitor is marked as perhaps having old sessions, while there may be some', async () => {
  const { get } = world([bringing([]), bringing([], { until: NOW + 2 * DAY * 1_000, name: 'b' })])
  const says = async () => (await get(new Map())).headers.get(OLD_SESSIONS_HEADER)
  expect(await says()).toBe('1')
  pass(DAY)
  expect(await says()).toBe('1')
  pass(DAY)
  expect(await says()).toBeNull()
})

it('attack: a session that is over, beside an old cookie, does not make an app that forwards stop asking', async () => {
  const { browser, get, copy } = world([bringing([])])
  const one = browser(jar)
  await one.signIn('one', 'ada')
  const thief = copy(one)
  await one.submit('/auth/signout')
  // The token has to be renewed then.
  pass(600)
  const answer = await get(thief.jar)
  expect(await answer.json()).toBeNull()
  expect(answer.headers.get(OLD_SESSIONS_HEADER)).toBe('1')
})

it('the app hears of the new session', async () => {
  const heard: unknown[] = []
  const events = { session: (message: unknown) => void heard.push(message) }
  const { session } = world([bringing([{}])], { events })
  const given = await session(jar)
  expect(given).toMatchObject({ user: { id: '7' } })
  expect(heard).toEqual([{ session: given }])
})

it('among several of one person the latest goes on, and sessions that are over are not counted', async () => {
  const began = (ago: number) => ({ since: NOW / 1_000 - ago })
  for (const people of [
    [began(300), began(60), began(120)],
    [began(60), began(300)],
    [undefined, began(60)],
    [began(60), undefined, began(61)],
  ]) {
    const { browser } = world([bringing(people)])
    const one = browser(jar)
    await one.session()
    expect(claimsIn(one).auth_time).toBe(NOW / 1_000 - 60)
  }
})

it.each<[string, readonly PersonAnswer[]]>([
  ['several that are over', [undefined, undefined]],
  ['one that is over', [undefined]],
  ['one whose person has no id', [{ id: {} }]],
  ['one that has lasted as long as a session may', [{ since: NOW / 1_000 - 90 * DAY }]],
])('%s: no user is signed in, and that is not a fault', async (_, people) => {
  const { session, errors, lines } = world([bringing(people)])
  expect(await session(jar)).toBeNull()
  expect([errors, lines]).toEqual([[], []])
})

it('one that has lasted a second less goes on', async () => {
  const { session } = world([bringing([{ since: NOW / 1_000 - 90 * DAY + 1 }])])
  expect(await session(jar)).not.toBeNull()
})

it('a failure is logged, with its library, and does not affect other requests', async () => {
  const reason = new RangeError('x')
  const { session, errors, lines } = world([
    bringing([
      () => {
        throw reason
      },
    ]),
  ])
  expect(await session(jar)).toBeNull()
  expect(errors).toMatchObject([{ message: 'Moving in failed.', cause: { err: reason } }])
  expect(lines).toMatchObject([{ event: 'sign-in-refused', provider: 'authjs' }])
})

it('a store that cannot be asked is logged as that, and not as a refusal', async () => {
  const { get, faults, lines, errors } = world([bringing([{}])])
  faults.set('claimRefresh', fails)
  expect((await get(jar)).status).toBe(503)
  expect(lines).toEqual([])
  expect(errors).toMatchObject([{ message: 'Could not use the ledger.' }])
})

it('a signIn callback that redirects signs no user in, and the log says why', async () => {
  const callbacks = { signIn: () => '/elsewhere' }
  const { session, errors, lines } = world([bringing([{}])], { callbacks })
  expect(await session(jar)).toBeNull()
  expect(errors).toMatchObject([
    { message: 'The signIn callback redirected a user with an old session.' },
  ])
  expect(lines).toMatchObject([{ event: 'sign-in-refused', provider: 'authjs' }])
})

it('a service whose cookie no browser would keep uses no old session up', async () => {
  const { session, errors, count, env } = world([bringing([{}])])
  Object.assign(env, { AUTH_COOKIE_DOMAIN: 'app.example' })
  expect(await session(jar)).toBeNull()
  expect(errors[0]).toBeInstanceOf(InvalidConfiguration)
  expect(count('consume')).toBe(0)
})

it('is used up under a name that every version knows, and remembered for an hour beside', async () => {
  const { session, calls } = world([bringing([{}])])
  await session(jar)
  const args = (method: string) => calls.find(({ name }) => name === method)?.args
  const name = 'moved:p7xk9Jglmo-Ijas6nS42ECTBtwhmrpIunVbKX38ZCMQ'
  expect(args('claimRefresh')).toEqual([name, 0, NOW / 1_000 + 3_600])
  expect(args('consume')).toEqual([name, NOW / 1_000 + DAY])
  expect(args('isRevoked')?.[0]).toBe('')
})

it('a fault after it was used up is logged, and the person is signed in', async () => {
  const { session, faults, errors } = world([bringing([{}])])
  faults.set('settleRefresh', fails)
  expect(await session(jar)).not.toBeNull()
  expect(errors).toMatchObject([{ message: 'Could not write the ledger.' }])
})

it('a sign-out removes the cookies of a session that is one, and no others', async () => {
  const until = new Date(NOW + DAY * 1_000)
  const secret = 'the-secret-of-the-old-app-0123456789abcdef'
  const gone = async (cookies: ReadonlyMap<string, string>) => {
    const one = world([authjs({ secret, until })]).browser(cookies)
    await one.submit('/auth/signout')
    return [...cookies.keys()].filter((name) => !one.jar.has(name))
  }
  expect(await gone(await authjsCookies())).toEqual(['authjs.session-token'])
  const forged = await authjsToken({ secret: 'x'.repeat(32) })
  expect(await gone(new Map([['authjs.session-token', forged]]))).toEqual([])
})

it('a cookie is removed as secure if its name begins so, and not if it says so within', async () => {
  const secret = 'the-secret-of-the-old-app-0123456789abcdef'
  const cookie = 'app.__Secure-sid'
  const until = new Date(NOW + DAY * 1_000)
  const cookies = await authjsCookies({ name: cookie })
  const answer = await world([authjs({ secret, until, cookie })]).get(cookies)
  const [line] = answer.headers.getSetCookie().filter((one) => one.startsWith(cookie))
  expect(headerOf(cookies)).toContain(cookie)
  expect(line).toContain('Max-Age=0')
  expect(line).not.toContain('Secure;')
})
