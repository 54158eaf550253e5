import type { WhoseSessions } from '@latchkey/worker'

interface Env {
  AUTH: { endSessions(whose: WhoseSessions): Promise<void> }
}

/** `PUT /sessions-of/<sub>` with no body. A page of another site cannot send a PUT without a CORS preflight. */
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const [, sub] = /^\/sessions-of\/(.+)$/.exec(new URL(request.url).pathname) ?? []
    if (request.method !== 'PUT' || sub === undefined) return new Response(null, { status: 404 })
    try {
      await env.AUTH.endSessions({ sub: decodeURIComponent(sub) })
    } catch (error) {
      const isWrong = error instanceof TypeError || error instanceof URIError
      if (isWrong) return new Response('Invalid id.', { status: 400 })
      return new Response('Not done, or not everywhere. Try again.', { status: 503 })
    }
    return new Response('Signed out everywhere.')
  },
}
