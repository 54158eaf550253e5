import { type Context, Hono } from 'hono'
import { setCookie } from 'hono/cookie'

// The routes of a sign-in with nothing behind them: what the same requests cost at least.

const app = new Hono()
const session = { user: { name: 'Nobody' }, expires: '2030-01-01T00:00:00.000Z' }

app.get('/auth/csrf', (c) => c.json({ csrfToken: 'bench' }))
app.post('/auth/signin/videoapp', async (c) => {
  await c.req.parseBody()
  return c.redirect('/auth/callback/videoapp')
})
app.get('/auth/callback/videoapp', (c) => signedIn(c))
app.get('/auth/session', (c) => c.json(session))
app.get('/auth/renew', (c) => signedIn(c))
app.post('/auth/signout', async (c) => {
  await c.req.parseBody()
  setCookie(c, 'session', '', { path: '/', maxAge: 0 })
  return c.redirect('/')
})

function signedIn(c: Context): Response {
  // As long as the service's own.
  setCookie(c, 'session', 'x'.repeat(600), { path: '/', httpOnly: true })
  return c.redirect('/inbox')
}

export default app
