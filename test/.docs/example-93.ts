import type { AccessToken } from '@latchkey/worker'

interface Env {
  AUTH: { getAccessToken(request: Request): Promise<AccessToken> }
}

const VIDEOS = 'https://api.example.net/v1/videos'

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    // Only the address and the cookie matter; the call would use up a body.
    const headers = { cookie: request.headers.get('cookie') ?? '' }
    const access = await env.AUTH.getAccessToken(new Request(request.url, { headers }))
    if (!access.ok) return withoutToken(access.reason, request.url)
    const authorization = `Bearer ${access.accessToken}`
    const answer = await fetch(VIDEOS, { headers: { authorization } })
    if (!answer.ok) return new Response('The provider did not answer.', { status: 502 })
    return new Response(answer.body, { headers: { 'content-type': 'application/json' } })
  },
}

type Reason = Extract<AccessToken, { ok: false }>['reason']

function withoutToken(reason: Reason, url: string): Response {
  const signIn = `/auth/signin?callbackUrl=${encodeURIComponent(url)}`
  switch (reason) {
    case 'signed-out':
    case 'sign-in-needed':
      return new Response(null, { status: 303, headers: { location: signIn } })
    case 'blocked':
      return new Response('You cannot use this.', { status: 403 })
    case 'no-token':
      return new Response('Sign in with the provider to see this.', { status: 403 })
    case 'unavailable':
      return new Response('Try again later.', { status: 503, headers: { 'retry-after': '30' } })
  }
}
