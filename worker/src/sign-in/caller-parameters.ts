/**
 * Parameters that a caller of the sign-in route may not set: they decide who the request is from,
 * where the answer goes and what it proves. `request` and `request_uri` would replace them all
 * (RFC 9101).
 */
const RESERVED = new Set([
  'client_id',
  'client_key',
  'client_secret',
  'redirect_uri',
  'response_type',
  'response_mode',
  'state',
  'nonce',
  'scope',
  'code_challenge',
  'code_challenge_method',
  'request',
  'request_uri',
  // Ours, where a caller puts them into the query.
  'callbackurl',
  'csrftoken',
])

/** Puts a caller's parameters into an authorization URL, but none of those that are ours. */
export function addParameters(url: URL, extra: URLSearchParams): void {
  for (const [name, value] of extra) {
    if (!RESERVED.has(name.toLowerCase())) url.searchParams.set(name, value)
  }
}
