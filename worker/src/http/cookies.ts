import { cookiePairs } from '@latchkey/session/internal'
import { cookieName } from '@latchkey/session/issue'
import { COOKIE_NAMES } from '../config/cookies.js'
import { InvalidConfiguration } from '../errors.js'
import type { RawCookie } from '../types/raw-response.js'
import type { AuthRequest } from './request.js'

/** The most left-over cookies of one kind that an answer removes; the next answers remove the rest. */
export const MAX_REMOVED = 8

/**
 * The full name of one of our cookies for this request. The session cookie's may be the app's own to
 * the letter, since apps in other languages read it; what this service alone reads is `__Host-` on
 * https under every name, so that no other host can set it.
 */
export function ownCookieName(request: AuthRequest, kind: keyof typeof COOKIE_NAMES): string {
  const { secure, config } = request
  const { names, domain } = config.cookies
  const name = names[kind]
  if (kind === 'sessionToken') return name ?? cookieName(COOKIE_NAMES[kind], { secure, domain })
  const base = name ?? COOKIE_NAMES[kind]
  return base.startsWith('__Host-') ? base : cookieName(base, { secure })
}

/**
 * A browser would drop it without a word (RFC 6265bis, 4.1.3).
 *
 * @throws {InvalidConfiguration} when the name's prefix promises https, and this request is not
 * https
 */
export function checkCookieName({ secure }: AuthRequest, name: string): void {
  if (secure || !/^__(?:host|secure)-/i.test(name)) return
  throw new InvalidConfiguration(`The cookie "${name}" can be set on https only.`)
}

/** Browsers keep no cookie longer than 400 days (RFC 6265bis, 5.5); a session may live longer. Seconds. */
const MAX_COOKIE_AGE = 400 * 24 * 60 * 60

const LAX = { sameSite: 'lax' } as const

/** For each site that embeds the app there is another cookie (CHIPS): a site sees none that was set elsewhere. */
const EMBEDDED = { sameSite: 'none', partitioned: true } as const

/**
 * Sets a cookie, with the attributes that all our cookies share (RFC 6265bis). Names and domains
 * were checked with the configuration. One that this answer sets already is replaced: a browser should
 * not be sent two of one name (RFC 6265, 4.1.1).
 *
 * @param maxAge seconds; 0 removes the cookie; left out, it lives as long as the browser is open
 * @param domain shares the cookie with subdomains; only the session cookie may have one
 * @throws {InvalidConfiguration} when the name's prefix promises https, and this request is not
 * https
 */
export function addCookie(
  request: AuthRequest,
  name: string,
  value: string,
  { maxAge, domain }: { maxAge?: number; domain?: string | undefined } = {},
): void {
  checkCookieName(request, name)
  const { setCookies, secure, config } = request
  const before = setCookies.findIndex((cookie) => cookie.name === name)
  if (before >= 0) setCookies.splice(before, 1)
  setCookies.push({
    name,
    value,
    options: {
      path: '/',
      httpOnly: true,
      secure,
      // Browsers take `None` on https alone.
      ...(config.cookies.isEmbedded && secure ? EMBEDDED : LAX),
      ...(maxAge === undefined ? {} : { maxAge: Math.min(Math.max(0, maxAge), MAX_COOKIE_AGE) }),
      ...(domain === undefined ? {} : { domain }),
    },
  })
}

/** The attributes of a cookie as its Set-Cookie header has them, without its age. */
export function attributesOf({ domain, secure, partitioned }: RawCookie['options']): string {
  const site = partitioned ? 'SameSite=None; Partitioned' : 'SameSite=Lax'
  const shared = domain === undefined ? '' : `Domain=${domain}; `
  return `${shared}Path=/; HttpOnly; ${secure ? 'Secure; ' : ''}${site}`
}

/**
 * All our cookies together stay below this, a session included: Node answers 431 if the headers of a
 * request are above 16 KiB, and the app has cookies of its own. Bytes.
 */
const MAX_COOKIES = 8_000

/** Starts with the time in base 36, so that ids sort by age, then 64 random bits. */
export const FLOW_ID = /^[0-9a-z]{9}-[A-Za-z0-9_-]{11}$/

/**
 * Lets started sign-ins go, the oldest first, if our cookies would become too large with those that are set.
 * One that this answer sets stays: a sibling host may toss cookies whose names sort behind it.
 */
export function fitCookies(request: AuthRequest): void {
  if (mostBytes(request) <= MAX_COOKIES) return
  const { flows } = ourCookies(request)
  const { sizes, fresh } = sizesOf(request)
  let total = sumOf(sizes)
  const older = [...sizes.keys()].filter((name) => flows(name) && !fresh.has(name)).sort()
  const isGone = (cookie: RawCookie) => cookie.options.maxAge === 0 && flows(cookie.name)
  const room = Math.max(0, MAX_REMOVED - request.setCookies.filter(isGone).length)
  for (const name of older.slice(0, room)) {
    if (total <= MAX_COOKIES) return
    total -= sizes.get(name) ?? 0
    addCookie(request, name, '', { maxAge: 0 })
  }
  const device = ownCookieName(request, 'device')
  const spared = sizes.get(device) ?? 0
  // Removing it signs no user out: the browser only counts as an unknown one afterwards.
  if (total > MAX_COOKIES && total - spared <= MAX_COOKIES) {
    addCookie(request, device, '', { maxAge: 0 })
  }
}

/** The room for a started sign-in if all others go. Bytes. */
export function roomFor(request: AuthRequest): number {
  const { flows } = ourCookies(request)
  return MAX_COOKIES - sumOf([...sizesOf(request).sizes].filter(([name]) => !flows(name)))
}

/**
 * The most bytes that all cookies can have after this answer, without a look at each one: they include cookies that are not
 * ours, and cookies that the answer removes. Each that was sent has at least three letters, as `a=;`, and {@link sizeOf}
 * counts one more.
 */
function mostBytes({ cookieHeader, setCookies }: AuthRequest): number {
  const sent = ((cookieHeader?.length ?? 0) + 1) * (4 / 3)
  return setCookies.reduce(
    (sum, { name, value }) => sum + sizeOf(name, encodeURIComponent(value)),
    Math.ceil(sent),
  )
}

function sumOf(sizes: Iterable<readonly [string, number]>): number {
  return [...sizes].reduce((sum, [, size]) => sum + size, 0)
}

/** The sizes of our cookies after this answer, by their names, and which of them it sets. */
function sizesOf(request: AuthRequest) {
  const { names } = ourCookies(request)
  const sizes = new Map<string, number>()
  for (const [name, value] of cookiePairs(request.cookieHeader ?? '')) {
    const isOurs = names.some((own) => name === own || name.startsWith(`${own}.`))
    if (isOurs) sizes.set(name, (sizes.get(name) ?? 0) + sizeOf(name, value))
  }
  const fresh = new Set<string>()
  for (const { name, value, options } of request.setCookies) {
    sizes.delete(name)
    if (options.maxAge === 0) continue
    sizes.set(name, sizeOf(name, encodeURIComponent(value)))
    fresh.add(name)
  }
  return { sizes, fresh }
}

/** As a Cookie header has it, with `=` and what parts it from the next. Bytes. */
export function sizeOf(name: string, value: string): number {
  return name.length + value.length + 3
}

const KINDS = ['sessionToken', 'csrfToken', 'flow', 'device', 'locale', 'lastWay'] as const

/** The names of our cookies, and which names are those of started sign-ins. */
export function ourCookies(request: AuthRequest) {
  const names = KINDS.map((kind) => ownCookieName(request, kind))
  const prefix = `${names[2]}.`
  const flows = (name: string) => name.startsWith(prefix) && FLOW_ID.test(name.slice(prefix.length))
  return { names, flows, prefix }
}
