import { Auth } from '@auth/core'
import { encode } from '@auth/core/jwt'
import { betterAuth } from 'better-auth'
import { memoryAdapter } from 'better-auth/adapters/memory'

export const OLD_SECRET = 'the-secret-of-the-old-app-0123456789abcdef'

/** Cookies of a browser, by their names. */
export type Jar = Map<string, string>

/** A browser's cookies after an answer, with those before. */
function keep(answer: { readonly headers: Headers }, jar: Jar = new Map()): Jar {
  for (const line of answer.headers.getSetCookie()) {
    const [pair = ''] = line.split(';')
    const name = pair.slice(0, pair.indexOf('='))
    if (/;\s*(?:max-age=0(?!\d)|expires=[^;]*\s1970\s)/i.test(line)) jar.delete(name)
    else jar.set(name, pair.slice(name.length + 1))
  }
  return jar
}

export function headerOf(jar: ReadonlyMap<string, string>): string {
  return [...jar].map((pair) => pair.join('=')).join('; ')
}

interface AuthjsSession {
  readonly claims?: Record<string, unknown>
  readonly secret?: string
  /** The cookie's name without its prefix. */
  readonly name?: string
  readonly secure?: boolean
  /** Seconds. */
  readonly maxAge?: number
}

/** The text of a session cookie of Auth.js, as `@auth/core` encrypts it. */
export function authjsToken({
  claims = {},
  secret = OLD_SECRET,
  name = 'authjs.session-token',
  secure = false,
  maxAge = 30 * 24 * 60 * 60,
}: AuthjsSession = {}): Promise<string> {
  const token = { sub: '7', name: 'Ada', email: 'ada@example.com', picture: null, ...claims }
  return encode({ token, secret, salt: (secure ? '__Secure-' : '') + name, maxAge })
}

/** The cookies of a session of Auth.js, as `@auth/core` sets them: in parts if it is large. */
export async function authjsCookies(session: AuthjsSession = {}): Promise<Jar> {
  const { secret = OLD_SECRET, secure = false, name = 'authjs.session-token' } = session
  const full = (secure ? '__Secure-' : '') + name
  const token = await authjsToken(session)
  if (token.length < 3_900) return new Map([[full, token]])
  // Its own route reads the session and sets it again.
  const parts = token.match(/.{1,3900}/g) ?? []
  const cookie = parts.map((part, at) => `${full}.${at}=${part}`).join('; ')
  const url = `${secure ? 'https' : 'http'}://localhost/auth/session`
  const answer = await Auth(new Request(url, { headers: { cookie } }), {
    providers: [],
    secret,
    basePath: '/auth',
    trustHost: true,
    cookies: { sessionToken: { name: full, options: { secure } } },
    callbacks: { jwt: ({ token }) => token },
  })
  const jar = keep(answer)
  return new Map([...jar].filter(([found]) => found.startsWith(full)))
}

/** An older app, with better-auth over a memory of its own. */
export function betterAuthApp({
  strategy,
  secret = OLD_SECRET,
  prefix = 'better-auth',
  secure = false,
}: {
  /** The form of the copy in its cookie; left out, there is none. */
  readonly strategy?: 'compact' | 'jwt' | 'jwe'
  readonly secret?: string
  readonly prefix?: string
  readonly secure?: boolean
} = {}) {
  const auth = betterAuth({
    secret,
    baseURL: `${secure ? 'https' : 'http'}://localhost:8787`,
    database: memoryAdapter({ user: [], session: [], account: [], verification: [] }),
    emailAndPassword: {
      enabled: true,
      password: {
        hash: async (password) => password,
        verify: async ({ hash, password }) => hash === password,
      },
    },
    session: { cookieCache: strategy ? { enabled: true, strategy } : { enabled: false } },
    advanced: { cookiePrefix: prefix },
    telemetry: { enabled: false },
  })
  const password = 'correct horse'
  return {
    auth,
    /** Looks a session up in its database, as an app does that keeps it. */
    async findSession(token: string) {
      return (await auth.$context).internalAdapter.findSession(token)
    },
    async signUp(email: string, name = 'Ada'): Promise<Jar> {
      const body = { email, name, password }
      return keep(await auth.api.signUpEmail({ body, returnHeaders: true }))
    },
    async signIn(email: string): Promise<Jar> {
      return keep(await auth.api.signInEmail({ body: { email, password }, returnHeaders: true }))
    },
  }
}
