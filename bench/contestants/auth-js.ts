import GitHub from '@auth/core/providers/github'
import { authHandler, initAuthConfig } from '@hono/auth-js'
import { Hono } from 'hono'

interface Bindings {
  readonly AUTH_SECRET: string
}

const app = new Hono<{ Bindings: Bindings }>()

app.use(
  '*',
  initAuthConfig((c) => ({
    secret: c.env.AUTH_SECRET,
    basePath: '/auth',
    trustHost: true,
    providers: [GitHub({ clientId: 'id', clientSecret: 'secret' })],
  })),
)
app.use('/auth/*', authHandler())

export default app
