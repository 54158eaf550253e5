import { APP_HEADER } from '../shared/app-header.js'

/**
 * Headers of one connection (RFC 9110, 7.6.1; RFC 9113, 8.2.2), and headers that the next client
 * sets itself.
 */
const OF_CONNECTION = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
  'expect',
  'host',
  APP_HEADER,
])

/** Headers in which a proxy or an app describes the client. The service must get them from us alone. */
const OF_PROXIES =
  /^(?:x-forwarded(?:-.*)?|forwarded|via|cf-.*|cdn-loop|x-real-ip|x-client-ip|x-cluster-client-ip|true-client-ip|fastly-client-ip|x-original-.*|x-rewrite-.*|x-http-method.*|x-method-override|x-auth-proof)$/

/**
 * The headers of a request without those of its connection and those of a proxy: both were already
 * evaluated, and must not be read again.
 */
export function endToEndHeaders(headers: Iterable<readonly [string, string]>): Headers {
  const all = [...headers]
  const ends = endingHere(all)
  const forwardable = new Headers()
  for (const [name, value] of all) {
    if (!ends(name) && !OF_PROXIES.test(name) && !name.startsWith(':')) forwardable.set(name, value)
  }
  return forwardable
}

/** A response of our own, with each of its cookies, without the headers of another connection. */
export function endToEndResponse(response: Response): Response {
  const ends = endingHere(response.headers)
  const headers = new Headers()
  for (const [name, value] of response.headers) {
    if (!ends(name)) headers.append(name, value)
  }
  return new Response(response.body, { status: response.status, headers })
}

/** Does a Connection header name another header, which ends with the connection then? */
export function isNamedBy(connection: string | null | undefined, name: string): boolean {
  return connection ? optionsOf(connection).includes(name) : false
}

/** Which headers of a message are not handed on: those of every connection, and those that this one's names. */
function endingHere(headers: Iterable<readonly [string, string]>): (name: string) => boolean {
  const named = new Set(
    [...headers].flatMap(([name, value]) => (name === 'connection' ? optionsOf(value) : [])),
  )
  return (name) => OF_CONNECTION.has(name) || named.has(name)
}

function optionsOf(connection: string): string[] {
  return connection.split(',').map((option) => option.trim().toLowerCase())
}
