import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A stand-in for the video app: it answers at once, in this process, so that its work is not measured. */
export interface StandIn extends AsyncDisposable {
  /** The variables by which a service finds it. */
  readonly variables: Readonly<Record<string, string>>
}

/** Everyone who signs in is a new person. */
export async function openStandIn(): Promise<StandIn> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const isToken = request.url?.startsWith('/v2/oauth/token/')
      const id = (request.headers.authorization ?? '').slice('Bearer '.length)
      const answer = isToken ? tokens() : { data: { user: userOf(id) }, error: { code: 'ok' } }
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(answer))
    })
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    variables: {
      AUTH_VIDEO_ID: 'bench-client',
      AUTH_VIDEO_SECRET: 'bench-secret',
      AUTH_VIDEO_AUTHORIZATION_URL: `${origin}/v2/auth/authorize/`,
      AUTH_VIDEO_TOKEN_URL: `${origin}/v2/oauth/token/`,
      AUTH_VIDEO_USERINFO_URL: `${origin}/v2/user/info/`,
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** The access token is the name of the person. */
function tokens() {
  const id = crypto.randomUUID()
  return {
    access_token: id,
    refresh_token: `refresh-${id}`,
    token_type: 'Bearer',
    expires_in: 86_400,
    open_id: id,
    scope: 'user.info.basic,user.info.profile',
  }
}

function userOf(id: string) {
  return { open_id: id, display_name: 'Ada Lovelace', username: `ada.${id.slice(0, 8)}` }
}
