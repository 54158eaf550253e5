import { type RequireSessionOptions, sessionGate } from '@latchkey/host'
import { WorkerUnavailable } from '@latchkey/session'
import { ExpressHostRequest, host } from './express-host.js'
import { passOn } from './get-session.js'
import { sendResponse } from './send-response.js'
import type { AuthMiddleware, MiddlewareAuthConfig } from './types.js'

/**
 * Lets a request with a session pass, which is then in `res.locals.session`. A browser that asks
 * for a page is sent to `redirectTo`, with the page's path as `callbackUrl`; any other client gets
 * 401 and JSON. The page at `redirectTo` itself passes.
 *
 * With `maxAge` (seconds) or `acr` an older or weaker sign-in does not suffice: a browser is sent to
 * the service's own sign-in page, to sign in again;
 * any other client, and every method but GET and HEAD, gets 401 with the needs of the route (RFC
 * 9470), and no request is repeated. Mount the auth routes before it.
 *
 * Answers behind it have `Cache-Control: private, no-store`, unless a route sets another value.
 * If it is unknown whether a user is signed in, `next` gets an error with `status` 503.
 *
 * @param config see {@link getSession}
 * @throws {AuthError} at once if `maxAge` is not a whole number of 0 or more, or `acr` is not `'1'`
 * or `'2'`
 * @example
 * app.use('/members', requireSession({ redirectTo: '/auth/signin' }))
 * app.use('/members/payout', requireSession({ maxAge: 300, acr: '2' }))
 */
export function requireSession(
  options: RequireSessionOptions = {},
  config?: MiddlewareAuthConfig,
): AuthMiddleware {
  const gate = sessionGate(options)
  return async (req, res, next) => {
    try {
      const request = new ExpressHostRequest(req, config)
      const pending = host.read(request)
      const reading = pending instanceof Promise ? await pending : pending
      passOn(reading.setCookie, req)
      ;(res.locals as Express.Locals).session = reading.session
      res.setHeader('Cache-Control', 'private, no-store')
      const refusal = await gate(request, reading, host)
      if (refusal) return await sendResponse(refusal, res)
    } catch (error) {
      if (error instanceof WorkerUnavailable) res.setHeader('Retry-After', '5')
      return next(error)
    }
    next()
  }
}
