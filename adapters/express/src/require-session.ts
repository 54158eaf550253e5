import { WorkerUnavailable } from '@latchkey/session'
import { type RequireSessionOptions, turnAway } from '@latchkey/session/adapter'
import { ExpressHostRequest } from './express-host.js'
import { getSession } from './get-session.js'
import { sendResponse } from './send-response.js'
import type { AuthMiddleware, MiddlewareAuthConfig } from './types.js'

/**
 * Lets a request with a session pass, which is then in `res.locals.session`. A browser that asks
 * for a page is sent to `redirectTo`, with the page's path as `callbackUrl`; any other client gets
 * 401 and JSON. The page at `redirectTo` itself passes.
 *
 * Answers behind it have `Cache-Control: private, no-store`, unless a route sets another value.
 * When it is unknown whether anybody is signed in, `next` gets an error with `status` 503.
 *
 * @param config see {@link getSession}
 * @example
 * app.use('/members', requireSession({ redirectTo: '/auth/signin' }))
 */
export function requireSession(
  options: RequireSessionOptions = {},
  config?: MiddlewareAuthConfig,
): AuthMiddleware {
  return async (req, res, next) => {
    try {
      const session = await getSession(req, config)
      ;(res.locals as Express.Locals).session = session
      res.setHeader('Cache-Control', 'private, no-store')
      const refusal = turnAway(new ExpressHostRequest(req, config), session, options)
      if (refusal) return await sendResponse(refusal, res)
    } catch (error) {
      if (error instanceof WorkerUnavailable) res.setHeader('Retry-After', '5')
      return next(error)
    }
    next()
  }
}
