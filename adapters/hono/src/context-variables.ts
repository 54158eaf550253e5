import type { AccessToken, Session } from '@latchkey/session'

declare module 'hono' {
  interface ContextVariableMap {
    /** The session, after `session()` or `requireSession()` has read it. */
    session: Session | null
    /** The access token, after `requireToken()` or `protectMcp()` has read it. */
    token: AccessToken
  }
}
