import { isRecord } from '../lib/is-record.js'
import type { SignatureFault } from './signed.js'

/** The claims of a session token. All but `pid`, `began`, `company` and `cnf` are required. Times are seconds since the epoch. */
export interface SessionClaims {
  /** Public origin and base path of the issuer, such as `https://example.com/auth`. */
  readonly iss: string
  /** Stable id of the user. */
  readonly sub: string
  /**
   * A keyed digest of `sub`: the feed of endings lists the user under it, so that the feed names no
   * user. Tokens of version 0.1 have none.
   */
  readonly pid?: string
  /** Handle of the session, 128 bits or more. Not a credential. */
  readonly sid: string
  readonly iat: number
  /** When this token ends. The session may last longer and be renewed. */
  readonly exp: number
  /** When the user last signed in or stepped up. */
  readonly auth_time: number
  /** When the session began, if the user has stepped up since. */
  readonly began?: number
  /** When the session itself ends. */
  readonly sexp: number
  /** How the user last signed in: the provider's id, then methods of RFC 8176. */
  readonly amr: readonly string[]
  /** The id of the company whose provider proved it. */
  readonly company?: string
  /** The session is bound to a key that its browser cannot give away (RFC 7800, 3). */
  readonly cnf?: Confirmation
  /** The value that the `session` callback returned, without `expires`. */
  readonly session: Readonly<Record<string, unknown>>
}

/** The key to which a session is bound. */
interface Confirmation {
  /** Its thumbprint (RFC 7638), by SHA-256: 43 base64url characters. */
  readonly jkt: string
}

/** Why a token is not a session. For logs and tests; a browser learns only that there is none. */
export type RefusalReason =
  | SignatureFault
  | 'issuer'
  | 'not-yet-valid'
  | 'issued-in-the-future'
  | 'session-ended'

/** Clock skew that is forgiven, in seconds. */
export const CLOCK_SKEW = 60

/** The longest life of a token, `exp - iat`, in seconds: a day. A longer one is refused. */
export const MAX_TOKEN_LIFE = 24 * 60 * 60

/** A token is renewed when less than this part of its life is left. */
const RENEW_IN_LAST = 0.2

/** The last second that a date can hold (ECMA-262, 21.4.1.1). */
const LAST_SECOND = 8_640_000_000_000

/** 128 bits in base64url are 22 characters. */
const SID = /^[A-Za-z0-9_-]{22,64}$/

/** 72 bits in base64url are 12 characters. */
const PID = /^[A-Za-z0-9_-]{12,64}$/

const COMPANY = /^[a-z][a-z0-9-]{0,31}$/
/** 256 bits in base64url, whose last character has 2 zero bits. */
const THUMBPRINT = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/

/**
 * Narrows the payload of a token with a good signature to {@link SessionClaims}.
 * A claim that is missing or of another type makes it `undefined`; nothing is repaired.
 */
export function parseClaims(payload: unknown): SessionClaims | undefined {
  if (!isRecord(payload)) return undefined
  const { iss, sub, sid, iat, exp, auth_time, sexp, amr, session } = payload
  if (!isText(iss) || !isText(sub) || typeof sid !== 'string' || !SID.test(sid)) return undefined
  if (isMachineSub(sub)) return undefined
  if (!isTime(iat) || !isTime(exp) || !isTime(auth_time) || !isTime(sexp)) return undefined
  // `auth_time` may come from another machine's clock than `iat`.
  if (exp <= iat || exp > sexp || auth_time > iat + CLOCK_SKEW) return undefined
  if (exp - iat > MAX_TOKEN_LIFE) return undefined
  // A verifier of sessions has no name of its own, so a token with an audience is for another
  // recipient (RFC 7519, 4.1.3).
  if (Object.hasOwn(payload, 'aud')) return undefined
  if (!Array.isArray(amr) || amr.length === 0 || !amr.every(isText)) return undefined
  if (!isRecord(session)) return undefined
  const claims = { iss, sub, sid, iat, exp, auth_time, sexp, amr, session }
  const { pid, began } = payload
  // A session that began after the last proof would outlive an end to all that began before.
  if (began !== undefined && !(isTime(began) && began <= auth_time)) return undefined
  if (!hasGoodCompany(payload)) return undefined
  const cnf = Object.hasOwn(payload, 'cnf') ? confirmationIn(payload.cnf) : undefined
  // A token that says anything else of its key must not pass for one that is not bound.
  if (cnf === undefined && Object.hasOwn(payload, 'cnf')) return undefined
  const { company } = payload
  const complete = {
    ...claims,
    ...(began === undefined ? {} : { began }),
    ...(company === undefined ? {} : { company: company as string }),
    ...(cnf === undefined ? {} : { cnf }),
  }
  if (!Object.hasOwn(payload, 'pid')) return complete
  return typeof pid === 'string' && PID.test(pid) ? { ...complete, pid } : undefined
}

const MACHINE = 'machine:'

/** The `sub` of a machine: an app that acts for itself. */
export function machineSub(clientId: string): string {
  return MACHINE + clientId
}

/** Is it the `sub` of a machine? No user has such an id, wherever ids come from. */
export function isMachineSub(sub: string): boolean {
  return sub.startsWith(MACHINE)
}

/** Is the claim `company` of a token the id of one, or absent? */
export function hasGoodCompany(payload: Readonly<Record<string, unknown>>): boolean {
  const { company } = payload
  if (!Object.hasOwn(payload, 'company')) return true
  return typeof company === 'string' && COMPANY.test(company)
}

/** The one form that the service writes. */
function confirmationIn(value: unknown): Confirmation | undefined {
  if (!isRecord(value) || Object.keys(value).length !== 1) return undefined
  const { jkt } = value
  return typeof jkt === 'string' && THUMBPRINT.test(jkt) ? { jkt } : undefined
}

/** When the session of good claims began. Seconds since the epoch. */
export function beganAt({ auth_time, began = auth_time }: SessionBeginning): number {
  return began
}

/** The claims that tell when a session began. */
export type SessionBeginning = Pick<SessionClaims, 'auth_time' | 'began'>

/**
 * The time before which a payload is not to be accepted (RFC 7519, 4.1.5), in seconds since the
 * epoch; 0 without one, `undefined` when it is not a time.
 */
export function notBeforeOf(payload: object): number | undefined {
  if (!Object.hasOwn(payload, 'nbf')) return 0
  const { nbf } = payload as { nbf?: unknown }
  return isTime(nbf) ? nbf : undefined
}

/**
 * The state of good claims at a time: `live`, `expired` (the session goes on and may be renewed),
 * or the reason why they are refused.
 *
 * @param now seconds since the epoch
 * @param maxLife seconds for which a token counts at most, if the service says so; the end that
 *   the token names may be later
 */
export function standing(
  claims: SessionClaims,
  now: number,
  maxLife = MAX_TOKEN_LIFE,
): 'live' | 'expired' | RefusalReason {
  if (claims.iat > now + CLOCK_SKEW) return 'issued-in-the-future'
  if (claims.sexp <= now) return 'session-ended'
  return claims.exp > now && claims.iat + maxLife > now ? 'live' : 'expired'
}

/**
 * Has the token of good claims not ended yet?
 *
 * @param now milliseconds since the epoch
 * @param maxLife as in {@link standing}
 */
export function isLive(claims: SessionClaims, now: number, maxLife?: number): boolean {
  return standing(claims, Math.floor(now / 1000), maxLife) === 'live'
}

/**
 * Is a token in the last part of its life, where apps ask for its renewal and the service renews
 * it? An earlier question would bring no new token.
 *
 * @param now milliseconds since the epoch
 * @param maxLife as in {@link standing}
 */
export function isNearEnd(
  { iat, exp }: SessionClaims,
  now: number,
  maxLife = MAX_TOKEN_LIFE,
): boolean {
  const life = Math.min(exp - iat, maxLife)
  return now / 1000 > iat + life * (1 - RENEW_IN_LAST)
}

/**
 * `https://example.com/*` is any path there: an app may not know at which path its service is
 * mounted.
 */
export function isFrom({ iss }: Pick<SessionClaims, 'iss'>, issuer: string): boolean {
  return iss === issuer || (issuer.endsWith('/*') && iss.startsWith(issuer.slice(0, -1)))
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= 2048
}

export function isTime(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= LAST_SECOND
}
