import { headerOf, OLD_SECRET } from '../../../test/support/old-cookies.js'
import { createAuth } from '../index.js'
import { authjs, betterAuth } from '../migrate.js'
import type { Stores } from '../stores/ports.js'
import type { AuthConfig } from '../types.js'
import { Browser, configWith, copyOf } from './browser.js'
import { faulty } from './faulty.js'
import { accountsAt } from './people.js'

export const until = '2027-01-01'

/** A service that takes in sessions of both libraries, and browsers that bring them. */
export function withOldSessions(
  changes: Partial<AuthConfig> = {},
  { inner }: { inner?: Stores } = {},
) {
  const errors: Error[] = []
  const lines: { readonly event: string; readonly error?: string }[] = []
  const watched = faulty(inner)
  const config = configWith({
    providers: [accountsAt('one')],
    migrateFrom: [authjs({ secret: OLD_SECRET, until }), betterAuth({ secret: OLD_SECRET, until })],
    store: watched.store,
    logger: {
      error: (error) => void errors.push(error),
      warn: () => {},
      debug: () => {},
      info: (line) => void lines.push(line),
    },
    ...changes,
  })
  const auth = createAuth(config)
  // A process counts by its environment.
  const env = {}
  const answer = (request: Request) => auth.fetch(request, env)
  const get = (
    jar: ReadonlyMap<string, string>,
    path = '/auth/session',
    at = 'http://localhost:8787',
  ) => answer(new Request(at + path, { headers: { cookie: headerOf(jar) } }))
  return {
    ...watched,
    auth,
    env,
    config,
    errors,
    lines,
    get,
    /** The session that a browser with these cookies is given. */
    async session(jar: ReadonlyMap<string, string>, at?: string) {
      return (await (await get(jar, '/auth/session', at)).json()) as {
        readonly user: Record<string, unknown>
        readonly expires: string
      } | null
    },
    browser(jar: ReadonlyMap<string, string> = new Map(), at?: string) {
      const browser = new Browser(config, { answer, ...(at === undefined ? {} : { at }) })
      for (const [name, value] of jar) browser.jar.set(name, value)
      return browser
    },
    copy: (browser: Browser) => copyOf(browser, config, { answer }),
    /** How often a method of the stores was called. */
    count: (name: string) => watched.calls.filter((call) => call.name === name).length,
  }
}
