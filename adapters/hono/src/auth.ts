import type { Session } from '@latchkey/session'
import { type HostConfigOf, type RequireSessionOptions, turnAway } from '@latchkey/session/adapter'
import type { AuthConfig } from '@latchkey/worker'
import type { Context, Env, MiddlewareHandler } from 'hono'
import { HonoHostRequest, host, processEnv } from './hono-host.js'

declare module 'hono' {
  interface ContextVariableMap {
    /** Who is signed in, once `session()` or `requireSession()` has looked. */
    session: Session | null
  }
}

/** The configuration of the auth service without `raw`, or with `worker` in the place of `providers`. */
export type AuthHandlerConfig = HostConfigOf<AuthConfig>

/**
 * The auth routes, for `app.all('/auth/*', …)`: answered by the app itself when the config has `providers`,
 * and otherwise by the Worker that `worker` or `AUTH_WORKER_URL` names. A function runs for each request.
 *
 * @throws {AuthError | SecretError} at once for a configuration that cannot be used; on Workers, where
 *   requests bring the environment, what that says is known at the first of them
 * @example app.all('/auth/*', authHandler({ providers: [github()] }))
 */
// biome-ignore lint/suspicious/noExplicitAny: Hono's own default for an app that does not name its bindings
export function authHandler<E extends Env = any>(
  config: AuthHandlerConfig | ((c: Context<E>) => AuthHandlerConfig | Promise<AuthHandlerConfig>),
): MiddlewareHandler<E> {
  host.mount(config, processEnv)
  return async (c, next) => (await host.answer(new HonoHostRequest(c, c.req.raw, config))) ?? next()
}

/**
 * Who is signed in. The cookie is verified here, without a call while its token is fresh; that of a token
 * that has ended is renewed by `c.header`.
 *
 * @param config that of `authHandler`; left out, the only `authHandler` or else the environment says
 * @throws {WorkerUnavailable} with `status` 503 when a token must be renewed and the service is silent
 * @example const user = (await getSession(c))?.user
 */
export async function getSession(c: Context, config?: AuthHandlerConfig): Promise<Session | null> {
  const { session, setCookie } = await host.read(new HonoHostRequest(c, c.req.raw, config))
  for (const line of setCookie) c.header('set-cookie', line, { append: true })
  // A cache that kept this answer would hand one person's session to others.
  if (setCookie.length > 0) c.header('cache-control', 'private, no-store')
  return session
}

/**
 * Puts who is signed in at `c.var.session`, and keeps the answer to them from shared caches.
 * @param config see {@link getSession}
 * @example app.use(session())
 */
export function session(config?: AuthHandlerConfig): MiddlewareHandler {
  return reading(config)
}

/**
 * Lets pass who is signed in, as `c.var.session`. A browser that asks for a page is sent to `redirectTo`, with
 * where it was going as `callbackUrl`; whoever else asks gets 401 and JSON. That page itself is let through.
 *
 * @param config see {@link getSession}
 * @example app.use('/members/*', requireSession({ redirectTo: '/auth/signin' }))
 */
export function requireSession(
  options: RequireSessionOptions = {},
  config?: AuthHandlerConfig,
): MiddlewareHandler {
  return reading(config, options)
}

function reading(config?: AuthHandlerConfig, needed?: RequireSessionOptions): MiddlewareHandler {
  return async (c, next) => {
    const request = new HonoHostRequest(c, c.req.raw, config)
    const { session } = await host.read(request)
    c.set('session', session)
    const refusal = needed && turnAway(request, session, needed)
    if (refusal) c.res = refusal
    else await next()
    const answer = host.finish(request, c.res, needed !== undefined || session !== null)
    // Otherwise Hono puts the headers of the answer before over those of this one.
    if (answer !== c.res) c.res = undefined
    c.res = answer
  }
}
