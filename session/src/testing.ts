import { encode } from 'jose/base64url'
import type { SessionClaims } from './token/claims.js'
import { cookieName, SESSION_COOKIE, splitCookie } from './token/cookie.js'
import { deriveSessionKeys } from './token/keys.js'
import { configuredSecrets } from './token/secrets.js'
import { type Session, sessionClaim, toSession, type User } from './token/session.js'
import { signSessionToken } from './token/signed.js'

export {
  type AssertionResponse,
  type Authenticator,
  type AuthenticatorOptions,
  type CreationOptions,
  type CredentialJson,
  createAuthenticator,
  type RegistrationResponse,
  type RequestOptions,
} from './testing/create-authenticator.js'
export {
  type MintAccessTokenOptions,
  type MintedAccessToken,
  mintAccessToken,
} from './testing/mint-access-token.js'

/** The person and the service of a minted session. */
export interface MintOptions {
  /** The secret of the service under test. */
  readonly secret: string | readonly string[]
  /** Public origin and base path of the service. */
  readonly issuer: string
  /** Default: a user `test-user`. */
  readonly user?: User | undefined
  /** Other members that the app's `session` callback would have added. */
  readonly session?: Readonly<Record<string, unknown>> | undefined
  /** Id of the provider that was used. Default `test`. */
  readonly provider?: string | undefined
  /**
   * When the user signed in: seconds since the epoch, not later than now. Default: when the
   * token was issued. For tests of `maxAge`.
   */
  readonly authTime?: number | undefined
  /**
   * How they proved it, the provider's id first. Default: that id alone. For tests of `acr`, which is
   * `'2'` by `['passkey', 'hwk', 'user']` and `['credentials', 'otp', 'mfa']`.
   */
  readonly amr?: readonly string[] | undefined
  /** The id of the company whose provider proved it. Default: none. */
  readonly company?: string | undefined
  /** Is the session bound to a device? For tests of `bound`. Default: no. */
  readonly bound?: boolean | undefined
  /** How long the token lives, in seconds; below zero it has ended. Default 5 minutes. */
  readonly tokenMaxAge?: number | undefined
  /** How long the session lives, in seconds; below zero it is over. Default 30 days. */
  readonly maxAge?: number | undefined
  /** The service's own setting: another name for the cookie, or the domain that shares it. */
  readonly cookie?:
    | { readonly name?: string | undefined; readonly domain?: string | undefined }
    | undefined
  /** Milliseconds since the epoch. */
  readonly now?: (() => number) | undefined
}

/** A session as cookies of a browser. */
export interface MintedSession {
  /** For a `Cookie` header. */
  readonly cookie: string
  /** Name and value of each cookie; a large session has several. */
  readonly cookies: readonly (readonly [name: string, value: string])[]
  /** The value, of one piece. */
  readonly token: string
  readonly session: Session
  readonly claims: SessionClaims
}

/**
 * A session for an app's own tests, which then need no provider and no service. Its signature is
 * genuine: keep the secret of a real service out of tests. The service has no record of it and does
 * not renew it.
 *
 * @example
 * const { cookie } = await mintSession({ secret, issuer, user: { id: 'ada', name: 'Ada' } })
 * const response = await fetch(url, { headers: { cookie } })
 * @throws {SecretError} when the secret is too short
 */
export async function mintSession(options: MintOptions): Promise<MintedSession> {
  const { secret, issuer, user = {}, provider = 'test' } = options
  const { tokenMaxAge = 300, maxAge = 30 * 24 * 60 * 60, now = Date.now } = options
  const time = Math.floor(now() / 1000)
  const sub = user.id ?? 'test-user'
  const known = { id: sub, name: null, email: null, image: null }
  const sexp = time + maxAge
  const exp = Math.min(time + tokenMaxAge, sexp)
  // A token that has ended must have been issued before its end.
  const iat = Math.min(time, exp - 1)
  const claims: SessionClaims = {
    iss: issuer,
    sub,
    sid: crypto.randomUUID().replaceAll('-', ''),
    iat,
    exp,
    auth_time: Math.floor(options.authTime ?? iat),
    sexp,
    amr: options.amr ?? [provider],
    ...(options.company === undefined ? {} : { company: options.company }),
    ...(options.bound ? { cnf: { jkt: encode(crypto.getRandomValues(new Uint8Array(32))) } } : {}),
    session: sessionClaim({ user: { ...known, ...user }, ...options.session }, sub),
  }
  const { signing } = await deriveSessionKeys(configuredSecrets(secret))
  const token = await signSessionToken(claims, signing)
  const { name, domain } = options.cookie ?? {}
  const secure = issuer.startsWith('https:')
  const cookies = splitCookie(name ?? cookieName(SESSION_COOKIE, { secure, domain }), token)
  const cookie = cookies.map((pair) => pair.join('=')).join('; ')
  return { cookie, cookies, token, session: toSession(claims), claims }
}
