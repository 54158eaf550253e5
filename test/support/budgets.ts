/** A bundled Worker, and its largest weight. */
export interface Budget {
  readonly name: string
  /** Its entry; absent: that of the shipped Worker. */
  readonly entry?: string
  /** At most, minified and by gzip -9. A change that needs more raises it here, with its reason in the commit. */
  readonly bytes: number
  /** Modules that the framework brings in any case. */
  readonly external?: readonly RegExp[]
}

/** A Worker of one's own that lists the features which it needs. */
const GITHUB = `
import { createAuth } from '@latchkey/worker/core'
import github from '@latchkey/worker/providers/github'
export { Ledger } from '@latchkey/worker/ledger'
export default createAuth({ providers: [github()] })
`
const GITHUB_AND_MAIL = `
import { createAuth } from '@latchkey/worker/core'
import { email as byMail } from '@latchkey/worker/features/email'
import email from '@latchkey/worker/providers/email'
import github from '@latchkey/worker/providers/github'
export { Ledger } from '@latchkey/worker/ledger'
export default createAuth({ providers: [github(), email()], features: [byMail] })
`
const GITHUB_AND_SERVER = `
import { createAuth } from '@latchkey/worker/core'
import { authorizationServer } from '@latchkey/worker/features/authorization-server'
import github from '@latchkey/worker/providers/github'
export { Ledger } from '@latchkey/worker/ledger'
export default createAuth({ providers: [github()], features: [authorizationServer()] })
`

/** What deployments weigh: growth is a decision. */
export const budgets: readonly Budget[] = [
  { name: 'the shipped Worker', bytes: 398_600 },
  { name: 'a Worker with GitHub alone', entry: GITHUB, bytes: 92_500 },
  { name: 'a Worker with GitHub and mail', entry: GITHUB_AND_MAIL, bytes: 106_900 },
  {
    name: 'a Worker with GitHub and the authorization server',
    entry: GITHUB_AND_SERVER,
    // It verifies what others have signed, by any algorithm, also without an OpenID provider.
    bytes: 169_300,
  },
  {
    name: 'a Hono app that forwards',
    entry: `
import { authHandler, requireSession } from '@latchkey/hono/forward'
import { Hono } from 'hono'
const app = new Hono()
app.all('/auth/*', authHandler((c) => ({ worker: c.env.AUTH })))
app.get('/inbox', requireSession(), (c) => c.text('Hello'))
export default app
`,
    bytes: 41_700,
  },
  {
    name: 'a Worker of standard requests that forwards',
    entry: `
import { webAuth } from '@latchkey/web/forward'
const { handle } = webAuth({ worker: 'https://auth.example.com/auth' })
export default { fetch: (request, env, ctx) => handle(request, (auth) => auth.requireSession(), { env, ctx }) }
`,
    bytes: 36_100,
  },
  {
    name: 'the proxy of a Next app that forwards',
    entry: `
import NextAuth from '@latchkey/next/forward'
export const { auth: proxy } = NextAuth({ worker: 'https://auth.example.com/auth' })
`,
    external: [/^next\//],
    bytes: 39_000,
  },
  {
    name: 'the hook of a SvelteKit app that forwards',
    entry: `
import { ComponentKitAuth } from '@latchkey/sveltekit/forward'
export const { handle, signIn, signOut } = ComponentKitAuth(({ platform }) => ({ worker: platform.env.AUTH }))
`,
    external: [/^@sveltejs/, /^svelte/, /^\$app/],
    bytes: 36_600,
  },
]
