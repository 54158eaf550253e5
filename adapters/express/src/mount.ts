import type { SessionRequest } from './types.js'

/**
 * The path that Express routes by, and the part of it at which the middleware is mounted: the part
 * that Express has taken off the path, without the part that a wildcard of the mount has matched.
 */
export function mountOf(req: SessionRequest): { readonly path: string; readonly mount: string } {
  const { baseUrl = '', path = '/' } = req
  const whole = path === '/' ? baseUrl : baseUrl + path
  const wildcard = wildcardOf(req, whole)
  // Express has removed the slash, and none of our routes ends with one.
  if (wildcard?.endsWith('/')) return { path: `${whole}/`, mount: '' }
  const mounted = wildcard ?? (baseUrl === '' ? whole : path)
  return { path: whole, mount: whole.slice(0, whole.length - mounted.length) }
}

/** The match of the mount's wildcard. Express 4 numbers it, Express 5 has a list of segments. */
function wildcardOf({ params }: SessionRequest, whole: string): string | undefined {
  let path: string | undefined
  for (const [name, value] of Object.entries(params ?? {})) {
    const isWildcard = Array.isArray(value) || (typeof value === 'string' && /^\d+$/.test(name))
    if (!isWildcard) continue
    const text = Array.isArray(value) ? value.join('/') : value
    const route = text.startsWith('/') ? text : `/${text}`
    if (whole.endsWith(route) || `${whole}/`.endsWith(route)) path = route
  }
  return path
}
