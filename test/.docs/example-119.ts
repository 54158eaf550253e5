import { authHandler, session } from '@latchkey/hono'
import { Hono } from 'hono'

export const app = new Hono()
app.all('/auth/*', authHandler({}))
app.get('/', session(), (c) => c.text(`Hello ${c.var.session?.user?.name ?? 'stranger'}`))
