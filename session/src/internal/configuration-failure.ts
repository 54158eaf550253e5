/**
 * The answer to a request whose configuration cannot be used: JSON, or text for who asks for a page. The
 * reason is for the log alone.
 *
 * @param accept the request's header
 * @param reference what stands in the log too: a person is shown it
 */
export function configurationFailure(
  accept: string | null | undefined,
  reference?: string,
): Response {
  const message = 'Sign-in is not configured correctly. The reason is in the log of the service.'
  const isPage = accept?.includes('text/html')
  const text = reference ? `${message} Reference: ${reference}` : message
  return new Response(isPage ? text : JSON.stringify({ error: 'Configuration', message }), {
    status: 500,
    headers: {
      'content-type': isPage ? 'text/plain; charset=UTF-8' : 'application/json',
      'cache-control': 'private, no-store',
    },
  })
}
