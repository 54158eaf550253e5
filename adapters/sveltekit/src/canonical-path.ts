import type { KitEvent } from './types.js'

/**
 * Characters that a path may have unencoded, and that Kit treats the same when they are encoded.
 */
const PLAIN = /[A-Za-z0-9\-._~!'()*]/
/**
 * Characters that the URL parser leaves unencoded, though they have to be encoded (RFC 3986, 3.3).
 */
const LEFT = /[[\]|^]/g
/** Most paths have none of these, and so have one spelling. */
const CAN_DIFFER = /[%[\]|^]/

/**
 * The redirect for a request whose path is not in its canonical spelling; `undefined` when it is.
 *
 * Kit finds the route by the decoded path, while an app's hook reads the raw path: for the hook
 * `/%61dmin` is not `/admin`, and Kit serves `/admin` (RFC 3986, 6.2.2; OWASP, path equivalence).
 * So each path has one spelling here.
 */
export function canonicalLocation({ url, isRemoteRequest }: KitEvent): string | undefined {
  // The client makes up the path of such a request, which finds no route.
  if (isRemoteRequest) return undefined
  const { pathname, search } = url
  const canonical = canonicalPath(pathname)
  if (canonical === pathname) return undefined
  // Two slashes at the beginning would name another host.
  return (canonical.startsWith('//') ? `/.${canonical}` : canonical) + search
}

/**
 * Is it a path that cannot be decoded, such as `/%` or `/%ff`? Kit 3 still calls the app's hooks
 * for it, outside of the code that catches their redirects: on Node a thrown redirect then ends the
 * process.
 */
export function isMalformed({ url }: KitEvent): boolean {
  const { pathname } = url
  if (!pathname.includes('%')) return false
  try {
    // The result is used, since a bundler would otherwise remove the call, and the check with it.
    return decodeURI(pathname) === ''
  } catch {
    return true
  }
}

/** The one spelling of a path. */
export function canonicalPath(pathname: string): string {
  if (!CAN_DIFFER.test(pathname)) return pathname
  return pathname
    .replace(/%[0-9a-f]{2}/gi, (encoded) => {
      const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16))
      return PLAIN.test(character) ? character : encoded.toUpperCase()
    })
    .replace(LEFT, encodeURIComponent)
}
