import { join } from 'node:path'
import { ORIGIN, people } from '../node/contestant.ts'

/** A library for signing in, with the SvelteKit that it supports. */
export interface Library {
  readonly name: '@latchkey/sveltekit' | '@auth/sveltekit'
  readonly kit: 2 | 3
  /** `src/auth.js`, if the service runs in the app. */
  readonly inProcess: string
}

export const LATCHKEY: Library = {
  name: '@latchkey/sveltekit',
  kit: 3,
  inProcess: `
    import { ComponentKitAuth } from '@latchkey/sveltekit'
    import github from '@latchkey/sveltekit/providers/github'

    export const { handle } = ComponentKitAuth({
      providers: [github({ clientId: 'bench', clientSecret: 'bench' })],
    })`,
}

export const AUTH_JS: Library = {
  name: '@auth/sveltekit',
  kit: 2,
  inProcess: `
    import { SvelteKitAuth } from '@auth/sveltekit'
    import github from '@auth/sveltekit/providers/github'

    export const { handle } = SvelteKitAuth({
      trustHost: true,
      providers: [github({ clientId: 'bench', clientSecret: 'bench' })],
    })`,
}

/** `src/auth.js` if the Worker is bound to the app. */
export const FORWARDED = `
  import { ComponentKitAuth } from '@latchkey/sveltekit/forward'

  export const { handle } = ComponentKitAuth(async ({ platform }) => ({ worker: platform.env.AUTH }))`

type Files = Readonly<Record<string, string>>

/** A small app without any sign-in, which may have a library all the same. */
export function plainApp({ name, kit }: Library, target: 'node' | 'cloudflare'): Files {
  const adapter =
    target === 'node'
      ? '@sveltejs/adapter-node'
      : join(import.meta.dirname, '../../examples/sveltekit/cloudflare.ts')
  // Kit 2 takes the origin from the variable ORIGIN.
  const paths = kit === 3 ? `paths: { origin: '${ORIGIN}' }` : ''
  return {
    // Kit puts these origins into the build.
    'package.json': JSON.stringify({ type: 'module', devDependencies: { [name]: '*' } }),
    'vite.config.js': `
      import { sveltekit } from '@sveltejs/kit/vite'
      import adapter from '${adapter}'

      export default { plugins: [sveltekit({ adapter: adapter(), ${paths} })] }`,
    'wrangler.toml': `
      name = "bench"
      main = "build/cloudflare/_worker.js"
      compatibility_date = "2026-11-01"
      compatibility_flags = ["nodejs_als"]
      minify = true
      keep_names = false
      assets = { directory = "build/cloudflare", binding = "ASSETS" }`,
    'src/app.html': `<!doctype html>
      <html lang="en">
        <head><meta charset="utf-8">%sveltekit.head%</head>
        <body><div>%sveltekit.body%</div></body>
      </html>`,
    'src/routes/+layout.server.js': 'export const load = async () => ({})',
    'src/routes/+layout.svelte': `
      <script>
        const { children } = $props()
      </script>

      <nav><a href="/">Home</a> <a href="/account">Account</a></nav>
      <main>{@render children()}</main>`,
    // Svelte's own code grows with the first function that a page imports: that does not count for
    // the library.
    'src/log.js': 'export const log = (text) => console.log(text)',
    'src/routes/+page.svelte': `
      <script>
        import { log } from '../log.js'
      </script>

      <h1>Home</h1>
      <button onclick={() => log('github')}>Log</button>`,
    'src/routes/account/+page.svelte': `
      <script>
        const { data } = $props()
      </script>

      <h1>Account</h1>
      <p>Hello {data.session?.user?.name ?? 'everybody'}</p>`,
  }
}

/** The files that change if every page has the session. */
export function withSession(auth: string): Files {
  return {
    'src/auth.js': auth,
    'src/hooks.server.js': `export { handle } from './auth.js'`,
    'src/routes/+layout.server.js': `
      export const load = async ({ locals }) => ({ session: await locals.auth() })`,
  }
}

/** The same, in an app that skips it while `globalThis.isWithoutSession` is set. */
export function withSessionAtTimes(auth: string, dataWithout: string): Files {
  return {
    'src/auth.js': auth,
    'src/hooks.server.js': `
      import { handle as authentication } from './auth.js'

      export const handle = (input) =>
        globalThis.isWithoutSession ? input.resolve(input.event) : authentication(input)`,
    'src/routes/+layout.server.js': `
      export const load = async ({ locals }) =>
        globalThis.isWithoutSession ? ${dataWithout} : { session: await locals.auth() }`,
  }
}

/** The same, in an app that forwards, and notes reads that wait with `globalThis.noted`. */
export const sessionNoted: Files = {
  ...withSession(`
    import { ComponentKitAuth } from '@latchkey/sveltekit/forward'

    export const { handle } = ComponentKitAuth({ worker: process.env.AUTH_WORKER_URL })`),
  'src/routes/+layout.server.js': `
    export const load = async ({ locals }) => ({ session: await noted(() => locals.auth()) })`,
}

/** Data of a page as long as those with a session, for an app that reads none. */
export function constantData(): string {
  const user = people(1)[0]
  return JSON.stringify({ session: { user, expires: '2030-01-01T00:00:00.000Z' } })
}

/** The page that changes if it has a form to sign in. */
export function withComponent({ name }: Library): Files {
  return {
    'src/routes/+page.svelte': `
      <script>
        import { SignIn } from '${name}/components'
        import { log } from '../log.js'
      </script>

      <h1>Home</h1>
      <button onclick={() => log('github')}>Log</button>
      <SignIn provider="github" />`,
  }
}

/** The page that changes if it signs in by itself. */
export function withClient({ name }: Library): Files {
  return {
    'src/routes/+page.svelte': `
      <script>
        import { signIn } from '${name}/client'
      </script>

      <h1>Home</h1>
      <button onclick={() => signIn('github')}>Sign in</button>`,
  }
}
