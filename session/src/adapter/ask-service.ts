import { isRemoval, mergeCookies } from '../internal/set-cookie.js'
import { MAX_TOKEN_LIFE } from '../token/claims.js'
import type { HostRequest } from './host-request.js'
import type { PublicOrigin } from './origins.js'
import type { Service, ServiceCall } from './service.js'
import type { Settings } from './settings.js'

/** A request that is passed to the service. */
export interface Call {
  readonly request: HostRequest
  readonly settings: Settings
  readonly service: Service
  readonly origin: PublicOrigin
}

/** @throws {WorkerUnavailable} */
export async function askService(
  { request: { client, waitUntil }, settings, service, origin }: Call,
  { base, route, init }: Pick<ServiceCall, 'base' | 'route' | 'init'>,
): Promise<Response> {
  const response = await service.answer({ base, route, init, origin, client, waitUntil })
  if (init.method === 'POST' && route.split('?', 1)[0] === '/signout') {
    await rememberSignOut(settings, origin, init.headers.get('cookie'), response)
  }
  return response
}

/**
 * A person who signed out here is signed out at the next request, without a call. A refused
 * sign-out leaves the browser its cookie.
 */
async function rememberSignOut(
  { verifier, ended }: Settings,
  { issuer }: PublicOrigin,
  cookie: string | null,
  { headers }: Response,
): Promise<void> {
  const lines = headers.getSetCookie()
  if (!lines.some(isRemoval)) return
  const kept = mergeCookies(cookie, lines)
  try {
    const { claims } = await verifier.read(cookie, { issuer })
    const left = await verifier.read(kept, { issuer })
    if (!claims || left.claims) return
    const at = Math.floor(Date.now() / 1000)
    // Another token of the session may live longer than the one that was sent.
    ended.add({ sessions: [{ sid: claims.sid, at }], users: [] }, MAX_TOKEN_LIFE)
  } catch {
    // The feed tells of the end a little later.
  }
}
