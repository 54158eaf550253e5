import type { AccessToken } from '@latchkey/worker'

interface Env {
  /** A service binding with `entrypoint = "AuthService"`. */
  AUTH: {
    getAccessTokenOf(sub: string, provider: string): Promise<AccessToken>
    disconnect(sub: string, provider: string): Promise<void>
  }
}

/** Saves a gist in a user's name. `false`: the user has to sign in with GitHub again. */
export async function save(env: Env, sub: string, gist: object): Promise<boolean> {
  const access = await env.AUTH.getAccessTokenOf(sub, 'github')
  if (!access.ok) {
    if (access.reason === 'unavailable') throw new Error('Try again later.')
    return false
  }
  const answer = await fetch('https://api.github.com/gists', {
    method: 'POST',
    headers: {
      authorization: `Bearer ${access.accessToken}`,
      'content-type': 'application/json',
      'user-agent': 'my-app',
    },
    body: JSON.stringify(gist),
  })
  return answer.ok
}
