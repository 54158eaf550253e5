import { isBasePath } from '../shared/service-routes.js'
import type { HostRequest } from './host-request.js'
import type { MountState } from './mounts.js'
import type { OriginFault, PublicOrigin } from './origins.js'
import { prefixOfMount, toldPrefix } from './path-prefix.js'
import { type Place, placeOf } from './place.js'
import type { Settings } from './settings.js'

/** After the adapter's function. */
export const UNKNOWN_BASE =
  'does not know its base path before the first request for an auth route, so no session begins until then. Set `basePath`, or the path in AUTH_URL.'

/** The base path and the route of a request; `undefined` if the path is not the service's. */
export function placeIn(request: HostRequest, settings: Settings): Place | undefined {
  const { configuredBase, defaultBase, origins, service, worker } = settings
  const isHere = service && worker === undefined
  const place = placeOf(request, configuredBase, defaultBase, isHere)
  if (place || configuredBase === undefined) return place
  // Without a mount, only the proxy tells that the configured path is the browser's.
  const prefix = toldTo(request, origins)
  const path = prefix + request.path
  return prefix === '' ? undefined : placeOf({ path }, configuredBase, defaultBase, isHere)
}

/** The warning about a mount at another path than the configured one. @param name the adapter's function */
export function otherBase(name: string, { base }: Place): string {
  return `${name} was asked at another path than ${base}, which \`basePath\` or AUTH_URL says, and to which its forms lead. Mount it at ${base}, unless a proxy takes a part of the path off.`
}

/** The service's base path; `undefined` while the mount of the auth routes is unknown. */
export function baseIn(
  request: HostRequest,
  mountState: MountState,
  settings: Settings,
): string | undefined {
  const known = settings.basePath ?? mountState.base ?? request.baseOf?.(mountState.served)
  const base = known === '' ? settings.defaultBase : known
  return base !== undefined && isBasePath(base) ? base : undefined
}

/** The part of a browser's paths that a proxy has taken off; empty if there is none. */
export function prefixIn(
  request: HostRequest,
  { served, mount }: MountState,
  { configuredBase, origins }: Settings,
): string {
  return (
    prefixOfMount(configuredBase, request.baseOf?.(served) ?? mount) || toldTo(request, origins)
  )
}

/** What a proxy says, if this app trusts it. */
function toldTo(request: HostRequest, { trustsProxy }: Settings['origins']): string {
  return trustsProxy || request.isFromProxy ? toldPrefix(request) : ''
}

/** The app's public origin for a request to the service, which warns the owner of what it shows. */
export function originIn(
  request: HostRequest,
  { warnings }: MountState,
  { origins, warn }: Settings,
): PublicOrigin | OriginFault {
  const verdict = origins.of(request)
  warnings.look(verdict, origins.fixed, (name) => request.header(name), warn)
  if (request.schemeHint) warnings.once('guessed-https', request.schemeHint, warn)
  return verdict
}
