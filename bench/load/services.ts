import type { Browser, Route } from './browser.ts'
import type { Answer } from './exchange.ts'

export const ORIGIN = 'https://bench.example'

/** A person that the sandbox knows. */
export interface Person {
  readonly id: string
  readonly name: string
}

/** The person's consent at the sandbox: the address that the sandbox redirects back to. */
export type Consent = (authorize: string, person: Person) => Promise<URL>

/** What people do at a service. Each step throws if an answer is not as it should be. */
export interface Service {
  readonly name: string
  /** The routes that it lacks, with the replacement of each. */
  readonly without: Partial<Record<Route, string>>
  signIn(browser: Browser, person: Person, consent: Consent): Promise<void>
  read(browser: Browser, person: Person): Promise<void>
  renew(browser: Browser, person: Person): Promise<void>
  signOut(browser: Browser): Promise<void>
  /** Does a cookie from before the sign-out still sign in? */
  isLetIn(browser: Browser): Promise<boolean>
}

const CALLBACK = '/auth/callback/videoapp'

/** The routes that Latchkey has from Auth.js. */
const forms = {
  async signIn(browser: Browser, person: Person, consent: Consent): Promise<void> {
    const path = '/auth/signin/videoapp'
    const fields = { csrfToken: await csrfToken(browser), callbackUrl: '/inbox' }
    const started = await browser.post('start', path, new URLSearchParams(fields))
    const authorize = started.headers.location ?? ''
    if (started.status !== 302 || authorize.includes('error=')) {
      browser.refuse(path, started, 'a redirect to the provider')
    }
    const { search } = await consent(authorize, person)
    const finished = await browser.get('callback', CALLBACK + search)
    expectRedirect(browser, CALLBACK, finished, '/inbox')
  },

  async signOut(browser: Browser): Promise<void> {
    const path = '/auth/signout'
    const fields = { csrfToken: await csrfToken(browser), callbackUrl: '/' }
    const answer = await browser.post('sign-out', path, new URLSearchParams(fields))
    expectRedirect(browser, path, answer, '/')
  },
}

export const latchkey: Service = {
  ...forms,
  name: 'Latchkey',
  without: {},
  read: (browser, { name }) => readNamed(browser, 'read', '/auth/session', name),
  async renew(browser) {
    const path = '/auth/renew?callbackUrl=/inbox'
    const answer = await browser.get('renewal', path)
    expectRedirect(browser, path, answer, '/inbox')
    if (!answer.headers['set-cookie']) browser.refuse(path, answer, 'a cookie')
  },
  async isLetIn(browser) {
    await readNamed(browser, 'read', '/auth/session', undefined)
    return false
  },
}

export const authJs: Service = {
  ...forms,
  name: '@hono/auth-js',
  without: { renewal: 'each read' },
  read: (browser, { name }) => readNamed(browser, 'read', '/auth/session', name),
  renew: (browser, { name }) => readNamed(browser, 'read', '/auth/session', name),
  isLetIn: (browser) => isSomebody(browser, '/auth/session'),
}

/** Its renewal reads the database and makes a new copy of the session in a cookie. */
export const betterAuth: Service = {
  name: 'better-auth',
  without: { 'csrf token': 'needs none' },
  async signIn(browser, person, consent) {
    const path = '/auth/sign-in/social'
    const fields = { provider: 'videoapp', callbackURL: '/inbox', disableRedirect: true }
    const started = await browser.post('start', path, fields)
    if (started.status !== 200) browser.refuse(path, started, 'the address of the provider')
    const { url } = JSON.parse(started.body) as { url: string }
    const { search } = await consent(url, person)
    const finished = await browser.get('callback', CALLBACK + search)
    expectRedirect(browser, CALLBACK, finished, '/inbox')
  },
  read: (browser, { name }) => readNamed(browser, 'read', '/auth/get-session', name),
  async renew(browser, { name }) {
    await readNamed(browser, 'renewal', '/auth/get-session?disableCookieCache=true', name)
  },
  async signOut(browser) {
    const path = '/auth/sign-out'
    const answer = await browser.post('sign-out', path, {})
    if (answer.status !== 200) browser.refuse(path, answer, '200')
  },
  isLetIn: (browser) => isSomebody(browser, '/auth/get-session'),
}

/** The same requests as Latchkey's, at a Worker that does nothing. */
export const bare: Service = {
  ...latchkey,
  name: 'bare Hono',
  signIn: (browser, person) => forms.signIn(browser, person, async () => new URL(ORIGIN)),
  read: (browser) => readNamed(browser, 'read', '/auth/session', 'Nobody'),
  async isLetIn(browser) {
    await readNamed(browser, 'read', '/auth/session', 'Nobody')
    return false
  },
}

async function csrfToken(browser: Browser): Promise<string> {
  const answer = await browser.get('csrf token', '/auth/csrf')
  if (answer.status !== 200) browser.refuse('/auth/csrf', answer, 'a csrf token')
  return (JSON.parse(answer.body) as { csrfToken: string }).csrfToken
}

/**
 * However many people there are at once, no person is shown as another.
 *
 * @param name `undefined`: no person is signed in
 */
async function readNamed(
  browser: Browser,
  route: Route,
  path: string,
  name: string | undefined,
): Promise<void> {
  const answer = await browser.get(route, path)
  const isRight = answer.status === 200 && nameIn(answer) === name
  if (!isRight) browser.refuse(path, answer, name ?? 'null')
}

async function isSomebody(browser: Browser, path: string): Promise<boolean> {
  const answer = await browser.get('read', path)
  if (answer.status !== 200) browser.refuse(path, answer, 'a session or null')
  return nameIn(answer) !== undefined
}

function nameIn({ body }: Answer): string | undefined {
  return (JSON.parse(body) as { user?: { name: string } } | null)?.user?.name
}

function expectRedirect(browser: Browser, path: string, answer: Answer, to: string): void {
  const location = URL.parse(answer.headers.location ?? '', ORIGIN)
  const isThere = location?.origin === ORIGIN && location.pathname + location.search === to
  if (answer.status !== 302 || !isThere) browser.refuse(path, answer, `a redirect to ${to}`)
}
