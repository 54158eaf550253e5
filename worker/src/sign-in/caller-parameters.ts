/**
 * Parameters that a caller of the sign-in route may not set: they decide the client, the target of
 * the answer and its proof. `request` and `request_uri` would replace them all (RFC 9101).
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
  // Our own parameters, where a caller puts them into the query.
  'callbackurl',
  'csrftoken',
])

/** Adds a caller's parameters to an authorization URL, except reserved ones. */
export function addParameters(url: URL, extra: URLSearchParams): void {
  for (const [name, value] of extra) {
    if (!RESERVED.has(name.toLowerCase())) url.searchParams.set(name, value)
  }
}
