import { type HostConfigOf, inProcess } from '@latchkey/host'
import type { AuthConfig } from '@latchkey/worker'
import { type HonoAuth, honoAuth } from './hono-auth.js'

export * from './exports.js'

const rethrow = (error: unknown) => Promise.reject(error)

/** By a name that no bundler follows, since a Worker has no such store. */
const loadStore = (kind: string) => import(/* @vite-ignore */ `@latchkey/worker/stores/${kind}`)

/** The configuration of the auth service without `raw`, or with `worker` instead of `providers`. */
export type AuthHandlerConfig = HostConfigOf<AuthConfig>

type Auth = HonoAuth<AuthHandlerConfig>

const auth: Auth = honoAuth({
  // With `catch` a Worker that forwards can be bundled without the package.
  service: inProcess(async () => {
    const { createAuth } = await import('@latchkey/worker').catch(rethrow)
    const { memoryStore } = await import('@latchkey/worker/stores/memory').catch(rethrow)
    return { createAuth, memoryStore, loadStore }
  }),
})

/**
 * The auth routes, for `app.all('/auth/*', …)`: answered by the app itself when the config has `providers`,
 * and otherwise by the Worker that `worker` or `AUTH_WORKER_URL` names. A function runs for each request.
 *
 * @throws {AuthError | SecretError} at once for a configuration that cannot be used; on Workers,
 * where requests bring the environment, its mistakes are found at the first request: they are logged, and go to
 * `onError`, or else are answered with 500 and `{ "error": "Configuration" }`
 * @example app.all('/auth/*', authHandler({ providers: [github()] }))
 */
export const authHandler: Auth['authHandler'] = auth.authHandler

/**
 * The session of a request. The cookie is verified here, without a call while its token is fresh; a
 * token that has ended is renewed, and its cookie set by `c.header`: a `new Response` of the very handler that calls this
 * lacks it, and then the next request renews. An answer with the cookie is kept from shared caches.
 *
 * @param config that of `authHandler`; left out, the only `authHandler` or else the environment
 * decides
 * @throws {WorkerUnavailable} with `status` 503 when a token must be renewed and the service is silent
 * @example const user = (await getSession(c))?.user
 */
export const getSession: Auth['getSession'] = auth.getSession

/**
 * Puts the session at `c.var.session`, and keeps the answer from shared caches.
 * @param config see {@link getSession}
 * @example app.use(session())
 */
export const session: Auth['session'] = auth.session

/**
 * Lets a request with a session pass, which is then at `c.var.session`. A browser that asks for a
 * page is sent to `redirectTo`, with the page's path as `callbackUrl`; any other client gets 401
 * and JSON. The page at `redirectTo` itself passes.
 *
 * With `maxAge` (seconds) or `acr` an older or weaker sign-in does not suffice: a browser is sent to
 * the service's own sign-in page, to sign in again;
 * any other client, and every method but GET and HEAD, gets 401 with the needs of the route (RFC
 * 9470), and no request is repeated. Mount the auth routes before it.
 *
 * @param config see {@link getSession}
 * @throws {AuthError} at once if `maxAge` is not a whole number of 0 or more, or `acr` is not `'1'`
 * or `'2'`
 * @example
 * app.use('/members/*', requireSession({ redirectTo: '/auth/signin' }))
 * app.use('/members/payout', requireSession({ maxAge: 300, acr: '2' }))
 */
export const requireSession: Auth['requireSession'] = auth.requireSession

/**
 * Lets a request with an access token for this API pass, which is then at `c.var.token`. The token is read from the
 * `Authorization` header alone, where an API key may be too, and no cookie counts. Any other request gets 401 or 403,
 * `WWW-Authenticate` (RFC 6750, RFC 9470) and JSON, never a redirect. OPTIONS passes. Answers behind it are
 * `private, no-store`, unless a route says otherwise.
 *
 * @param config the configuration of `authHandler`, or `worker` and `issuer` of the service; left out, the only
 *   `authHandler` decides, or else `AUTH_WORKER_URL`
 * @throws {TypeError | AuthError} at once if an option is invalid; for a request {@link WorkerUnavailable} with `status` 503 when it
 *   is unknown whether the token counts
 * @example app.use('/notes/*', requireToken({ audience: 'https://api.example.com/', scope: 'notes:read' }))
 */
export const requireToken: Auth['requireToken'] = auth.requireToken

/**
 * Guards an MCP server at the path of its `audience` and below, and answers its metadata (RFC 9728) and preflights. The
 * token is at `c.var.token`: hand it to the MCP SDK as `authInfo`. All other requests pass. Mount it for all paths,
 * before the MCP server.
 *
 * @param config as for {@link requireToken}
 * @throws {TypeError | AuthError} at once if an option is invalid
 * @example
 * app.use(protectMcp({ audience: 'https://example.com/mcp', scope: 'notes:read' }))
 * app.all('/mcp', (c) => handler.fetch(c.req.raw, { authInfo: c.var.token }))
 */
export const protectMcp: Auth['protectMcp'] = auth.protectMcp
