import { getRequestListener } from '@hono/node-server'
import { getSession } from '@latchkey/hono'
import { Hono } from 'hono'
import { noted, serve } from '../clocked-app.ts'

const app = new Hono()
app.get('/account', async (c) => {
  const session = await noted(() => getSession(c))
  return c.json({ name: session?.user?.name })
})
await serve(getRequestListener(app.fetch))
