/** The session cookie's name before its prefix. */
export const SESSION_COOKIE = 'auth.session-token'

/** A value above this many characters is split; with name and attributes a cookie stays below 4096. */
const CHUNK_LENGTH = 3_800

/**
 * A cookie's name with the prefix that makes browsers enforce its attributes (RFC 6265bis, 4.1.3):
 * `__Host-` on https, `__Secure-` when the cookie is shared with subdomains, none on http.
 *
 * @example cookieName('auth.session-token', { secure: true }) // '__Host-auth.session-token'
 */
export function cookieName(
  base: string,
  { secure, domain }: { secure: boolean; domain?: string | undefined },
): string {
  if (!secure) return base
  return domain ? `__Secure-${base}` : `__Host-${base}`
}

/** Every value that a Cookie header gives to exactly this name, in order (RFC 6265bis, 5.8.3). */
export function cookieValues(header: string | null | undefined, name: string): string[] {
  const values: string[] = []
  if (!header?.includes(name)) return values
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=')
    if (at > 0 && pair.slice(0, at).trim() === name) values.push(unquote(pair.slice(at + 1).trim()))
  }
  return values
}

/** Every cookie name in a Cookie header, once each. */
export function cookieNames(header: string | null | undefined): string[] {
  const names = (header ?? '').split(';').map((pair) => pair.split('=', 1)[0]?.trim() ?? '')
  return [...new Set(names.filter((name) => name !== ''))]
}

/**
 * The session tokens that a request may carry: what stands under the name itself, then the joined
 * chunks `name.0`, `name.1`, … matched by exact name, so that a stray cookie which only begins with
 * the name is never mixed in. Usually one; the first that verifies counts.
 */
export function sessionTokens(header: string | null | undefined, name: string): string[] {
  if (!header?.includes(name)) return []
  const tokens = cookieValues(header, name)
  let chunked = ''
  for (let index = 0; ; index++) {
    const [chunk] = cookieValues(header, `${name}.${index}`)
    if (chunk === undefined) break
    chunked += chunk
  }
  if (chunked !== '') tokens.push(chunked)
  return tokens.filter((token) => token !== '')
}

/**
 * The cookies that hold a value: one, or `name.0`, `name.1`, … of 3,800 characters each.
 *
 * @example splitCookie('auth.session-token', token) // [['auth.session-token', token]]
 */
export function splitCookie(name: string, value: string): [name: string, value: string][] {
  if (value.length <= CHUNK_LENGTH) return [[name, value]]
  const cookies: [string, string][] = []
  for (let at = 0; at < value.length; at += CHUNK_LENGTH) {
    cookies.push([`${name}.${cookies.length}`, value.slice(at, at + CHUNK_LENGTH)])
  }
  return cookies
}

/** The names in a Cookie header that belong to a cookie or to its chunks, and no others. */
export function ownCookieNames(header: string | null | undefined, name: string): string[] {
  return cookieNames(header).filter(
    (found) =>
      found === name ||
      (found.startsWith(`${name}.`) && /^\d{1,2}$/.test(found.slice(name.length + 1))),
  )
}

function unquote(value: string): string {
  return value.length >= 2 && value.startsWith('"') && value.endsWith('"')
    ? value.slice(1, -1)
    : value
}
