import type { Session } from '@latchkey/session'

declare module 'hono' {
  interface ContextVariableMap {
    /** The session, after `session()` or `requireSession()` has read it. */
    session: Session | null
  }
}
