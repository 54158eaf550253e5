import type { KitEvent } from './types.js'

/** What a path may have as it is, and Kit takes for the same when it is encoded. */
const PLAIN = /[A-Za-z0-9\-._~!'()*]/
/** What the URL parser leaves in a path as it is, though it has to be encoded (RFC 3986, 3.3). */
const LEFT = /[[\]|^]/g
/** Without any of these a path has one spelling, and most have none. */
const CAN_DIFFER = /[%[\]|^]/

/**
 * Where a request has to go whose path is not written as it should be; `undefined` when it is.
 *
 * Kit finds the route by the decoded path, while an app's hook looks at the path as it was sent: of
 * `/%61dmin` it says that it is not `/admin`, and Kit serves `/admin` (RFC 3986, 6.2.2; OWASP, path
 * equivalence). So each path has one spelling here.
 */
export function canonicalLocation({ url, isRemoteRequest }: KitEvent): string | undefined {
  // The path of those is the client's own word, and leads nowhere.
  if (isRemoteRequest) return undefined
  const { pathname, search } = url
  const canonical = canonicalPath(pathname)
  if (canonical === pathname) return undefined
  // Two slashes at the beginning would name another host.
  return (canonical.startsWith('//') ? `/.${canonical}` : canonical) + search
}

/**
 * Is it a path that cannot be decoded, such as `/%` or `/%ff`? Kit 3 asks the app's hooks about it all the
 * same, outside of what catches their redirects: on Node one that is thrown then ends the process.
 */
export function isMalformed({ url }: KitEvent): boolean {
  const { pathname } = url
  if (!pathname.includes('%')) return false
  try {
    // Its value is asked for: a bundler leaves the call out otherwise, and the check with it.
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
