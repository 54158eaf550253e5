import type { AccessToken, Session } from '@latchkey/session'

declare module 'hono' {
  interface ContextVariableMap {
    /** The session, after `session()` or `requireSession()` has read it. */
    session: Session | null
  }
}

/**
 * What `requireToken()` and `protectMcp()` give to the handlers after them. Not for every context, since `@hono/oauth-providers` has a
 * variable of this name too.
 */
export interface WithToken {
  Variables: { token: AccessToken }
}
