import {
  firstOf,
  isTrustedOrigin,
  type OriginPattern,
  parseClaimedOrigin,
} from '@latchkey/host/shared'
import { BadRequest } from '../lib/bad-request.js'

/** The sources of this service's public origin. */
export interface OriginPolicy {
  /** Origin of `AUTH_URL`; wins over everything. */
  readonly configured: string | undefined
  readonly trustHost: boolean
  readonly trusted: readonly OriginPattern[]
  /**
   * Is the host of a request's URL one of ours? The platform routes by it, or the process is in
   * development.
   */
  readonly isHostKnown: boolean
}

/**
 * The public origin of the service for one request. Without `AUTH_URL` it is the URL that the
 * platform routed by, unless headers are trusted: a client can write any Host header (OWASP ASVS
 * 5.0, 4.1.3: intermediaries' headers must not be accepted from users).
 *
 * @param proven the origin of an app that has proved itself
 * @throws {BadRequest} 400 for a malformed Host or forwarded header if those are looked at.
 */
export function resolveOrigin(
  request: Pick<Request, 'url' | 'headers'>,
  policy: OriginPolicy,
  proven?: string,
): string {
  if (policy.configured) return policy.configured
  if (proven !== undefined) return proven
  if (!policy.trustHost && policy.trusted.length === 0) return originIn(request.url)
  const url = new URL(request.url)
  const claimed = claimedOrigin(request.headers, url)
  return policy.trustHost || isTrustedOrigin(claimed, policy.trusted) ? claimed : url.origin
}

/**
 * Does an app forward a request under an origin that is neither the one at which the service
 * answers it, nor trusted? No user can sign in there.
 */
export function isUnknownApp(
  { url, headers }: Pick<Request, 'url' | 'headers'>,
  origin: string,
  { trusted }: OriginPolicy,
): boolean {
  const claimed = claimIn(headers, new URL(url))
  return claimed !== undefined && claimed !== origin && !isTrustedOrigin(claimed, trusted)
}

/** The origin of a normalized URL, as a `Request` has it, without a parser. */
export function originIn(url: string): string {
  return url.slice(0, url.indexOf('/', 'https://'.length))
}

function claimedOrigin(headers: Headers, url: URL): string {
  const claimed = claimIn(headers, url)
  if (claimed !== undefined) return claimed
  throw new BadRequest(400, 'Malformed Host or X-Forwarded header.')
}

/** `undefined`: malformed. */
function claimIn(headers: Headers, url: URL): string | undefined {
  const host = firstOf(headers.get('x-forwarded-host')) || (headers.get('host') ?? url.host)
  const scheme = firstOf(headers.get('x-forwarded-proto')) || url.protocol.slice(0, -1)
  return parseClaimedOrigin(scheme, host)?.origin
}
