import { InvalidConfiguration } from './errors.js'

/** An allowed origin; with `subdomains`, every host below it as well, but not the host itself. */
export interface OriginPattern {
  readonly scheme: string
  readonly host: string
  readonly subdomains: boolean
}

/**
 * Who says that an origin is ours.
 *
 * - `named`: the operator, by `AUTH_URL`, an entry of `AUTH_TRUSTED_ORIGINS` without a wildcard, or a
 *   proxy or an app that is trusted; or it means this machine. Mails may lead there.
 * - `routed`: the platform, which routes by host; or a developer's machine. Sessions may begin there.
 * - `claimed`: a wildcard covers it, or nothing but the request itself. What has begun goes on there.
 */
export type Standing = 'named' | 'routed' | 'claimed'

/**
 * What an adapter that answers the auth routes in its own process says of the request that it made for
 * them. Only who runs in the process has the symbol.
 */
export const standing: unique symbol = Symbol('latchkey.standing')

/** May people be sent to this origin? `https://*.example.com` covers labels below, never `xexample.com`. */
export function isTrustedOrigin(origin: string, patterns: readonly OriginPattern[]): boolean {
  const url = parse(origin)
  if (!url) return false
  return patterns.some(
    ({ scheme, host, subdomains }) =>
      url.protocol === scheme && (subdomains ? url.host.endsWith(`.${host}`) : url.host === host),
  )
}

/** Is this the origin of an entry without a wildcard, or of a host that always means this machine? */
export function isNamedOrigin(origin: string, patterns: readonly OriginPattern[]): boolean {
  const url = parse(origin)
  if (!url) return false
  const isEntry = ({ scheme, host, subdomains }: OriginPattern) =>
    !subdomains && url.protocol === scheme && url.host === host
  return LOOPBACK.test(url.hostname) || patterns.some(isEntry)
}

const LOOPBACK = /^(?:localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** @throws {InvalidConfiguration} naming the entry that is no origin */
export function parseOriginPattern(text: string): OriginPattern {
  const wildcard = /^(https?:\/\/)\*\.(.+)$/.exec(text)
  const url = parseAddress(wildcard ? `${wildcard[1]}${wildcard[2]}` : text)
  if (url?.pathname !== '/' || url.host.includes('*') || (wildcard && !url.host.includes('.'))) {
    throw new InvalidConfiguration(
      `AUTH_TRUSTED_ORIGINS holds "${text}", which is not an origin such as https://app.example.com or https://*.example.com.`,
    )
  }
  return { scheme: url.protocol, host: url.host, subdomains: wildcard !== null }
}

/**
 * `AUTH_URL`: the public origin, optionally with the base path.
 *
 * @throws {InvalidConfiguration} when it is no http(s) URL, or has a query, fragment or user
 */
export function parseAuthUrl(text: string): { origin: string; basePath: string | undefined } {
  const url = parseAddress(text)
  if (!url) {
    throw new InvalidConfiguration(
      'AUTH_URL must be the public origin, such as https://example.com, optionally with the base path.',
    )
  }
  return { origin: url.origin, basePath: url.pathname.replace(/\/+$/, '') || undefined }
}

const HOST = /^(?:[a-z0-9_](?:[a-z0-9._-]{0,252})|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i

/** The origin that headers claim for a request; `undefined` when the host is none. */
export function parseClaimedOrigin(scheme: string, host: string): URL | undefined {
  return /^https?$/i.test(scheme) && HOST.test(host) ? parse(`${scheme}://${host}`) : undefined
}

/** Proxies append to forwarded headers: the first value is the one next to the browser. */
export function firstOf(value: string | null | undefined): string {
  if (value === undefined || value === null) return ''
  const at = value.indexOf(',')
  return (at === -1 ? value : value.slice(0, at)).trim()
}

/** An http(s) URL that a path can be added to: without a query, fragment or user. */
export function parseAddress(text: string): URL | undefined {
  const url = parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) return undefined
  return url.search + url.hash + url.username + url.password === '' ? url : undefined
}

function parse(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined
}
