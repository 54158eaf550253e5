const base = '/auth'

/** Signs in with a password, from a script on a page of the same site. */
export async function signIn(username: string, password: string): Promise<string | null> {
  const csrf = await fetch(`${base}/csrf`)
  const { csrfToken } = (await csrf.json()) as { csrfToken: string }
  const response = await fetch(`${base}/callback/credentials`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-auth-return-redirect': '1' },
    body: JSON.stringify({ csrfToken, username, password }),
  })
  return response.ok ? null : ((await response.json()) as { error: string }).error
}
