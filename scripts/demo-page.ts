import { html } from 'hono/html'

/** A Worker as `npm start` runs it. */
interface Service<Env> {
  fetch(request: Request, env: Env, ctx: ExecutionContext): Promise<Response> | Response
}

interface DemoVars {
  /** Where `npm start` runs the sandbox. */
  readonly DEMO_SANDBOX_URL?: string
}

/** The session in JSON, as far as the page reads it. */
type Shown = { readonly user?: { readonly email?: string | null } } | null

/**
 * The Worker of `npm start`: the service, and at its root a page for signed-in people, which is
 * where a sign-in without a `callbackUrl` ends. Strangers are sent to the sign-in, as by the
 * service itself.
 */
export function withDemoPage<Env extends object>(service: Service<Env>): Service<Env & DemoVars> {
  return {
    async fetch(request, env, ctx) {
      const url = new URL(request.url)
      const answer = await service.fetch(request.clone() as typeof request, env, ctx)
      if (url.pathname !== '/' || request.method !== 'GET') return answer
      // The service sends its root to the sign-in page: the base path is not read a second time.
      const base = answer.headers.get('location')?.replace(/\/signin$/, '') ?? '/auth'
      const asked = new Request(new URL(`${base}/session`, url), { headers: request.headers })
      const known = await service.fetch(asked as typeof request, env, ctx)
      const session = known.ok ? ((await known.json()) as Shown) : null
      if (session === null) return answer
      const sandbox = env.DEMO_SANDBOX_URL ?? 'http://localhost:8788'
      const headers = new Headers({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': `default-src 'none'; style-src ${sandbox}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
        'cache-control': 'no-store',
      })
      // A renewed session has a new cookie.
      for (const cookie of known.headers.getSetCookie()) headers.append('set-cookie', cookie)
      return new Response(String(await demoPage({ session, base, sandbox })), { headers })
    },
  }
}

interface DemoPageProps {
  readonly session: NonNullable<Shown>
  readonly base: string
  readonly sandbox: string
}

/** Says that it works, shows the session, and leads on. The sandbox has the styles. */
export const demoPage = ({ session, base, sandbox }: DemoPageProps) => html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>It works – Latchkey</title>
    <link rel="stylesheet" href="${sandbox}/sandbox.css" />
  </head>
  <body>
    <header><span class="mark" aria-hidden="true"></span>Latchkey on this machine</header>
    <main>
      <h1>It works: you’re signed in</h1>
      <p>This is your session, as <code>GET ${base}/session</code> gives it to your app:</p>
      <pre>${JSON.stringify(session, null, 2)}</pre>
      ${isUserName(session.user?.email) && html`<p class="quiet">The video app gives no email addresses: its user name is in <code>email</code>.</p>`}
      <h2>Look around</h2>
      <ul class="plain-list">
        <li><a href="${base}/account">Your account</a><small>devices, ways to sign in, recovery codes</small></li>
        <li><a href="${sandbox}/mailbox">Mailbox</a><small>what the service mailed: sign in by email, and read the code there</small></li>
        <li><a href="${sandbox}/">Sandbox</a><small>plays the video app, with more test people</small></li>
        <li><a href="${base}/signout">Sign out</a></li>
      </ul>
      <h2>What to do next</h2>
      <ul class="plain-list">
        <li>Put it into your app<small><code>docs/quick-start-express.md</code>, or <code>-hono</code>, <code>-next</code>, <code>-sveltekit</code>, <code>-worker</code></small></li>
        <li>Add a provider<small>set its <code>_ID</code> and <code>_SECRET</code> in <code>.dev.vars</code>, then restart: <code>docs/presets.md</code></small></li>
        <li>Deploy it<small><code>docs/deploy.md</code></small></li>
      </ul>
    </main>
    <footer>This page is of <code>npm start</code> alone. A deployed service does not have it.</footer>
  </body>
</html>`

const isUserName = (email?: string | null) => typeof email === 'string' && !email.includes('@')
