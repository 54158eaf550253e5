import type { User } from '@latchkey/session'
import type { Awaitable } from '../../types/awaitable.js'

/** Members of the configuration. */
export interface ConfigOfBoundSessions {
  /**
   * Binds sessions to a key that their browser cannot give away: a copied cookie ends with its token, after `session.tokenMaxAge`
   * at most (Device Bound Session Credentials). Browsers that do not know it go on as before. Default: off
   * (docs/bound-sessions.md).
   *
   * @example boundSessions: { required: ({ user }) => user.email?.endsWith('@staff.example') ?? false }
   */
  readonly boundSessions?: boolean | BoundSessionsConfig
}

/** How sessions are bound to their browsers. */
export interface BoundSessionsConfig {
  /**
   * Must a session be bound? One that is not ends at its first renewal, so that it lasts for one token. Asked at each renewal
   * of such a session. A throw is answered as that of a callback, and ends nothing. Default: `false`.
   *
   * @param person `amr` says how they have signed in: the provider's id first
   */
  readonly required?:
    | boolean
    | ((person: {
        readonly sub: string
        readonly user: User
        readonly amr: readonly string[]
      }) => Awaitable<boolean>)
  /**
   * Binds sessions whose cookie has a domain (`AUTH_COOKIE_DOMAIN`), for all its hosts. The domain has to be the registrable
   * one, and must answer `/.well-known/device-bound-sessions`. Default: `false`, and such sessions are not bound.
   */
  readonly site?: boolean
}
