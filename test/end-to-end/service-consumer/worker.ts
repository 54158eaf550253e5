import type { AccessToken, WhoseSessions } from '@latchkey/worker/types'

interface Env {
  /** The entry point `AuthService` of the service's Worker. */
  readonly AUTH: {
    getAccessToken(request: Request): Promise<AccessToken>
    endSessions(whose: WhoseSessions): Promise<void>
  }
  readonly USERINFO_URL: string
}

/**
 * Shows the signed-in person as the provider's own API describes them now; a POST ends the sessions
 * that it names.
 */
export default {
  async fetch(request, env): Promise<Response> {
    if (request.method === 'POST') return endSessions(env, await request.json())
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

async function endSessions({ AUTH }: Env, whose: WhoseSessions): Promise<Response> {
  try {
    await AUTH.endSessions(whose)
    return new Response('ended')
  } catch (error) {
    return new Response(String(error), { status: 400 })
  }
}
