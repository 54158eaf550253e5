import TikTok from '@auth/core/providers/tiktok'
import { authHandler, initAuthConfig } from '@hono/auth-js'
import { Hono } from 'hono'

interface Bindings {
  readonly AUTH_SECRET: string
  readonly AUTH_URL: string
  readonly AUTH_VIDEO_ID: string
  readonly AUTH_VIDEO_SECRET: string
  readonly AUTH_VIDEO_AUTHORIZATION_URL: string
  readonly AUTH_VIDEO_TOKEN_URL: string
  readonly AUTH_VIDEO_USERINFO_URL: string
}

const app = new Hono<{ Bindings: Bindings }>()

app.use(
  '*',
  initAuthConfig(({ env }) => ({
    secret: env.AUTH_SECRET,
    providers: [
      {
        ...TikTok({ clientId: env.AUTH_VIDEO_ID, clientSecret: env.AUTH_VIDEO_SECRET }),
        id: 'videoapp',
        checks: ['pkce', 'state'],
        authorization: {
          url: env.AUTH_VIDEO_AUTHORIZATION_URL,
          params: { client_key: env.AUTH_VIDEO_ID, scope: 'user.info.basic' },
        },
        token: env.AUTH_VIDEO_TOKEN_URL,
        userinfo: `${env.AUTH_VIDEO_USERINFO_URL}?fields=open_id,display_name`,
      },
    ],
  })),
)
app.use('/auth/*', authHandler())

export default app
