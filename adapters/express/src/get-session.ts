import type { IncomingMessage } from 'node:http'
import type { Reading, Session, Verifier } from '@latchkey/session'
import { setCookies } from './set-cookies.js'
import { environmentSettings, settingsOf } from './settings-of.js'
import type { ExpressRequest, MiddlewareAuthConfig } from './types.js'

/** What `getSession` reads of a request: all that Express has, and less will do. */
export type SessionRequest = IncomingMessage & Partial<Pick<ExpressRequest, 'app' | 'res'>>

/** Requests whose session was renewed: their cookie is still the old one. */
const renewed = new WeakMap<IncomingMessage, { readonly by: Verifier; readonly reading: Reading }>()

/**
 * Who is signed in. The cookie is verified here, without a call while its token is fresh; a token
 * that has ended is renewed, and the response gets the new cookie.
 *
 * @param config the one that `MiddlewareAuth` was given; left out, the environment says:
 *   `AUTH_SECRET`, `AUTH_PUBLIC_KEYS`, `AUTH_WORKER_URL`, `AUTH_URL` and `AUTH_COOKIE_DOMAIN`
 * @returns `null` when nobody is signed in
 * @throws {WorkerUnavailable} with `status` 503, when a token must be renewed and the service does
 *   not answer: whether anybody is signed in is not known then
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
  const settings = config ? settingsOf(config) : environmentSettings()
  const { verifier, origins, ended, online } = settings
  const cookie = req.headers.cookie
  // A host that is not ours has no cookie of ours.
  const origin = cookie === undefined ? undefined : origins.of(req)
  if (origin === undefined || typeof origin === 'string') return null
  const before = renewed.get(req)
  const options = online ? { issuer: origin.issuer, online } : origin
  let reading = before?.by === verifier ? before.reading : verifier.read(cookie, options)
  if (reading instanceof Promise) reading = passOn(await reading, req, verifier)
  return reading.claims && ended.has(reading.claims) ? null : reading.session
}

/** Sends a renewed cookie to the browser, once for each request, however often that is asked. */
function passOn(reading: Reading, req: SessionRequest, by: Verifier): Reading {
  const { res } = req
  if (reading.setCookie.length === 0 || !res || res.headersSent) return reading
  if (renewed.get(req)?.by === by) return reading
  renewed.set(req, { by, reading })
  setCookies(res, reading.setCookie)
  // A cache that kept this answer would hand one person's session to others.
  if (!res.hasHeader('cache-control')) res.setHeader('Cache-Control', 'private, no-store')
  return reading
}
