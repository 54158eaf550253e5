import { authHandler, requireSession, session } from '@latchkey/hono'
import credentials from '@latchkey/hono/providers/credentials'
import { Hono } from 'hono'
import { html } from 'hono/html'

/** A public page, a page for members, and an API. The same on Workers and on Node. */
export const app = new Hono()

app.all(
  '/auth/*',
  authHandler({
    providers: [
      credentials({
        name: 'Password',
        credentials: {
          username: { label: 'User name', required: true },
          password: { label: 'Password', type: 'password', required: true },
        },
        // An example's password. A real app compares with a slow hash, as examples/worker does.
        authorize: ({ username, password }) =>
          username === 'ada' && password === 'lovelace' ? { id: 'ada', name: 'Ada' } : null,
      }),
    ],
  }),
)

app.get('/', session(), (c) => {
  const { user } = c.var.session ?? {}
  return c.html(
    user
      ? html`<p>Signed in as ${user.name}. <a href="/members">Members</a> <a href="/auth/signout">Sign out</a></p>`
      : html`<p>Nobody is signed in. <a href="/auth/signin?callbackUrl=/members">Sign in</a></p>`,
  )
})

const members = requireSession({ redirectTo: '/auth/signin' })
app.get('/members', members, (c) => c.html(html`<p>Hello ${c.var.session?.user?.name}</p>`))
app.get('/api/me', members, (c) => c.json(c.var.session?.user))
