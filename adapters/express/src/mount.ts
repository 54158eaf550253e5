import { DEFAULT_BASE_PATH, isBasePath, isServiceRoute } from '@latchkey/session/adapter'
import type { ExpressRequest } from './types.js'

/** Where a request meets the service. */
export interface Place {
  /** The base path, such as `/auth`. */
  readonly base: string
  /** The service's own route, such as `/signin/github`. */
  readonly route: string
  /** Is the path here another than at the browser? It is where a proxy takes a part of it off. */
  readonly isRewritten: boolean
}

/**
 * The base path and the route of a request; `undefined` when it is none of the service's. The base
 * path is what the configuration says, or else the mount: what Express has taken off the path, less
 * what a wildcard of the mount has matched.
 *
 * @param fallback for a mount at the root
 */
export function placeOf(
  req: ExpressRequest,
  configured: string | undefined,
  fallback = DEFAULT_BASE_PATH,
): Place | undefined {
  const { baseUrl, path } = req
  const whole = path === '/' ? baseUrl : baseUrl + path
  // Express decodes what a wildcard matched, and no route of ours needs an escape.
  if (whole.includes('%')) return undefined
  const wildcard = wildcardOf(req, whole)
  // Express has taken the slash off, and no route of ours ends with one.
  if (wildcard?.endsWith('/')) return undefined
  const mounted = wildcard ?? (baseUrl === '' ? whole : path)
  const place = below(whole, configured) ?? mountOf(whole, mounted, configured, fallback)
  return place && isServiceRoute(place.route) && isBasePath(place.base) ? place : undefined
}

function below(whole: string, base: string | undefined): Place | undefined {
  if (base === undefined || !whole.startsWith(`${base}/`)) return undefined
  return { base, route: whole.slice(base.length), isRewritten: false }
}

/** A proxy may have taken a part of the path off: then the configuration names the base path. */
function mountOf(
  whole: string,
  route: string,
  configured: string | undefined,
  fallback: string,
): Place | undefined {
  const base = whole.slice(0, whole.length - route.length)
  // Mounted at the root, where nothing tells the app's paths from ours.
  if (base === '') return configured === undefined ? below(whole, fallback) : undefined
  return { base: configured ?? base, route, isRewritten: (configured ?? base) !== base }
}

/** What the mount's wildcard has matched. Express 4 numbers it, Express 5 has a list of segments. */
function wildcardOf({ params }: ExpressRequest, whole: string): string | undefined {
  let found: string | undefined
  for (const [name, value] of Object.entries(params ?? {})) {
    const isWildcard = Array.isArray(value) || (typeof value === 'string' && /^\d+$/.test(name))
    if (!isWildcard) continue
    const text = Array.isArray(value) ? value.join('/') : value
    const route = text.startsWith('/') ? text : `/${text}`
    if (whole.endsWith(route) || `${whole}/`.endsWith(route)) found = route
  }
  return found
}
