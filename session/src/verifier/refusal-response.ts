import type { TokenRefusal } from './token-refusal.js'

/**
 * The answer to a request without a token that suffices (RFC 6750, section 3): never a redirect, since no person sees
 * it.
 *
 * @param more headers of the answer
 */
export function refusalResponse(
  { status, error, challenge }: TokenRefusal,
  more: Readonly<Record<string, string>> = {},
): Response {
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'www-authenticate': challenge,
    ...more,
  }
  return new Response(JSON.stringify({ error }), { status, headers })
}
