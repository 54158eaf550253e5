import { isRecord } from '../lib/is-record.js'
import type { SessionClaims } from './claims.js'

/** The signed-in person, as the `session` callback returned them. */
export interface User {
  /** Stable id: the token's `sub`. */
  id?: string
  name?: string | null
  /** The address that the provider gives. The video app gives a user name. */
  email?: string | null
  image?: string | null
  /** `true` if the provider vouches that `email` is the person's own; otherwise left out. */
  emailVerified?: boolean
}

/** A session without what an app added to it. Extend {@link Session} by declaration merging. */
export interface DefaultSession {
  /** The session's own end, ISO 8601. */
  expires: string
  user?: User
  /** The id of the company whose provider signed the user in. The service alone sets it. */
  company?: string
  /** `true` if the session is bound to its browser's device; otherwise left out. */
  bound?: true
}

/** The result of `getSession`, `auth()` and `GET /session`. */
export interface Session extends DefaultSession {}

/**
 * The session that good claims carry. Deeply frozen, since every reader of the same token gets the
 * same value. A person without an id is the token's `sub`: see {@link sessionClaim}. The company is the token's own, whatever
 * an app's callback put in its place.
 *
 * @example toSession(claims).user?.name
 */
export function toSession({ sub, sexp, company, cnf, session }: SessionClaims): Session {
  const { company: _, ...rest } = session
  const { user } = rest
  const own = {
    expires: new Date(sexp * 1000).toISOString(),
    ...(company === undefined ? {} : { company }),
    ...(cnf === undefined ? {} : { bound: true as const }),
  }
  if (!isRecord(user) || Object.hasOwn(user, 'id')) return deepFreeze({ ...rest, ...own })
  return deepFreeze({ ...rest, user: { id: sub, ...user }, ...own })
}

/**
 * The part of a session that its token has: everything but `user.id` if that repeats the token's
 * `sub`, which saves 40 bytes of the cookie, and but `company`, which is a claim. {@link toSession} puts them back.
 */
export function sessionClaim(
  session: Readonly<Record<string, unknown>>,
  sub: string,
): Readonly<Record<string, unknown>> {
  const { company: _, ...own } = session
  const { user } = own
  if (!isRecord(user) || user.id !== sub) return own
  const { id, ...rest } = user
  return { ...own, user: rest }
}

/** Without recursion: a session may be nested deeper than the stack. */
function deepFreeze<T extends object>(value: T): T {
  const reached = new Set<object>([value])
  for (const item of reached) {
    Object.freeze(item)
    for (const member of Object.values(item)) {
      if (typeof member === 'object' && member !== null) reached.add(member)
    }
  }
  return value
}
