import { ExpressHostRequest, host } from './express-host.js'
import { hearingOfMount } from './mount-path.js'
import { sendResponse } from './send-response.js'
import type { AuthMiddleware, MiddlewareAuthConfig } from './types.js'

/**
 * The auth routes, as a middleware for Express 4 and 5: answered by this process when the config
 * has `providers`, and otherwise by the Worker that `worker` or `AUTH_WORKER_URL` names. Other
 * requests go to `next()`, and so do errors.
 *
 * @throws {AuthError | SecretError} at once, when the configuration cannot be used
 *
 * @example
 * app.use('/auth', MiddlewareAuth({ providers: [github()] }))
 */
export function MiddlewareAuth(config: MiddlewareAuthConfig): AuthMiddleware {
  host.mount(config, process.env)
  const middleware: AuthMiddleware = async (req, res, next) => {
    let response: Response | undefined
    try {
      response = await host.answer(new ExpressHostRequest(req, config))
    } catch (error) {
      // The client has disconnected, which ended the call: no client is left to get the error.
      return res.destroyed ? undefined : next(error)
    }
    if (!response) return next()
    await sendResponse(response, res).catch(next)
  }
  return hearingOfMount(middleware, config)
}
