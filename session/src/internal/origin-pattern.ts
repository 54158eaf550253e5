import { AuthError } from './errors.js'

/** An allowed origin; with `subdomains`, every host below it as well, but not the host itself. */
export interface OriginPattern {
  readonly scheme: string
  readonly host: string
  readonly subdomains: boolean
}

/** Is this exact origin allowed? `https://*.example.com` covers labels below, never `xexample.com`. */
export function isTrusted({ protocol, host }: URL, patterns: readonly OriginPattern[]): boolean {
  return patterns.some(
    (pattern) =>
      protocol === pattern.scheme &&
      (pattern.subdomains ? host.endsWith(`.${pattern.host}`) : host === pattern.host),
  )
}

/** @throws {AuthError} naming the entry that is no origin */
export function parseOriginPattern(text: string): OriginPattern {
  const wildcard = /^(https?:\/\/)\*\.(.+)$/.exec(text)
  const url = parse(wildcard ? `${wildcard[1]}${wildcard[2]}` : text)
  const isOrigin = url && isBare(url) && url.pathname === '/'
  if (!isOrigin || url.host.includes('*') || (wildcard && !url.host.includes('.'))) {
    throw new AuthError(
      `AUTH_TRUSTED_ORIGINS holds "${text}", which is not an origin such as https://app.example.com or https://*.example.com.`,
    )
  }
  return { scheme: url.protocol, host: url.host, subdomains: wildcard !== null }
}

/**
 * `AUTH_URL`: the public origin, optionally with the base path.
 *
 * @throws {AuthError} when it is something else
 */
export function parseAuthUrl(text: string): { origin: string; basePath: string | undefined } {
  const url = parse(text)
  if (!url || !isBare(url)) {
    throw new AuthError(
      'AUTH_URL must be the public origin, such as https://example.com, optionally with the base path.',
    )
  }
  return { origin: url.origin, basePath: url.pathname.replace(/\/+$/, '') || undefined }
}

function parse(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined
}

function isBare({ protocol, search, hash, username, password }: URL): boolean {
  return /^https?:$/.test(protocol) && search + hash + username + password === ''
}
