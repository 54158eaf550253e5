import type { SessionClaims } from './claims.js'

/** The signed-in person, as the `session` callback left them. */
export interface User {
  /** Stable id: the token's `sub`. */
  id?: string
  name?: string | null
  email?: string | null
  image?: string | null
}

/** A session without what an app added to it. Extend {@link Session} by declaration merging. */
export interface DefaultSession {
  /** The session's own end, ISO 8601. */
  expires: string
  user?: User
}

/** What `getSession`, `auth()` and `GET /session` answer. */
export interface Session extends DefaultSession {}

/**
 * The session that good claims carry. Frozen to its leaves, since the same value is given to every
 * reader of the same token.
 *
 * @example toSession(claims).user?.name
 */
export function toSession(claims: SessionClaims): Session {
  const expires = new Date(claims.sexp * 1000).toISOString()
  return deepFreeze({ ...claims.session, expires })
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
