/** The session cookie's name before its prefix. */
export const SESSION_COOKIE = 'auth.session-token'

/** A value above this many characters is split; with name and attributes a cookie stays below 4096. */
const CHUNK_LENGTH = 3_800

/** Bounds the signature checks for a header full of forged cookies. */
const MAX_CANDIDATES = 8

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

/** A token (RFC 6265, 4.1.1), less `%`: some servers decode names, and others do not. */
export function isCookieName(name: string): boolean {
  return /^[A-Za-z0-9!#$&'*+.^_`|~-]+$/.test(name)
}

/** Every value that a Cookie header gives to exactly this name, in order (RFC 6265bis, 5.8.3). */
export function cookieValues(header: string | null | undefined, name: string): string[] {
  if (!header?.includes(name)) return []
  return cookiePairs(header).flatMap(([other, value]) => (other === name ? [value] : []))
}

/** Every cookie name in a Cookie header, once each. */
export function cookieNames(header: string | null | undefined): string[] {
  return [...new Set(cookiePairs(header ?? '').map(([name]) => name))]
}

/**
 * The session tokens that a request may carry: the values under the name itself, then the joined
 * chunks `name.0`, `name.1`, … matched by exact name, so that a stray cookie with a longer name
 * is never part of a value. Usually one; genuine tokens of several users do not sign in. At
 * most {@link MAX_CANDIDATES}, since each may cost a signature check: the last, since cookies of
 * longer paths, which are not ours, come first (RFC 6265bis, 5.8.3). For the same reason chunks
 * that come twice are joined in three ways.
 */
export function sessionTokens(header: string | null | undefined, name: string): string[] {
  const only = onlyToken(header, name)
  if (only !== undefined) return only === '' ? [] : [only]
  if (!header) return []
  const whole = new Set<string>()
  const first = new Map<string, string>()
  const last = new Map<string, string>()
  for (const [other, value] of cookiePairs(header)) {
    if (other === name) whole.add(value)
    if (!isChunkOf(name, other)) continue
    if (!first.has(other)) first.set(other, value)
    last.set(other, value)
  }
  const all = joined(first, name, false)
  const others = [joined(first, name, true), joined(last, name, true)]
  const chunked = new Set([all, ...others.filter((token) => TOKEN.test(token))])
  chunked.delete('')
  const most = MAX_CANDIDATES - Math.max(chunked.size, 1)
  return [...[...whole].filter((token) => token !== '').slice(-most), ...chunked]
}

/** The form of a session token: a JWS with a signature of 64 bytes. */
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]{86}$/

/**
 * @param toShort ends with the first chunk that is not full: chunks behind it are left over from
 * another token
 */
function joined(chunks: ReadonlyMap<string, string>, name: string, toShort: boolean): string {
  let text = ''
  for (let index = 0; ; index++) {
    const chunk = chunks.get(`${name}.${index}`)
    if (chunk === undefined) return text
    text += chunk
    if (toShort && chunk.length < CHUNK_LENGTH) return text
  }
}

/**
 * The session token of an unambiguous header, as most are: the name occurs once, as the whole name
 * of a cookie, and the value has neither blanks nor quotes to remove. Splitting the header would
 * take half of the time of reading a session.
 *
 * @returns `''` when there is none; `undefined` when {@link sessionTokens} has to parse the header
 */
export function onlyToken(header: string | null | undefined, name: string): string | undefined {
  if (!header) return ''
  const start = header.indexOf(name)
  if (start === -1) return ''
  const from = start + name.length + 1
  if (header.charCodeAt(from - 1) !== EQUALS || !isAtBeginning(header, start)) return undefined
  const semicolon = header.indexOf(';', from)
  const end = semicolon === -1 ? header.length : semicolon
  if (isWrapped(header.charCodeAt(from)) || isWrapped(header.charCodeAt(end - 1))) return undefined
  if (semicolon !== -1 && header.indexOf(name, end) !== -1) return undefined
  return header.slice(from, end)
}

const EQUALS = 0x3d
const SEMICOLON = 0x3b

/** Does a cookie begin here? Browsers write one space after the semicolon. */
function isAtBeginning(header: string, at: number): boolean {
  if (at === 0) return true
  const before = header.charCodeAt(at - 1)
  return before === SEMICOLON || (before === 0x20 && header.charCodeAt(at - 2) === SEMICOLON)
}

function isWrapped(code: number): boolean {
  return code === 0x22 || isBlank(code)
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
  return cookieNames(header).filter((other) => other === name || isChunkOf(name, other))
}

/** `0` to `99`, in one spelling. */
const CHUNK_INDEX = /^(?:0|[1-9][0-9]?)$/

function isChunkOf(name: string, other: string): boolean {
  return other.startsWith(`${name}.`) && CHUNK_INDEX.test(other.slice(name.length + 1))
}

/** The cookies of a header, in order. One without a name, or without `=`, is left out (RFC 6265bis, 5.6). */
export function cookiePairs(header: string): [name: string, value: string][] {
  const pairs: [string, string][] = []
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=')
    const name = at > 0 ? trim(pair.slice(0, at)) : ''
    if (name !== '') pairs.push([name, unquote(trim(pair.slice(at + 1)))])
  }
  return pairs
}

/**
 * Removes space and tab, as browsers do, and nothing else. `String.prototype.trim` also removes
 * Unicode's spaces: a sibling domain could set `\u2000__Host-name`, for which no browser enforces
 * the prefix's rules, and the server would read it as `__Host-name`.
 */
function trim(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isBlank(text.charCodeAt(start))) start++
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09
}

function unquote(value: string): string {
  return value.length >= 2 && value.startsWith('"') && value.endsWith('"')
    ? value.slice(1, -1)
    : value
}
