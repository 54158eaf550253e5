import type { AccessToken } from '@latchkey/worker'

/** Lists the user's own repositories at GitHub. */
export async function repositories(access: AccessToken): Promise<unknown> {
  if (!access.ok) return undefined
  const authorization = `Bearer ${access.accessToken}`
  const headers = { authorization, 'user-agent': 'my-app' }
  return (await fetch('https://api.github.com/user/repos', { headers })).json()
}
