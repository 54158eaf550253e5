import {
  createHost,
  type ForwardedConfigOf,
  type McpOptions,
  type RequireSessionOptions,
  type RequireTokenOptions,
  sessionGate,
  type TokenServiceConfig,
} from '@latchkey/host'
import type { Session } from '@latchkey/session'
import type { AuthConfig } from '@latchkey/worker'
import type { Context, Env, MiddlewareHandler } from 'hono'
import type { WithToken } from './context-variables.js'
import { answering, reading, readSession } from './middleware.js'
import { mcpGuarding, tokenReading } from './token-middleware.js'

export {
  customFetch,
  type McpOptions,
  type RequireSessionOptions,
  type RequireTokenOptions,
  type TokenServiceConfig,
} from '@latchkey/host'
export type { AccessToken, DefaultSession, Session, User } from '@latchkey/session'
export { AuthError, CredentialsSignin, WorkerUnavailable } from '@latchkey/session'
export type { Account, Profile } from '@latchkey/worker'

/** The configuration of an app whose auth routes a Worker answers. */
export type AuthHandlerConfig = ForwardedConfigOf<AuthConfig>

/** Forwards the auth routes and reads sessions. It has no code of the auth service. */
const host = createHost({ name: 'authHandler', needsService: true, wholeEntry: '@latchkey/hono' })

/**
 * As `authHandler` of `@latchkey/hono`, for an app that forwards to the Worker that `worker` or `AUTH_WORKER_URL`
 * names: the bundle has no code of the auth service.
 *
 * @throws {AuthError | SecretError} at once for a configuration that cannot be used, and for one with
 *   `providers`; on Workers at the first request
 * @example app.all('/auth/*', authHandler((c) => ({ worker: c.env.AUTH })))
 */
// biome-ignore lint/suspicious/noExplicitAny: Hono's own default for an app that does not name its bindings
export function authHandler<E extends Env = any>(
  config: AuthHandlerConfig | ((c: Context<E>) => AuthHandlerConfig | Promise<AuthHandlerConfig>),
): MiddlewareHandler<E> {
  return answering(host, config)
}

/**
 * As `getSession` of `@latchkey/hono`.
 *
 * @throws {WorkerUnavailable} with `status` 503 when a token must be renewed and the Worker is silent
 * @example const user = (await getSession(c))?.user
 */
export function getSession(c: Context, config?: AuthHandlerConfig): Promise<Session | null> {
  return readSession(host, c, config)
}

/**
 * As `session` of `@latchkey/hono`: puts the session at `c.var.session`.
 *
 * @example app.use(session())
 */
export function session(config?: AuthHandlerConfig): MiddlewareHandler {
  return reading(host, config)
}

/**
 * As `requireSession` of `@latchkey/hono`: lets a request pass if its session suffices.
 *
 * @throws {AuthError} at once if `maxAge` is not a whole number of 0 or more, or `acr` is not `'1'`
 * or `'2'`
 * @example app.use('/members/*', requireSession({ redirectTo: '/auth/signin' }))
 */
export function requireSession(
  options: RequireSessionOptions = {},
  config?: AuthHandlerConfig,
): MiddlewareHandler {
  return reading(host, config, sessionGate(options))
}

/**
 * As `requireToken` of `@latchkey/hono`: lets a request pass if its access token suffices.
 *
 * @throws {TypeError | AuthError} at once if an option is invalid
 * @example app.use('/notes/*', requireToken({ audience: 'https://api.example.com/', scope: 'notes:read' }))
 */
export function requireToken(
  options: RequireTokenOptions,
  config?: AuthHandlerConfig | TokenServiceConfig,
): MiddlewareHandler<WithToken> {
  return tokenReading(host, options, config)
}

/**
 * As `protectMcp` of `@latchkey/hono`: guards an MCP server and answers its metadata.
 *
 * @throws {TypeError | AuthError} at once if an option is invalid
 * @example app.use(protectMcp({ audience: 'https://example.com/mcp', scope: 'notes:read' }))
 */
export function protectMcp(
  options: McpOptions,
  config?: AuthHandlerConfig | TokenServiceConfig,
): MiddlewareHandler<WithToken> {
  return mcpGuarding(host, options, config)
}
