import type { ForwardedConfigOf } from '@latchkey/host'
import type { AuthConfig } from '@latchkey/worker'
import { type HonoAuth, honoAuth } from './hono-auth.js'

export * from './exports.js'

/** The configuration of an app whose auth routes a Worker answers. */
export type AuthHandlerConfig = ForwardedConfigOf<AuthConfig>

type Auth = HonoAuth<AuthHandlerConfig>

/** It has no code of the auth service. */
const auth: Auth = honoAuth({ wholeEntry: '@latchkey/hono' })

/**
 * As `authHandler` of `@latchkey/hono`, for an app that forwards to the Worker that `worker` or `AUTH_WORKER_URL`
 * names: the bundle has no code of the auth service.
 *
 * @throws {AuthError | SecretError} at once for a configuration that cannot be used, and for one with
 *   `providers`; on Workers at the first request
 * @example app.all('/auth/*', authHandler((c) => ({ worker: c.env.AUTH })))
 */
export const authHandler: Auth['authHandler'] = auth.authHandler

/**
 * As `getSession` of `@latchkey/hono`.
 *
 * @throws {WorkerUnavailable} with `status` 503 when a token must be renewed and the Worker is silent
 * @example const user = (await getSession(c))?.user
 */
export const getSession: Auth['getSession'] = auth.getSession

/**
 * As `session` of `@latchkey/hono`: puts the session at `c.var.session`.
 *
 * @example app.use(session())
 */
export const session: Auth['session'] = auth.session

/**
 * As `requireSession` of `@latchkey/hono`: lets a request pass if its session suffices.
 *
 * @throws {AuthError} at once if `maxAge` is not a whole number of 0 or more, or `acr` is not `'1'`
 * or `'2'`
 * @example app.use('/members/*', requireSession({ redirectTo: '/auth/signin' }))
 */
export const requireSession: Auth['requireSession'] = auth.requireSession

/**
 * As `requireToken` of `@latchkey/hono`: lets a request pass if its access token suffices.
 *
 * @throws {TypeError | AuthError} at once if an option is invalid
 * @example app.use('/notes/*', requireToken({ audience: 'https://api.example.com/', scope: 'notes:read' }))
 */
export const requireToken: Auth['requireToken'] = auth.requireToken

/**
 * As `protectMcp` of `@latchkey/hono`: guards an MCP server and answers its metadata.
 *
 * @throws {TypeError | AuthError} at once if an option is invalid
 * @example app.use(protectMcp({ audience: 'https://example.com/mcp', scope: 'notes:read' }))
 */
export const protectMcp: Auth['protectMcp'] = auth.protectMcp
