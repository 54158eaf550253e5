// @ts-expect-error Next has no `exports`, and its bundlers give components another module by this name alone.
import { redirect as nextRedirect } from 'next/navigation'

/** Next's `redirect`, which throws what Next makes the answer of. */
export const redirect: typeof import('next/navigation.js').redirect = nextRedirect

/** 303, by which a browser asks with GET: Next's own 307 would send the form on, a password in it too. */
export function seeOther(url: string): never {
  try {
    redirect(url)
  } catch (thrown) {
    const error = thrown as { digest?: string }
    if (error.digest) error.digest = error.digest.replace(/;307;$/, ';303;')
    throw error
  }
}

const REDIRECT = /^NEXT_REDIRECT;[^;]*;(.*);(\d{3});$/s
const FALLBACK = /^NEXT_HTTP_ERROR_FALLBACK;(\d{3})$/

/**
 * The answer that Next makes of a `redirect()` or `notFound()` in a route handler; `undefined`: Next makes it itself.
 * Next's own has no `Cache-Control`, and any cache may keep a permanent redirect (RFC 9110, 15.4.9).
 *
 * @param hasMore the answer gets headers that Next's own would lack, to a form too
 */
export function answerToThrown(
  thrown: unknown,
  method: string,
  hasMore = false,
): Response | undefined {
  const digest = String(Object(thrown).digest)
  const [, location = '', status] = REDIRECT.exec(digest) ?? []
  // Next takes another status for a form, and no cache keeps the answer to one.
  const isKept = method === 'GET' || method === 'HEAD'
  if (status && (isKept || hasMore)) {
    return new Response(null, { status: isKept ? Number(status) : 303, headers: { location } })
  }
  const [, refused] = FALLBACK.exec(digest) ?? []
  return refused ? new Response(null, { status: Number(refused) }) : undefined
}
