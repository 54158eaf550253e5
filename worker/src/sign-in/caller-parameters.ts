/**
 * Parameters that a caller of the sign-in route may not set: they decide the client, the target of
 * the answer, its proof and what it allows. `request` and `request_uri` would replace them all (RFC
 * 9101), `authorization_details` is a scope by another name (RFC 9396), and a code that is bound to
 * a stranger's key is useless (RFC 9449).
 */
const RESERVED = new Set(
  [
    'client_id',
    'client_key',
    'client_secret',
    'client_assertion',
    'client_assertion_type',
    'redirect_uri',
    'response_type',
    'response_mode',
    'state',
    'nonce',
    'scope',
    'user_scope',
    'authorization_details',
    'code_challenge',
    'code_challenge_method',
    'dpop_jkt',
    'request',
    'request_uri',
    // Our own parameters, if a caller puts them into the query.
    'callback_url',
    'csrf_token',
  ].map(bare),
)

/**
 * The names that parameters have (RFC 6749, appendix A, less the dot). Servers read others in several
 * ways: PHP takes `redirect.uri`, `redirect uri` and `redirect_uri[]` for `redirect_uri`, and C ends a
 * name at a zero byte.
 */
const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/

/**
 * Puts a caller's parameters into an authorization URL, except names that are ours, look like ours
 * or are invalid. The URL is written once, however many there are.
 *
 * @param more names that are ours this time
 */
export function addParameters(
  url: URL,
  extra: URLSearchParams,
  more: readonly string[] = [],
): void {
  const ours = new Set(more.map(bare))
  const isOurs = (name: string) => RESERVED.has(bare(name)) || ours.has(bare(name))
  const added = new Map([...extra].filter(([name]) => NAME.test(name) && !isOurs(name)))
  if (added.size === 0) return
  const rest = [...url.searchParams].filter(([name]) => !added.has(name))
  url.search = new URLSearchParams([...rest, ...added]).toString()
}

/** One spelling for all that a server may take for the same name: `Redirect-URI` is `redirect_uri`. */
function bare(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, '')
}
