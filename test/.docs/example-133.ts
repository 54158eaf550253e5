import { authHandler } from '@latchkey/hono/forward'
import { Hono } from 'hono'

interface Env {
  Bindings: { AUTH: { fetch: typeof fetch } }
}

export const app = new Hono<Env>()
app.all('/auth/*', authHandler<Env>((c) => ({ worker: c.env.AUTH })))
