import type { App } from './settings.js'

/** The longest redirect URI, in characters: an authorization request of 2,048 has room for it. */
const MAX_REDIRECT_URI = 1_024

/** The characters of a URI (RFC 3986, section 2), without `#`, `*` and a lone `%`. */
const CHARACTERS = /^(?:[A-Za-z0-9\-._~:/?[\]@!$&'()+,;=]|%[\dA-Fa-f]{2})+$/

/** The three hosts of this machine (RFC 8252, section 7.3). Groups: scheme and host, the port, the rest. */
const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::([1-9]\d{0,4}))?((?:[/?].*)?)$/

/** Group: the host without its port. */
const HTTPS = /^https:\/\/([\w.-]+|\[[^/?[\]]+\])(?=[:/?]|$)/

/** A scheme of an app's own, with or without a dot. Group: the scheme. */
const PRIVATE_USE = /^([a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)*):\/./

/** Schemes that browsers, or the system below, answer themselves, or that lead to a site or a program of others. */
const KNOWN_SCHEMES: ReadonlySet<string> = new Set(
  [
    'about android-app blob brave chrome cid content data devtools edge facetime feed file filesystem firefox ftp ftps',
    'geo gopher http https imap intent irc itms itms-apps itms-services jar javascript ldap livescript localhost magnet',
    'mailto market mhtml microsoft-edge mms news nfs nntp openid4vp opera otpauth res resource safari search search-ms',
    'sftp shell sip sips smb sms smsto ssh tel telnet urn vbscript view-source vivaldi vnc webcal ws wss xmpp',
  ].flatMap((line) => line.split(' ')),
)

/** The same by how they begin: those of browsers, of Windows and Apple, and what any site may claim (HTML, 8.9.1). */
const KNOWN_BEGINNING = /^(?:(?:chrome|moz|ms|safari|web|isolated)[-+]|x-apple)/

/** `.` and `..`, as browsers read them too (WHATWG URL, "single-dot URL path segment"). */
const DOTS = /^(?:\.|%2e){1,2}$/i

/** An encoded control character: C0 and DEL. */
const CONTROL = /%(?:[01][\dA-Fa-f]|7[Ff])/

/**
 * May an app have this redirect URI? It is https, http for this machine, or of a private-use scheme (RFC 8252, section 7),
 * which is not one that browsers know.
 * It is spelled as a browser spells it, so that the text which is compared is the place to which a browser goes (RFC 9700,
 * section 4.1).
 *
 * @example isRedirectUri('https://app.example.com/callback') // true
 */
export function isRedirectUri(text: string): boolean {
  if (text.length > MAX_REDIRECT_URI || !CHARACTERS.test(text) || CONTROL.test(text)) return false
  const [beforeQuery = ''] = text.split('?', 1)
  const afterScheme = beforeQuery.slice(beforeQuery.indexOf(':') + 1)
  const authority = /^\/\/([^/]*)/.exec(afterScheme)?.[1] ?? ''
  if (authority.includes('@')) return false
  if (afterScheme.split('/').some((segment) => DOTS.test(segment))) return false
  const scheme = PRIVATE_USE.exec(text)?.[1]
  if (scheme !== undefined && scheme !== 'https' && scheme !== 'http') {
    return !KNOWN_SCHEMES.has(scheme) && !KNOWN_BEGINNING.test(scheme) && URL.canParse(text)
  }
  const loopback = LOOPBACK.exec(text)
  const host = HTTPS.exec(text)?.[1] ?? loopback?.[1]?.slice('http://'.length)
  const url = URL.parse(text)
  // Another spelling of a host, such as 0x7f.1, is not taken: what a browser makes of it nobody sees.
  if (!url || host === undefined || url.hostname !== host.toLowerCase()) return false
  return authority === host || /^:[1-9]\d{0,4}$/.test(authority.slice(host.length))
}

/** Is it of a private-use scheme? @param text a redirect URI */
export function isPrivateUse(text: string): boolean {
  return !/^https?:/.test(text)
}

/**
 * Is it of a private-use scheme without a dot, such as `cursor://cb`? Nobody owns it: one with a dot is a domain name in reverse
 * order (RFC 8252, section 7.1).
 *
 * @param text a redirect URI
 */
export function isOwnerless(text: string): boolean {
  return isPrivateUse(text) && !text.slice(0, text.indexOf(':')).includes('.')
}

/** Is it http, for this machine? Then its port may differ. */
export function isLoopbackUri(text: string): boolean {
  return LOOPBACK.test(text)
}

/**
 * The redirect URI of a request, if it is one of the app's: character by character, but for the port of this machine
 * (RFC 9700, section 2.1; RFC 8252, section 7.3).
 *
 * @returns the text of the request; `undefined`: no browser is sent there
 */
export function redirectUriFor({ redirectUris }: App, text: string): string | undefined {
  if (redirectUris.includes(text)) return text
  const asked = withoutPort(text)
  if (asked === undefined || !isRedirectUri(text)) return undefined
  return redirectUris.some((one) => withoutPort(one) === asked) ? text : undefined
}

function withoutPort(text: string): string | undefined {
  if (text.length > MAX_REDIRECT_URI) return undefined
  const [, host, , rest] = LOOPBACK.exec(text) ?? []
  return host === undefined ? undefined : `${host}${rest}`
}
