import { authHandler } from '@latchkey/hono/forward'
import { Hono } from 'hono'

export const app = new Hono()
app.all('/auth/*', authHandler({ worker: 'https://auth.example.com/auth' }))
