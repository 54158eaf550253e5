import { authHandler, session } from '@latchkey/hono'
import videoapp from '@latchkey/hono/providers/videoapp'
import { Hono } from 'hono'

export const app = new Hono()
app.all('/auth/*', authHandler({ providers: [videoapp()] }))
app.get('/', session(), (c) => c.text(`Hello ${c.var.session?.user?.name ?? 'stranger'}`))
