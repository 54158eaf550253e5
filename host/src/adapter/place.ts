import {
  DEFAULT_BASE_PATH,
  isBasePath,
  isOperatorRoute,
  isServiceRoute,
  METADATA,
  metadataBase,
} from '../shared/service-routes.js'
import type { HostRequest } from './host-request.js'

/** A request's base path and route. */
export interface Place {
  /** The base path, such as `/auth`. */
  readonly base: string
  /** The service's own route, such as `/signin/github`. */
  readonly route: string
  /** Does the path differ from the browser's? It does if a proxy strips a part of it. */
  readonly isRewritten: boolean
}

/**
 * The base path and the route of a request; `undefined` when the path is not the service's. The
 * base path is the configured one, or else the mount.
 *
 * @param fallback for a mount at the root
 * @param isHere does the service run in this process? Only then the paths of operators are its own
 */
export function placeOf(
  request: Pick<HostRequest, 'path' | 'mount'>,
  configured: string | undefined,
  fallback = DEFAULT_BASE_PATH,
  isHere = false,
): Place | undefined {
  // Frameworks decode a part of the path, and none of our routes needs an escape.
  if (request.path.includes('%')) return undefined
  const place =
    atRoot(request, configured, fallback) ??
    below(request, configured) ??
    mounted(request, configured, fallback)
  if (!place || !isBasePath(place.base)) return undefined
  const isRoute = isServiceRoute(place.route) || (isHere && isOperatorRoute(place.route))
  return isRoute ? place : undefined
}

/** The metadata at the root. If the app is mounted there too, only a configured base path says which service is meant. */
function atRoot(
  { path, mount = '' }: Pick<HostRequest, 'path' | 'mount'>,
  configured: string | undefined,
  fallback: string,
): Place | undefined {
  const base = metadataBase(path)
  if (base === undefined || base !== (configured ?? (mount === '' ? fallback : undefined)))
    return undefined
  return { base, route: METADATA, isRewritten: false }
}

function below({ path }: { path: string }, base: string | undefined): Place | undefined {
  if (base === undefined || !path.startsWith(`${base}/`)) return undefined
  return { base, route: path.slice(base.length), isRewritten: false }
}

/** A proxy may have stripped a part of the path: then the configuration names the base path. */
function mounted(
  { path, mount = '' }: Pick<HostRequest, 'path' | 'mount'>,
  configured: string | undefined,
  fallback: string,
): Place | undefined {
  // A mount for the metadata alone.
  if (mount === '/.well-known') return undefined
  // A mount at the root does not separate the app's paths from ours.
  if (mount === '') return configured === undefined ? below({ path }, fallback) : undefined
  const base = configured ?? mount
  return { base, route: path.slice(mount.length), isRewritten: base !== mount }
}
