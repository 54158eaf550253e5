import type { PublicOrigin } from '@latchkey/session/adapter'
import { type Place, placeOf } from './mount.js'
import { sendResponse } from './send-response.js'
import type { Service } from './service.js'
import type { Settings } from './settings.js'
import { announce, ownSettings } from './settings-of.js'
import type {
  AuthMiddleware,
  ExpressRequest,
  ExpressResponse,
  MiddlewareAuthConfig,
} from './types.js'

/**
 * The auth routes, as a middleware for Express 4 and 5: answered by this process when the config has
 * `providers`, and otherwise by the Worker that `worker` or `AUTH_WORKER_URL` names. What is no auth
 * route goes to `next()`, and so do errors.
 *
 * @throws {AuthError | SecretError} at once, when the configuration cannot be used
 *
 * @example
 * app.use('/auth', MiddlewareAuth({ providers: [github()] }))
 */
export function MiddlewareAuth(config: MiddlewareAuthConfig): AuthMiddleware {
  const settings = ownSettings(config)
  const { service } = settings
  if (!service)
    throw new TypeError('MiddlewareAuth needs `providers`, `worker` or AUTH_WORKER_URL.')
  announce(settings)
  return async (req, res, next) => {
    let isAnswered: boolean
    try {
      isAnswered = await answer(req, res, settings, service)
    } catch (error) {
      return next(error)
    }
    if (!isAnswered) next()
  }
}

async function answer(
  req: ExpressRequest,
  res: ExpressResponse,
  settings: Settings,
  service: Service,
): Promise<boolean> {
  const place = placeOf(req, settings.configuredBase, settings.defaultBase)
  if (!place) return false
  const { origins, warnings, warn } = settings
  const origin = origins.of(req)
  warnings.look(origin, origins.fixed, (name) => req.headers[name]?.toString(), warn)
  if (place.isRewritten) warnings.once('base-path', otherBase(place), warn)
  if (typeof origin === 'string') {
    refuse(res, REFUSALS[origin])
    return true
  }
  return forward({ req, res, place, origin }, service)
}

function otherBase({ base }: Place): string {
  return `MiddlewareAuth was asked at another path than ${base}, which \`basePath\` or AUTH_URL says, and to which its forms lead. Mount it at ${base}, unless a proxy takes a part of the path off.`
}

async function forward(
  call: { req: ExpressRequest; res: ExpressResponse; place: Place; origin: PublicOrigin },
  service: Service,
): Promise<boolean> {
  let response: Response
  try {
    response = await service.answer(call)
  } catch (error) {
    // The client has gone, which has ended the call; nobody is left to be told.
    if (call.res.destroyed) return true
    throw error
  }
  if (response.status === 404) {
    // A route that this service does not have is the app's.
    await response.body?.cancel()
    return false
  }
  await sendResponse(response, call.res)
  return true
}

const REFUSALS = {
  malformed: 'Malformed Host or X-Forwarded header.',
  'unknown-host': 'Sign-in is not available under this host name.',
} as const

function refuse(res: ExpressResponse, text: string): void {
  res.statusCode = 400
  res.setHeader('Content-Type', 'text/plain; charset=utf-8')
  res.setHeader('Cache-Control', 'no-store')
  res.end(text)
}
