import type { AccessToken } from '@latchkey/worker/types'

interface Env {
  /** The entry point `AuthService` of the service's Worker. */
  readonly AUTH: { getAccessToken(request: Request): Promise<AccessToken> }
  readonly USERINFO_URL: string
}

/** Shows the signed-in person as the provider's own API describes them now. */
export default {
  async fetch(request, env): Promise<Response> {
    // The service needs the URL and the cookies, and no body.
    const asked = new Request(request.url, { headers: request.headers })
    const token = await env.AUTH.getAccessToken(asked)
    if (!token.ok) return Response.json(token, { status: 401 })
    const headers = { authorization: `Bearer ${token.accessToken}` }
    const { status, body } = await fetch(env.USERINFO_URL, { headers })
    const { ok, expiresAt, tokenType } = token
    return new Response(body, {
      status,
      headers: { 'x-token': JSON.stringify({ ok, tokenType, expiresAt }) },
    })
  },
} satisfies ExportedHandler<Env>
