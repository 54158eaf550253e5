import { parseAddress } from '@latchkey/session/internal'
import { InvalidConfiguration } from './invalid-configuration.js'

/** An allowed origin; with `subdomains`, every host below it as well, but not the host itself. */
export interface OriginPattern {
  readonly scheme: string
  readonly host: string
  readonly subdomains: boolean
  /** Every port of the host, on this machine alone. */
  readonly ports?: true
}

/**
 * How certain it is that an origin is ours, by the party that vouches for it.
 *
 * - `named`: the operator, by `AUTH_URL`, an entry of `AUTH_TRUSTED_ORIGINS` without a wildcard, or a
 *   proxy or an app that is trusted; or it means this machine. Mails may lead there.
 * - `routed`: the platform, which routes by host; or a developer's machine. Sessions may begin
 *   there.
 * - `claimed`: a wildcard covers it, or nothing but the request itself. Sessions that have begun go on
 *   there.
 */
export type Standing = 'named' | 'routed' | 'claimed'

/**
 * An adapter that answers the auth routes in its own process marks its request with this. Only code in
 * the process has the symbol.
 */
export const standing: unique symbol = Symbol('latchkey.standing')

/**
 * Marks a request of an app that is mounted at an unknown path: its readers accept a session of any base path
 * of the origin, so the service does too. Otherwise a sign-out would not end a session that the app accepts.
 */
export const anyBase: unique symbol = Symbol('latchkey.any-base')

/** May people be sent to this origin? `https://*.example.com` covers labels below, never `xexample.com`. */
export function isTrustedOrigin(origin: string, patterns: readonly OriginPattern[]): boolean {
  const url = parse(origin)
  if (!url) return false
  return patterns.some(({ scheme, host, subdomains, ports }) => {
    if (url.protocol !== scheme) return false
    if (ports) return url.hostname === host
    // A label is not empty: no name has `..` in it, or a dot before it.
    return subdomains
      ? url.host.endsWith(`.${host}`) && !/(?:^|\.)\./.test(url.host)
      : url.host === host
  })
}

/** Is this the origin of an entry without a wildcard, or of a host that always means this machine? */
export function isNamedOrigin(origin: string, patterns: readonly OriginPattern[]): boolean {
  return isListedOrigin(origin, patterns) || LOOPBACK.test(parse(origin)?.hostname ?? '')
}

/** Is this the origin of an entry without a wildcard? */
export function isListedOrigin(origin: string, patterns: readonly OriginPattern[]): boolean {
  const exact = patterns.filter(({ subdomains, ports }) => !subdomains && !ports)
  return isTrustedOrigin(origin, exact)
}

const LOOPBACK = /^(?:localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/**
 * Reads an entry of `AUTH_TRUSTED_ORIGINS`: an origin, or one with a wildcard of subdomains or of ports.
 *
 * @param isPublicSuffix may strangers have a site below a host? The whole list has kilobytes, so that an app that only
 *   forwards has a short one
 * @throws {InvalidConfiguration} naming the entry that is not an origin, or that covers strangers'
 * sites
 */
export function parseOriginPattern(
  text: string,
  isPublicSuffix: (host: string) => boolean,
): OriginPattern {
  const local = /^http:\/\/(localhost|127\.0\.0\.1):\*$/.exec(text)?.[1]
  if (local) return { scheme: 'http:', host: local, subdomains: false, ports: true }
  const wildcard = /^(https?:\/\/)\*\.(.+)$/.exec(text)
  const url = parseAddress(wildcard ? `${wildcard[1]}${wildcard[2]}` : text)
  if (url?.pathname !== '/' || url.host.includes('*') || (wildcard && !url.host.includes('.'))) {
    throw new InvalidConfiguration(
      `AUTH_TRUSTED_ORIGINS holds "${text}", which is not an origin such as https://app.example.com or https://*.example.com. Only http://localhost:* and http://127.0.0.1:* may leave the port open.`,
    )
  }
  if (wildcard && isPublicSuffix(url.hostname)) {
    throw new InvalidConfiguration(
      `AUTH_TRUSTED_ORIGINS holds "${text}", and any person can have a site there. Name your own part of it, such as https://*.my-project.pages.dev, or each site in full.`,
    )
  }
  return { scheme: url.protocol, host: url.host, subdomains: wildcard !== null }
}

/**
 * `AUTH_URL`, or a value of its form: a public origin, optionally with the base path.
 *
 * @param name of the variable, for messages
 * @throws {InvalidConfiguration} when it is not an http(s) URL, or has a query, fragment or user
 */
export function parseAuthUrl(
  text: string,
  name = 'AUTH_URL',
): { origin: string; basePath: string | undefined } {
  const url = parseAddress(text)
  if (!url) {
    throw new InvalidConfiguration(
      `${name} must be the public origin, such as https://example.com, optionally with the base path.`,
    )
  }
  return { origin: url.origin, basePath: url.pathname.replace(/\/+$/, '') || undefined }
}

const HOST = /^(?:[a-z0-9_](?:[a-z0-9._-]{0,252})|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i

/** The origin that headers claim for a request; `undefined` when the host is invalid. */
export function parseClaimedOrigin(scheme: string, host: string): URL | undefined {
  return /^https?$/i.test(scheme) && HOST.test(host) ? parse(`${scheme}://${host}`) : undefined
}

/** Proxies append to forwarded headers: the first value is the one next to the browser. */
export function firstOf(value: string | null | undefined): string {
  if (value === undefined || value === null) return ''
  const at = value.indexOf(',')
  return (at === -1 ? value : value.slice(0, at)).trim()
}

function parse(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined
}
