import type { SessionClaims } from '../token/claims.js'
import type { Session } from '../token/session.js'
import type { WaitUntil } from './poller.js'
import type { WorkerAddress } from './worker-client.js'

/**
 * The result of reading a request's cookies. Frozen, since every request with the same token gets
 * the same object.
 */
export interface Reading {
  readonly session: Session | null
  /** The claims behind the session. */
  readonly claims: SessionClaims | null
  /** Set-Cookie lines to pass on to the browser: a renewed session, or the end of one. */
  readonly setCookie: readonly string[]
  /**
   * A genuine token has ended, and no `worker` is configured to renew it: send the browser to the
   * service's `/renew`. No user is signed in until it comes back.
   */
  readonly isExpired: boolean
}

/** The reading of a session. */
export type SessionReading = Reading & { readonly session: Session; readonly claims: SessionClaims }

const NO_LINES: readonly string[] = Object.freeze([])

/** No user: there is no cookie, or none that counts. Compared by identity. */
export const NOBODY: Reading = Object.freeze({
  session: null,
  claims: null,
  setCookie: NO_LINES,
  isExpired: false,
})

/** No user, since another key has signed the token. Compared by identity. */
export const FOREIGN: Reading = Object.freeze({ ...NOBODY })

export const EXPIRED: Reading = Object.freeze({ ...NOBODY, isExpired: true })

export function sessionReading(
  { session, claims }: { readonly session: Session; readonly claims: SessionClaims },
  setCookie = NO_LINES,
): SessionReading {
  return Object.freeze({ session, claims, setCookie, isExpired: false })
}

/** The parts of a request that concern its session. */
export interface SessionRequest {
  readonly cookieHeader: string | null | undefined
  readonly issuer: string
  /** The name of the session cookie. */
  readonly name: string
  readonly online: boolean
  readonly waitUntil: WaitUntil | undefined
  /** The service to ask about the session, instead of the verifier's own. */
  readonly address: WorkerAddress | undefined
}
