/**
 * An answer with the headers that all of ours have: pages, JSON, redirects and refusals (OWASP ASVS 5.0, 3.4.1,
 * 3.4.4 and 3.4.5).
 *
 * @param secure the public origin is https
 */
export function hardened(response: Response, secure: boolean): Response {
  const { headers } = response
  headers.set('x-content-type-options', 'nosniff')
  // With `no-referrer` browsers send `Origin: null` with a form's POST (Fetch §3.2), and the
  // origin check would refuse our own forms. With this the URL itself, and a mailed link's secret
  // in it, reaches no other page: not the app's next page either, whose log may keep it.
  headers.set('referrer-policy', 'strict-origin')
  // Without includeSubDomains: this service cannot decide for its neighbours.
  if (secure) headers.set('strict-transport-security', 'max-age=63072000')
  return response
}
