import type { SessionClaims } from './claims.js'
import { cookieName, SESSION_COOKIE, splitCookie } from './cookie.js'
import { deriveSessionKeys } from './keys.js'
import { configuredSecrets } from './secrets.js'
import type { Session, User } from './session.js'
import { toSession } from './session.js'
import { signSessionToken } from './sign.js'

/** Whose session is minted, and for which service. */
export interface MintOptions {
  /** The secret of the service under test. */
  readonly secret: string | readonly string[]
  /** Public origin and base path of the service. */
  readonly issuer: string
  readonly user?: User
  /** What else the app's `session` callback would have put there. */
  readonly session?: Readonly<Record<string, unknown>>
  /** Id of the provider that was used. Default `test`. */
  readonly provider?: string
  /** How long the token lives, in seconds; below zero it has ended. Default 5 minutes. */
  readonly tokenMaxAge?: number
  /** How long the session lives, in seconds. Default 30 days. */
  readonly maxAge?: number
  /** Domain of a shared cookie, which has another prefix. */
  readonly domain?: string
}

/** A session as a browser would have it. */
export interface MintedSession {
  /** For a `Cookie` header. */
  readonly cookie: string
  /** Name and value of each cookie; a large session has several. */
  readonly cookies: readonly (readonly [name: string, value: string])[]
  readonly session: Session
  readonly claims: SessionClaims
}

/**
 * A session for an app's own tests, which need no provider and no service then. It is genuine: keep
 * the secret of a real service out of tests.
 *
 * @example
 * const { cookie } = await mintSession({ secret, issuer, user: { id: 'ada', name: 'Ada' } })
 * const response = await fetch(url, { headers: { cookie } })
 */
export async function mintSession(options: MintOptions): Promise<MintedSession> {
  const { secret, issuer, user = {}, provider = 'test', domain } = options
  const { tokenMaxAge = 300, maxAge = 30 * 24 * 60 * 60 } = options
  const now = Math.floor(Date.now() / 1000)
  const sub = user.id ?? 'test-user'
  const known = { id: sub, name: null, email: null, image: null }
  // A token that has ended must have begun before.
  const iat = now - (tokenMaxAge > 0 ? 0 : 300 - tokenMaxAge)
  const claims: SessionClaims = {
    iss: issuer,
    sub,
    sid: crypto.randomUUID().replaceAll('-', ''),
    iat,
    exp: now + tokenMaxAge,
    auth_time: iat,
    sexp: now + maxAge,
    amr: [provider],
    session: { user: { ...known, ...user }, ...options.session },
  }
  const { signing } = await deriveSessionKeys(configuredSecrets(secret))
  const secure = issuer.startsWith('https:')
  const name = cookieName(SESSION_COOKIE, { secure, domain })
  const cookies = splitCookie(name, await signSessionToken(claims, signing))
  const cookie = cookies.map(([part, value]) => `${part}=${value}`).join('; ')
  return { cookie, cookies, session: toSession(claims), claims }
}
