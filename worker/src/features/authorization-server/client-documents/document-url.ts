import type { AuthRequest } from '../../../http/request.js'

/** The longest address, in characters. */
const MAX_URL = 255

/** Groups: the host. A port, a user, a query and a fragment have no place here. */
const URL_FORM = /^https:\/\/([a-z0-9.-]+)\/[^?#\\\s]+$/

/** A name of several labels (RFC 1123, section 2.1). The last one begins with a letter, as no spelling of an IP address does. */
const HOST =
  /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/

/** Names that lead to no public host (RFC 6761, 6762, 7686 and 8375; ICANN's `internal`), and all below them. */
const NOT_PUBLIC = /(?:^|\.)(?:localhost|local|internal|home\.arpa|test|invalid|onion)$/

/**
 * May a metadata document be fetched from this `client_id`? Only from a public name, and if the text is spelled as the
 * platform spells it, so that the checked host is the one that is asked (draft-ietf-oauth-client-id-metadata-document, section 3).
 *
 * @example isDocumentUrl('https://app.example.com/client.json') // true
 */
export function isDocumentUrl(clientId: string): boolean {
  if (clientId.length > MAX_URL) return false
  const host = URL_FORM.exec(clientId)?.[1]
  if (host === undefined || !HOST.test(host) || NOT_PUBLIC.test(host)) return false
  // Dot segments, encoded or not, capitals of a host and all else that a parser changes.
  return URL.parse(clientId)?.href === clientId
}

/** Is it at one of this service's own hosts? Then it would ask itself. */
export function isOwnHost({ origin, config, original }: AuthRequest, clientId: string): boolean {
  const { host } = new URL(clientId)
  const own = [origin, config.origin.configured, original.url]
  return own.some((url) => url !== undefined && URL.parse(url)?.hostname === host)
}
