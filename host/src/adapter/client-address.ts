import type { HostRequest } from './host-request.js'

/** The address of the client, if it is known. */
export interface ClientAddress {
  readonly client: string | undefined
  /** Is it, as far as we know, a proxy's address, which all clients share? */
  readonly isProxy: boolean
  /** Does it look like a client's, with a header that claims a proxy? Any client can send that header. */
  readonly mayBeProxy?: true
}

/**
 * The client's address. If the headers of a proxy are trusted, it is the last address in
 * `X-Forwarded-For`, whatever address the proxy has: a client can send anything in front of it. If
 * that address is inside the network too, and another one stands before it, it belongs to a second
 * proxy. If headers are not trusted, a forwarded request from this machine or its network has an
 * unknown client.
 *
 * @param trustsProxy are the headers of a proxy trusted (`AUTH_TRUST_HOST`)?
 */
export function clientOf(request: HostRequest, trustsProxy: boolean): ClientAddress {
  const client = withoutPort(request.client)
  const isPublic = client !== undefined && !isInside(client)
  // If the framework trusts the proxy, it has read the header itself.
  if (request.isFromProxy || (isPublic && request.hasReadClient)) return { client, isProxy: false }
  const forwarded = request.header('x-forwarded-for')
  const at = forwarded?.lastIndexOf(',') ?? -1
  const named = trustsProxy ? withoutPort(forwarded?.slice(at + 1).trim()) : undefined
  if (named) return { client: named, isProxy: at >= 0 && isInside(named) }
  if (client === undefined || !FORWARDED.some((name) => request.header(name))) {
    return { client, isProxy: false }
  }
  return isPublic ? { client, isProxy: false, mayBeProxy: true } : { client, isProxy: true }
}

/** Some proxies add the client's port, which is another one for each connection. */
function withoutPort(address: string | undefined): string | undefined {
  return address?.replace(/^\[([^\]]+)\](?::\d+)?$|^([^:]+):\d+$/, '$1$2')
}

const FORWARDED = ['x-forwarded-for', 'forwarded', 'x-real-ip']

/**
 * This machine, private networks (RFC 1918, RFC 6598), unique local and link-local addresses (RFC 4193,
 * RFC 4291), also in the form that IPv6 sockets give them.
 */
function isInside(address: string): boolean {
  return INSIDE.test(address.replace(/^::ffff:/i, ''))
}

const INSIDE =
  /^(?:127\.|10\.|192\.168\.|169\.254\.|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|::1$|f[cd][\da-f]{2}:|fe[89ab][\da-f]:)/i
