import { expect, test } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { often } from '../../../../test/support/holds.js'
import {
  authjsCookies,
  betterAuthApp,
  type Jar,
  OLD_SECRET,
} from '../../../../test/support/old-cookies.js'
import { authjs, betterAuth } from '../../migrate.js'
import { memoryStore } from '../../stores/memory.js'
import { until, withOldSessions } from '../../test-support/old-sessions.js'

clock()

interface Visitor {
  readonly id: string
  readonly jar: Jar
  readonly at?: string
}

/** Five thousand people by night with cookies of Auth.js: half of them `__Secure-`, one in a hundred in parts. */
async function authjsVisitors(): Promise<readonly Visitor[]> {
  const numbers = Array.from({ length: often(5_000) }, (_, number) => number)
  return Promise.all(
    numbers.map(async (number) => {
      const id = `person-${number}`
      const long = number % 100 === 0 ? { note: 'x'.repeat(6_000) } : {}
      const secure = number % 2 === 1
      const jar = await authjsCookies({ claims: { sub: id, ...long }, secure })
      return { id, jar, ...(secure ? { at: 'https://app.example' } : {}) }
    }),
  )
}

/** Ten people with 125 sessions each by night. */
async function betterAuthVisitors(app: ReturnType<typeof betterAuthApp>): Promise<Visitor[]> {
  const visitors: Visitor[] = []
  for (let person = 0; person < 10; person++) {
    const email = `person-${person}@example.com`
    await app.signUp(email)
    const found = await (await app.auth.$context).internalAdapter.findUserByEmail(email)
    const id = found?.user.id ?? ''
    for (let number = 0; number < often(125); number++)
      visitors.push({ id, jar: await app.signIn(email) })
  }
  return visitors
}

// A busy machine takes a minute or two.
test('cookies made by @auth/core and better-auth themselves move in, each once: 10,000 by night', async () => {
  const looked = betterAuthApp()
  const apps = (['compact', 'jwt', 'jwe'] as const).map((strategy) => betterAuthApp({ strategy }))
  const visitors = [
    await authjsVisitors(),
    ...(await Promise.all([...apps, looked].map(betterAuthVisitors))),
  ].flat()
  expect(visitors).toHaveLength(often(5_000) + 40 * often(125))
  const { findSession } = looked
  const { session } = withOldSessions({
    store: memoryStore(),
    migrateFrom: [
      authjs({ secret: OLD_SECRET, until }),
      betterAuth({ secret: OLD_SECRET, until, findSession }),
    ],
  })
  // A hundred at a time: what all of them waited for would be given up by its own limits.
  const visit = async () => {
    const seen: unknown[] = []
    for (let at = 0; at < visitors.length; at += 100) {
      const some = visitors.slice(at, at + 100)
      seen.push(
        ...(await Promise.all(some.map(async ({ jar, at }) => (await session(jar, at))?.user.id))),
      )
    }
    return seen
  }
  expect(await visit()).toEqual(visitors.map(({ id }) => id))
  expect(new Set(await visit())).toEqual(new Set([undefined]))
}, 600_000)
