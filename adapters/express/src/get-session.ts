import type { Session } from '@latchkey/session'
import { ExpressHostRequest, host, setCookies } from './express-host.js'
import type { MiddlewareAuthConfig, SessionRequest } from './types.js'

/**
 * The session of a request. The cookie is verified here, without a call while its token is fresh; a
 * token that has ended is renewed, and the response gets the new cookie.
 *
 * @param config the one that `MiddlewareAuth` was given; left out, the environment decides:
 *   `AUTH_SECRET`, `AUTH_PUBLIC_KEYS`, `AUTH_WORKER_URL`, `AUTH_URL` and `AUTH_COOKIE_DOMAIN`
 * @returns `null` if no user is signed in
 * @throws {WorkerUnavailable} with `status` 503, if a token must be renewed and the service does
 *   not answer: it is then unknown whether a user is signed in
 *
 * @example
 * app.get('/', async (req, res) => {
 *   const session = await getSession(req)
 *   res.send(session?.user ? `Hello ${session.user.name}` : 'Hello stranger')
 * })
 */
export async function getSession(
  req: SessionRequest,
  config?: MiddlewareAuthConfig,
): Promise<Session | null> {
  const pending = host.read(new ExpressHostRequest(req, config))
  const { session, setCookie } = pending instanceof Promise ? await pending : pending
  passOn(setCookie, req)
  return session
}

/** The cookie of a token that was renewed, for the browser. */
export function passOn(lines: readonly string[], { res }: SessionRequest): void {
  if (lines.length === 0 || !res || res.headersSent) return
  setCookies(res, lines)
}
