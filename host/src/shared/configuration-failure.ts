/**
 * The answer of an app with an invalid configuration: JSON, or text if the client asks for
 * a page. Only the log has the reason.
 *
 * @param accept the request's header
 * @param reference the page shows it and the log has it
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
