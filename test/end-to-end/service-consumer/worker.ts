import type { AccessToken, WhoseSessions } from '@latchkey/worker/types'

interface Env {
  /** The entry point `AuthService` of the service's Worker. */
  readonly AUTH: {
    getAccessToken(request: Request, of?: { provider: string }): Promise<AccessToken>
    getAccessTokenOf(sub: string, provider: string): Promise<AccessToken>
    disconnect(sub: string, provider: string): Promise<void>
    endSessions(whose: WhoseSessions): Promise<void>
  }
  readonly USERINFO_URL: string
}

/**
 * Shows the signed-in person as the provider's own API describes them now; a POST ends the sessions
 * that it names, or asks as a job does.
 */
export default {
  async fetch(request, env): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    if (pathname === '/job') return job(env, await request.json())
    if (request.method === 'POST') return endSessions(env, await request.json())
    // The service needs the URL and the cookies, and no body.
    const asked = new Request(request.url, { headers: request.headers })
    const provider = searchParams.get('provider')
    const token = await env.AUTH.getAccessToken(asked, provider ? { provider } : undefined)
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

/** The token that a job gets for a person, and again after a disconnect. */
async function job({ AUTH }: Env, { sub, provider }: Record<string, string>): Promise<Response> {
  const [who, of] = [sub ?? '', provider ?? '']
  const before = await AUTH.getAccessTokenOf(who, of)
  try {
    await AUTH.disconnect(who, of)
    return Response.json([before, await AUTH.getAccessTokenOf(who, of)])
  } catch (error) {
    return Response.json([before, String(error)])
  }
}
