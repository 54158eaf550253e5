import { InvalidConfiguration } from '../errors.js'
import { BadRequest } from '../lib/bad-request.js'

/** Who may say where this service stands. */
export interface OriginPolicy {
  /** Origin of `AUTH_URL`; wins over everything. */
  readonly configured: string | undefined
  readonly trustHost: boolean
  readonly trusted: readonly OriginPattern[]
}

/** An allowed origin; with `subdomains`, every host below it as well, but not the host itself. */
export interface OriginPattern {
  readonly scheme: 'http:' | 'https:'
  readonly host: string
  readonly subdomains: boolean
}

const HOST = /^(?:[a-z0-9_](?:[a-z0-9._-]{0,252})|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i

/**
 * The public origin of the service for one request. Without `AUTH_URL` it is what the platform
 * routed by, unless headers are trusted: a Host header is the client's own word (OWASP ASVS 5.0,
 * 4.1.3: intermediaries' headers must not be accepted from users).
 *
 * @throws {BadRequest} 400 for a malformed Host or forwarded header where those are looked at.
 */
export function resolveOrigin(request: Request, policy: OriginPolicy): string {
  if (policy.configured) return policy.configured
  if (!policy.trustHost && policy.trusted.length === 0) return originIn(request.url)
  const url = new URL(request.url)
  const claimed = claimedOrigin(request.headers, url)
  return policy.trustHost || isTrustedOrigin(claimed, policy.trusted) ? claimed : url.origin
}

/** Of an address in the one spelling that a `Request` gives it. Spares a parser for each request. */
function originIn(url: string): string {
  return url.slice(0, url.indexOf('/', 'https://'.length))
}

function claimedOrigin(headers: Headers, url: URL): string {
  const host = firstValue(headers, 'x-forwarded-host') ?? headers.get('host') ?? url.host
  const scheme = firstValue(headers, 'x-forwarded-proto') ?? url.protocol.slice(0, -1)
  if (!HOST.test(host) || !/^https?$/i.test(scheme)) throw malformed()
  try {
    return new URL(`${scheme}://${host}`).origin
  } catch {
    throw malformed()
  }
}

function malformed(): BadRequest {
  return new BadRequest(400, 'Malformed Host or X-Forwarded header.')
}

/** Proxies append to these headers: the first value is the one next to the browser. */
function firstValue(headers: Headers, name: string): string | undefined {
  return headers.get(name)?.split(',', 1)[0]?.trim() || undefined
}

/** Is this exact origin allowed? `https://*.example.com` covers labels below, never `xexample.com`. */
export function isTrustedOrigin(origin: string, patterns: readonly OriginPattern[]): boolean {
  const url = URL.parse(origin)
  if (!url) return false
  return patterns.some(
    ({ scheme, host, subdomains }) =>
      url.protocol === scheme && (subdomains ? url.host.endsWith(`.${host}`) : url.host === host),
  )
}

/** @throws {InvalidConfiguration} naming the entry that is no origin. */
export function parseOriginPattern(text: string): OriginPattern {
  const wildcard = /^(https?:\/\/)\*\.(.+)$/.exec(text)
  const url = URL.parse(wildcard ? `${wildcard[1]}${wildcard[2]}` : text)
  const isOrigin = url && (url.protocol === 'https:' || url.protocol === 'http:') && isBare(url)
  if (!isOrigin || url.host.includes('*') || (wildcard && !url.host.includes('.'))) {
    throw new InvalidConfiguration(
      `AUTH_TRUSTED_ORIGINS holds "${text}", which is not an origin such as https://app.example.com or https://*.example.com.`,
    )
  }
  return {
    scheme: url.protocol as OriginPattern['scheme'],
    host: url.host,
    subdomains: wildcard !== null,
  }
}

/**
 * `AUTH_URL`: a public origin, optionally with the base path.
 * @throws {InvalidConfiguration} when it is not an http(s) URL, or has a query, fragment or user.
 */
export function parseAuthUrl(text: string): { origin: string; basePath: string | undefined } {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || !isBare(url, true)) {
    throw new InvalidConfiguration(
      'AUTH_URL must be the public origin, such as https://example.com, optionally with the base path.',
    )
  }
  const path = url.pathname.replace(/\/+$/, '')
  return { origin: url.origin, basePath: path === '' ? undefined : path }
}

function isBare(url: URL, pathAllowed = false): boolean {
  const path = pathAllowed || url.pathname === '/'
  return path && url.search === '' && url.hash === '' && url.username === '' && url.password === ''
}
