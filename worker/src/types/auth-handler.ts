import type { AccessToken } from './account.js'
import type { AuthConfig } from './auth-config.js'

/** The used part of a Worker's `ExecutionContext`: work that continues after the answer. */
export interface RequestContext {
  waitUntil(work: Promise<unknown>): void
}

/** A config, or a function that makes one from a request's own bindings. */
export type ConfigSource<Env> =
  | AuthConfig
  | ((env: Env, request: Request, ctx: RequestContext) => AuthConfig | Promise<AuthConfig>)

/** The default export of a Worker's entry, an `ExportedHandler`; `request` is for tests. */
export interface AuthHandler<Env> {
  /** Called by the runtime, whose bindings no compiler knows. */
  fetch(request: Request, env?: unknown, ctx?: RequestContext): Promise<Response>
  request(
    input: string | URL | Request,
    init?: RequestInit,
    env?: Env,
    ctx?: RequestContext,
  ): Promise<Response>
  /**
   * The provider's access token of the person that a request's cookie signs in, refreshed where it
   * is about to end. For the server only: a token in a browser can be stolen. Never throws; the
   * reason why there is none is in the answer.
   *
   * @param request its URL and its `Cookie` header count
   * @example const token = await auth.getAccessToken(request, env, ctx)
   */
  getAccessToken(request: Request, env?: Env, ctx?: RequestContext): Promise<AccessToken>
}
