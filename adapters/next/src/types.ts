import type {
  ActionOptions,
  ForwardedConfigOf,
  InProcessConfigOf,
  RequireSessionOptions,
} from '@latchkey/host'
import type { Session, SessionNeeds } from '@latchkey/session'
import type { AuthConfig } from '@latchkey/worker'
import type { NextFetchEvent, NextRequest } from 'next/server.js'

/** The request of a wrapped route handler or proxy, with its session. */
export interface NextAuthRequest extends NextRequest {
  readonly auth: Session | null
}

/** May a request behind the proxy go on? A `Response` is the answer. */
export type Authorized = (given: {
  readonly request: NextAuthRequest
  readonly auth: Session | null
}) => boolean | undefined | Response | Promise<boolean | undefined | Response>

/** The callback of this adapter alone. */
interface AuthorizedCallback {
  /** Asked by `auth` as the proxy. `false` refuses as `requireSession` does. */
  readonly authorized?: Authorized
}

type InProcess = InProcessConfigOf<AuthConfig>

/** This app answers the auth routes. */
type NextInProcessConfig = Omit<InProcess, 'callbacks'> & {
  readonly callbacks?: NonNullable<InProcess['callbacks']> & AuthorizedCallback
}

/** A Worker answers the auth routes. */
export type NextForwardedConfig = ForwardedConfigOf<AuthConfig> & {
  readonly callbacks?: AuthorizedCallback
  readonly pages?: { readonly signIn?: string }
}

/** The configuration of the auth service without `raw`, or with `worker` instead of `providers`. */
export type NextAuthConfig = NextInProcessConfig | NextForwardedConfig

/** A configuration, or a function that makes one: of a handler's or the proxy's request, else without one. */
export type ConfigSource<Config = NextAuthConfig> =
  | Config
  | ((request?: NextRequest) => Config | Promise<Config>)

/** The second argument of a route handler. */
export interface HandlerContext {
  readonly params: Promise<Record<string, string | string[] | undefined>>
}

/** A route handler or proxy that `auth` wraps. It gives a `Response`; a proxy may give nothing. */
type Handler<Context, Request = NextAuthRequest> = (request: Request, context: Context) => unknown

type Wrapped<Context> = (request: NextRequest, context: Context) => Promise<Response>

/** Options of `requireSession` in a page or an action. */
export type PageSessionOptions = RequireSessionOptions & {
  /** Where the sign-in leads afterwards. Default: behind the proxy this page. */
  readonly callbackUrl?: string | undefined
}

type Params = ConstructorParameters<typeof URLSearchParams>[0]

/** The result of `NextAuth`. */
export interface NextAuthResult {
  /** For `app/api/auth/[...nextauth]/route.ts`. */
  readonly handlers: {
    GET(request: NextRequest): Promise<Response>
    POST(request: NextRequest): Promise<Response>
  }
  readonly auth: {
    /**
     * The session of this request, in components, actions and route handlers; `null` if it does not suffice.
     *
     * @throws {WorkerUnavailable} rejects when the token has ended and the service does not answer
     */
    (needs?: SessionNeeds): Promise<Session | null>
    /** As the proxy: `export { auth as proxy }`. */
    (request: NextRequest, event: NextFetchEvent): Promise<Response>
    /** A route handler or proxy with `request.auth`. */
    <Context = HandlerContext>(handler: Handler<Context>): Wrapped<Context>
  }
  readonly requireSession: {
    /** The session of a user who may see this page. Otherwise it redirects, by Next's `redirect`. */
    (options?: PageSessionOptions): Promise<Session>
    /** A route handler for signed-in users: 302 for a page, otherwise 401. */
    <Context = HandlerContext>(
      handler: Handler<Context, NextAuthRequest & { readonly auth: Session }>,
      options?: RequireSessionOptions,
    ): Wrapped<Context>
  }
  /**
   * Signs in, from a server action or a route handler.
   *
   * @returns the URL to go to, with `redirect: false`; otherwise it redirects
   * @throws {CredentialsSignin} when the credentials are wrong, with their `code`
   * @throws {AuthError} when the request is another site's
   */
  readonly signIn: {
    (
      provider: string | undefined,
      options: { readonly redirect: false; readonly [field: string]: Field },
      authorizationParams?: Params,
    ): Promise<string>
    (provider?: string, options?: ActionOptions, authorizationParams?: Params): Promise<never>
  }
  /** Signs out, from a server action or a route handler. @throws {AuthError} */
  readonly signOut: {
    (options: { readonly redirect: false; readonly redirectTo?: string }): Promise<string>
    (options?: { readonly redirect?: boolean; readonly redirectTo?: string }): Promise<never>
  }
  /**
   * Hands data to `callbacks.jwt`, from a server action or a route handler.
   *
   * @returns the session afterwards; `null` without one
   * @throws {AuthError} when the request is another site's
   */
  update(data: unknown): Promise<Session | null>
}

type Field = string | number | boolean | null | undefined
