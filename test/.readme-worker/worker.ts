// worker.ts
import { authHandler, getSession, requireSession } from '@latchkey/hono'
import videoapp from '@latchkey/hono/providers/videoapp'
import { Hono } from 'hono'
import { html } from 'hono/html'

export { Ledger } from '@latchkey/worker/ledger'

declare module '@latchkey/session' {
  interface Session {
    role?: 'admin' | 'member'
  }
}

type Env = { Bindings: { ADMIN_IDS?: string } }

const auth = authHandler<Env>((c) => ({
  providers: [videoapp()],
  callbacks: {
    session: ({ session }) => ({
      ...session,
      role: c.env.ADMIN_IDS?.split(',').includes(session.user.id ?? '') ? 'admin' : 'member',
    }),
  },
}))

const app = new Hono<Env>()
app.all('/auth/*', auth)

app.get('/', async (c) => {
  const session = await getSession(c)
  if (!session) return c.html('<a href="/auth/signin?callbackUrl=/">Sign in</a>')
  return c.html(html`<h1>Hello ${session.user?.name ?? session.user?.email}</h1>
    <p>Your role is ${session.role}. Your id is <code>${session.user?.id}</code>.</p>
    <p><a href="/admin">The page for admins</a></p>
    <button id="sign-out">Sign out</button>
    <script type="module">
      document.getElementById('sign-out').addEventListener('click', async () => {
        const { csrfToken } = await (await fetch('/auth/csrf')).json()
        const body = new URLSearchParams({ csrfToken })
        await fetch('/auth/signout', { method: 'POST', body })
        location.assign('/')
      })
    </script>`)
})

app.get('/admin', requireSession({ redirectTo: '/auth/signin' }), (c) => {
  if (c.var.session?.role !== 'admin') return c.text('This page is for admins.', 403)
  return c.text('You are an admin.')
})

export default app
