/** Sends a form; if the sign-in is not fresh, the user signs in again and comes back to this page. */
export async function send(path: string, fields: Record<string, string>): Promise<Response> {
  const answer = await fetch(path, { method: 'POST', body: new URLSearchParams(fields) })
  if (answer.status !== 401) return answer
  const { url } = (await answer.clone().json()) as { url?: string }
  if (url !== undefined) location.assign(url)
  return answer
}
