/** Headers of one connection (RFC 9110, 7.6.1), and those that the next client writes anew. */
const OF_CONNECTION = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'host',
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
  const named = new Set(
    all.flatMap(([name, value]) => (name === 'connection' ? listed(value) : [])),
  )
  const kept = new Headers()
  for (const [name, value] of all) {
    const isOurs = OF_CONNECTION.has(name) || OF_PROXIES.test(name) || name.startsWith(':')
    if (!isOurs && !named.has(name)) kept.set(name, value)
  }
  return kept
}

function listed(value: string): string[] {
  return value.split(',').map((name) => name.trim().toLowerCase())
}

/** A response of our own, with each of its cookies, without the headers of another connection. */
export function endToEndResponse(response: Response): Response {
  const headers = new Headers()
  for (const [name, value] of response.headers) {
    if (name !== 'set-cookie' && !OF_CONNECTION.has(name)) headers.set(name, value)
  }
  for (const line of response.headers.getSetCookie()) headers.append('set-cookie', line)
  return new Response(response.body, { status: response.status, headers })
}
