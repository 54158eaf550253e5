import type { AccessToken } from './account.js'
import type { AuthConfig } from './auth-config.js'

/** What a Worker's `ExecutionContext` is used for: work that goes on after the answer. */
export interface RequestContext {
  waitUntil(work: Promise<unknown>): void
}

/** A config, or how to make one from a request's own bindings. */
export type ConfigSource<Env> =
  | AuthConfig
  | ((env: Env, request: Request, ctx: RequestContext) => AuthConfig | Promise<AuthConfig>)

/** What a Worker's entry exports as default, an `ExportedHandler`; `request` serves tests. */
export interface AuthHandler<Env> {
  /** The runtime's, whose bindings no compiler knows. */
  fetch(request: Request, env?: unknown, ctx?: RequestContext): Promise<Response>
  request(
    input: string | URL | Request,
    init?: RequestInit,
    env?: Env,
    ctx?: RequestContext,
  ): Promise<Response>
  /**
   * The provider's access token of whoever a request's cookie signs in, refreshed where it is about
   * to end. For the server only: a browser that had it could be robbed of it. Never throws; the
   * reason why there is none is in the answer.
   *
   * @param request its URL and its `Cookie` header count
   * @example const token = await auth.getAccessToken(request, env, ctx)
   */
  getAccessToken(request: Request, env?: Env, ctx?: RequestContext): Promise<AccessToken>
}
