/** Headers that all of our answers have (OWASP ASVS 5.0, 3.4.1, 3.4.4 and 3.4.5), on http. */
const ALWAYS = {
  'x-content-type-options': 'nosniff',
  // With `no-referrer` browsers send `Origin: null` with a form's POST (Fetch §3.2), and the
  // origin check would refuse our own forms. With this the URL itself, and a mailed link's secret
  // in it, reaches no other page: not the app's next page either, whose log may keep it.
  'referrer-policy': 'strict-origin',
}

const ON_HTTPS = {
  ...ALWAYS,
  // Without includeSubDomains: this service cannot decide for its neighbors.
  'strict-transport-security': 'max-age=63072000',
}

/**
 * The headers that all of our answers have: pages, JSON, redirects and refusals.
 *
 * @param secure the public origin is https
 */
export function securityHeaders(secure: boolean): Readonly<Record<string, string>> {
  return secure ? ON_HTTPS : ALWAYS
}

/** A response with the headers of {@link securityHeaders}. */
export function withSecurityHeaders(response: Response, secure: boolean): Response {
  const { headers } = response
  for (const [name, value] of Object.entries(securityHeaders(secure))) headers.set(name, value)
  return response
}
