import type { ForwardedConfigOf, InProcessConfigOf } from '@latchkey/host'
import type { AccessToken, Session, SessionNeeds } from '@latchkey/session'
import type { AuthConfig } from '@latchkey/worker'
import type { RequestEvent } from '@sveltejs/kit'

declare global {
  namespace App {
    interface Locals {
      /**
       * The session; `null` if no user is signed in, and while the app is built. The cookie is
       * verified here, without a call while its token is fresh. Rejects with Kit's error 503 when
       * it cannot be known now.
       *
       * With `maxAge` (seconds) or `acr` it is `null` also for an older or weaker sign-in:
       * send the user to `/auth/signin?maxAge=…&callbackUrl=…`.
       *
       * @throws {AuthError} if `maxAge` is not a whole number of 0 or more, or `acr` is not `'1'`
       * or `'2'`
       * @example const session = await locals.auth({ maxAge: 300 })
       */
      auth(needs?: SessionNeeds): Promise<Session | null>
      /** The access token, in an endpoint of `requireToken`. */
      token?: AccessToken
    }
    interface PageData {
      /** The session, as a layout's `load` returns it. */
      session?: Session | null
    }
  }
}

/**
 * The members of Kit's event that are read. Written out, so that the events of Kit 2 and those of
 * Kit 3 both fit, and those of every route.
 */
export interface KitEvent {
  readonly request: Request
  readonly url: URL
  readonly locals: object
  readonly platform?: unknown
  readonly isDataRequest: boolean
  /** Kit has remote functions since 2.27. */
  readonly isRemoteRequest?: boolean
  readonly getClientAddress: () => string
  readonly cookies: { set(name: string, value: string, options: CookieAttributes): void }
}

/** As Kit has them. */
interface CookieAttributes {
  readonly path: string
  readonly domain?: string
  readonly httpOnly?: boolean
  readonly maxAge?: number
  readonly sameSite?: 'lax' | 'strict' | 'none'
  readonly partitioned?: boolean
  readonly secure?: boolean
  readonly encode?: (value: string) => string
}

/** The app itself answers the auth routes. A `basePath` is below the app's own. */
export type InProcessConfig = InProcessConfigOf<AuthConfig>

/** The auth routes are forwarded to the Worker. */
export type ForwardedConfig = ForwardedConfigOf<AuthConfig>

/**
 * The configuration of the auth service without `raw`, or with `worker` instead of `providers`
 * if a Worker is the service.
 */
export type ComponentKitAuthConfig = InProcessConfig | ForwardedConfig

/**
 * A configuration, or a function that makes one from a request's own event, once for each request.
 */
export type ConfigSource =
  | ComponentKitAuthConfig
  | ((event: RequestEvent) => ComponentKitAuthConfig | Promise<ComponentKitAuthConfig>)
