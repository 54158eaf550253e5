import { authjs, betterAuth } from '@latchkey/worker/migrate'
import { expect, test } from 'vitest'
import { authjsCookies, betterAuthApp, type Jar, OLD_SECRET } from '../support/old-cookies.ts'
import { Browser, keysOf, service } from './support.ts'

const until = new Date(Date.now() + 86_400_000)
const migrateFrom = [
  authjs({ secret: OLD_SECRET, until }),
  betterAuth({ secret: OLD_SECRET, until }),
]

/** A browser with these cookies, at an isolate of its own. */
function visitor(jar: Jar): Browser {
  const browser = new Browser(service({ migrateFrom }))
  for (const [name, value] of jar) browser.cookies.set(name, value)
  return browser
}

test.each<[string, () => Promise<Jar>]>([
  ['Auth.js', () => authjsCookies({ claims: { sub: `person-${crypto.randomUUID()}` } })],
  ['better-auth, compact', () => betterAuthApp({ strategy: 'compact' }).signUp('ada@example.com')],
  ['better-auth, jwt', () => betterAuthApp({ strategy: 'jwt' }).signUp('ada@example.com')],
  ['better-auth, jwe', () => betterAuthApp({ strategy: 'jwe' }).signUp('ada@example.com')],
])(
  'a session of %s moves in once among 20 isolates, with real KV and Durable Objects',
  async (_, make) => {
    const jar = await make()
    const browsers = Array.from({ length: 20 }, () => visitor(jar))
    const found = await Promise.all(browsers.map((browser) => browser.session()))
    const winner = browsers[found.findIndex((session) => session !== null)] as Browser
    expect(found.filter((session) => session !== null)).toHaveLength(1)
    expect([...winner.cookies.keys()]).toEqual(['auth.session-token'])
    expect(await winner.session()).not.toBeNull()
    expect(await keysOf(`session:${winner.claims.sub}:`)).toHaveLength(1)
    expect(await visitor(jar).session()).toBeNull()
    await winner.post('/auth/signout')
    expect(await winner.session()).toBeNull()
    expect(await visitor(jar).session()).toBeNull()
  },
)
