import { isTrustedOrigin, type OriginPattern } from '@latchkey/host/shared'

declare const checked: unique symbol

/**
 * An absolute URL that was checked as a redirect target. This file makes those of people, and the authorization server one of
 * a redirect URI that its app has registered (features/authorization-server/app-redirect.ts).
 */
export type SafeRedirect = string & { readonly [checked]: true }

/** Longer targets are refused: they would not fit the cookie that carries them. Characters. */
const MAX_LENGTH = 2_048

/** The same, if most of it is a query: that of an authorization request may have 2,048 itself. Characters. */
const MAX_WITH_QUERY = 2_304

/**
 * A redirect target on this origin or on an allow-listed one, else `undefined` (OWASP ASVS 5.0,
 * open redirects). Relative paths are resolved; `//host`, backslashes, control characters, user
 * info and other schemes are refused. A path that begins with two slashes once it is resolved is refused
 * too, such as that of `/..//host`: a framework that makes a target relative keeps only the path.
 *
 * @example safeRedirect('/inbox', 'https://example.com', []) // 'https://example.com/inbox'
 */
export function safeRedirect(
  target: string,
  origin: string,
  trusted: readonly OriginPattern[],
): SafeRedirect | undefined {
  const url = parseTarget(target, origin)
  if (!url || (url.origin !== origin && !isTrustedOrigin(url.origin, trusted))) return undefined
  return isPathOfHost(url) ? shortEnough(url) : undefined
}

/**
 * A target that the app's own `redirect` callback chose: any http(s) URL, since the app may send
 * its users where it likes, but still no text that browsers could read in two ways.
 */
export function chosenRedirect(target: unknown, origin: string): SafeRedirect | undefined {
  const url = typeof target === 'string' ? parseTarget(target, origin) : undefined
  return url && isPathOfHost(url) ? shortEnough(url) : undefined
}

/** A page of ours, of the operator or of a provider: configured, and not stored in a cookie. */
export function configuredRedirect(target: string, origin: string): SafeRedirect | undefined {
  const url = parseTarget(target, origin)
  // No framework makes the page of a provider relative.
  return url && (url.origin !== origin || isPathOfHost(url))
    ? (url.href as SafeRedirect)
    : undefined
}

/** The root of this origin: the target without a callbackUrl, or with an unsafe one. */
export function rootOf(origin: string): SafeRedirect {
  return `${origin}/` as SafeRedirect
}

/** Does the path alone lead to the same host? One that begins with two slashes names another host. */
function isPathOfHost({ pathname }: URL): boolean {
  return !pathname.startsWith('//')
}

/** The length is that of the encoded form, in which a character may take nine. */
function shortEnough({ href, search }: URL): SafeRedirect | undefined {
  const most =
    href.length - search.length > MAX_WITH_QUERY - MAX_LENGTH ? MAX_LENGTH : MAX_WITH_QUERY
  return href.length > most ? undefined : (href as SafeRedirect)
}

function parseTarget(target: string, origin: string): URL | undefined {
  if (target === '') return undefined
  // Browsers drop tabs and newlines and read a backslash as a slash; servers often do not.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern refuses these
  if (/[\u0000-\u0020\u007f\\]/.test(target) || target.startsWith('//')) return undefined
  const url = URL.parse(target, `${origin}/`)
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) return undefined
  return url.username === '' && url.password === '' ? url : undefined
}
