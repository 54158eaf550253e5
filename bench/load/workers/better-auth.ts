import { betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { genericOAuth } from 'better-auth/plugins'

interface Env {
  readonly AUTH_SECRET: string
  readonly AUTH_URL: string
  readonly AUTH_VIDEO_ID: string
  readonly AUTH_VIDEO_SECRET: string
  readonly AUTH_VIDEO_AUTHORIZATION_URL: string
  readonly AUTH_VIDEO_TOKEN_URL: string
  readonly AUTH_VIDEO_USERINFO_URL: string
  readonly DB: D1Database
}

let auth: ReturnType<typeof authFor> | undefined

/** better-auth with D1, as its documentation sets it up for Workers, and with its cookie cache. */
function authFor(env: Env) {
  return betterAuth({
    baseURL: new URL(env.AUTH_URL).origin,
    basePath: '/auth',
    secret: env.AUTH_SECRET,
    database: env.DB,
    // The same five minutes as a token of the service.
    session: { cookieCache: { enabled: true, maxAge: 300 } },
    // As in production, which has it on by default.
    rateLimit: { enabled: true },
    advanced: { ipAddress: { ipAddressHeaders: ['cf-connecting-ip'] } },
    plugins: [genericOAuth({ config: [videoApp(env)] })],
  })
}

function videoApp(env: Env) {
  return {
    providerId: 'videoapp',
    clientId: env.AUTH_VIDEO_ID,
    clientSecret: env.AUTH_VIDEO_SECRET,
    authorizationUrl: env.AUTH_VIDEO_AUTHORIZATION_URL,
    authorizationUrlParams: { client_key: env.AUTH_VIDEO_ID },
    scopes: ['user.info.basic'],
    tokenUrl: env.AUTH_VIDEO_TOKEN_URL,
    async getToken({ code, redirectURI, codeVerifier = '' }: Exchange) {
      const body = new URLSearchParams({
        client_key: env.AUTH_VIDEO_ID,
        client_secret: env.AUTH_VIDEO_SECRET,
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirectURI,
        code_verifier: codeVerifier,
      })
      const answer = await fetch(env.AUTH_VIDEO_TOKEN_URL, { method: 'POST', body })
      const { access_token, refresh_token } = await answer.json<Record<string, string>>()
      if (!access_token) throw new Error('No token.')
      return { accessToken: access_token, refreshToken: refresh_token ?? '' }
    },
    async getUserInfo({ accessToken = '' }: { accessToken?: string | undefined }) {
      const url = `${env.AUTH_VIDEO_USERINFO_URL}?fields=open_id,display_name`
      const answer = await fetch(url, { headers: { authorization: `Bearer ${accessToken}` } })
      const { data } = await answer.json<{ data: { user: Record<string, string> } }>()
      const { open_id = '', display_name = '' } = data.user
      // It needs an address, and the video app has none.
      const email = `${open_id}@videoapp.invalid`
      return { id: open_id, name: display_name, email, emailVerified: false }
    },
  }
}

interface Exchange {
  readonly code: string
  readonly redirectURI: string
  readonly codeVerifier?: string | undefined
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    auth ??= authFor(env)
    if (request.url.endsWith('/set-up')) {
      await (await getMigrations(auth.options)).runMigrations()
      return new Response()
    }
    return auth.handler(request)
  },
}
