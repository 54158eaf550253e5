import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A small app of a user's own, file by file. The same for Kit 2 and Kit 3, but for its configuration. */
export function outsideApp(kit: 2 | 3, origin: string): Record<string, string> {
  const extended = kit === 3 ? '$app/tsconfig' : './.svelte-kit/tsconfig.json'
  const csrf = "csrf: { trustedOrigins: ['https://appleid.apple.com'] }"
  return {
    'vite.config.ts': (kit === 3 ? configOfReadme(origin) : CONFIG).replace(
      'sveltekit({',
      `sveltekit({ ${csrf},`,
    ),
    'tsconfig.json': JSON.stringify({
      extends: extended,
      compilerOptions: { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: true },
      include: ['src', '.svelte-kit/ambient.d.ts', '.svelte-kit/types/**/$types.d.ts'],
    }),
    ...FILES,
  }
}

/** As the README says to build for Node, for this origin. */
function configOfReadme(origin: string): string {
  const file = join(import.meta.dirname, '../../adapters/sveltekit/README.md')
  const [, code = ''] =
    /```ts\n(\/\/ vite.config.ts\nimport node [\s\S]*?)```/.exec(readFileSync(file, 'utf8')) ?? []
  return code.replace('http://localhost:3000', origin)
}

const CONFIG = `
  import adapter from '@sveltejs/adapter-node'
  import { sveltekit } from '@sveltejs/kit/vite'
  import { defineConfig } from 'vite'

  export default defineConfig({ plugins: [sveltekit({ adapter: adapter() })] })`

const FILES = {
  'src/app.html': `<!doctype html>
    <html lang="en"><head>%sveltekit.head%</head><body><div>%sveltekit.body%</div></body></html>`,
  'src/auth.ts': `
    import { ComponentKitAuth, type ComponentKitAuthConfig, CredentialsSignin } from '@latchkey/sveltekit'
    import credentials from '@latchkey/sveltekit/providers/credentials'
    import github, { type GitHubProfile } from '@latchkey/sveltekit/providers/github'

    export type Known = GitHubProfile
    // @ts-expect-error: raw is not for SvelteKit
    export const withRaw: ComponentKitAuthConfig = { providers: [], raw: true }
    // @ts-expect-error: either the app or the Worker answers the routes
    export const both: ComponentKitAuthConfig = { providers: [], worker: 'https://example.com/auth' }

    export const { handle, signIn, signOut } = ComponentKitAuth(async (event) => ({
      trustHost: event.url.protocol === 'http:',
      providers: [
        github({ clientId: 'id', clientSecret: 'secret' }),
        credentials({
          authorize({ password }) {
            if (password !== 'right') throw new CredentialsSignin('wrong')
            return { id: '1', name: 'Ann' }
          },
        }),
      ],
    }))`,
  'src/hooks.server.ts': `
    import { redirect } from '@sveltejs/kit'
    import { sequence } from '@sveltejs/kit/hooks'
    import { handle as authentication } from './auth'

    export const handle = sequence(authentication, async ({ event, resolve }) => {
      if (event.url.pathname.startsWith('/authenticated')) {
        const session = await event.locals.auth()
        if (!session?.user) redirect(303, '/signin')
      }
      return resolve(event)
    })`,
  'src/routes/+layout.server.ts': `
    import type { LayoutServerLoad } from './$types'

    export const load: LayoutServerLoad = async ({ locals }) => ({ session: await locals.auth() })`,
  'src/routes/+page.svelte': `
    <script lang="ts">
      import { page } from '$app/state'
      import { SignIn, SignOut } from '@latchkey/sveltekit/components'
    </script>

    <h1>{page.data.session?.user?.name ?? 'Nobody'}</h1>
    <SignIn provider="github" options={{ redirectTo: '/authenticated' }}>
      <svelte:fragment slot="submitButton">In by a slot</svelte:fragment>
    </SignIn>
    <SignOut>{#snippet submitButton()}Out by a snippet{/snippet}</SignOut>`,
  'src/routes/client/+page.svelte': `
    <script lang="ts">
      import { signIn, signOut } from '@latchkey/sveltekit/client'

      let code = $state<string>()

      async function tryPassword() {
        const { ok, error, ...answer } = await signIn('credentials', { password: 'x', redirect: false })
        code = ok || error === undefined ? undefined : answer.code
        // @ts-expect-error: it is called redirectTo
        if (code) await signIn('credentials', { callbackUrl: '/' })
      }
    </script>

    <button onclick={tryPassword}>In {code}</button>
    <button onclick={() => signOut({ redirectTo: '/' })}>Out</button>`,
  'src/routes/signin/+page.server.ts': `
    import { CredentialsSignin } from '@latchkey/sveltekit'
    import { fail } from '@sveltejs/kit'
    import { signIn } from '../../auth'
    import type { Actions } from './$types'

    export const actions: Actions = {
      default: async (event) => {
        try {
          await signIn(event)
        } catch (error) {
          if (error instanceof CredentialsSignin) return fail(400, { code: error.code })
          throw error
        }
      },
    }`,
  'src/routes/signin/+page.svelte': `
    <script lang="ts">
      const { form } = $props()
    </script>

    <p>{form?.code}</p>`,
  'src/routes/signout/+page.server.ts': `
    import { signOut } from '../../auth'
    import type { Actions } from './$types'

    export const actions: Actions = { default: signOut }`,
  'src/routes/signout/+page.svelte': '<h1>Sign out</h1>',
  'src/routes/authenticated/+page.server.ts': `
    import type { PageServerLoad } from './$types'

    export const load: PageServerLoad = async ({ locals }) => ({
      name: (await locals.auth())?.user?.name,
    })`,
  'src/routes/authenticated/+page.svelte': `
    <script lang="ts">
      const { data } = $props()
    </script>

    <h1>Only for {data.name}</h1>`,
  'src/routes/about/+page.ts': 'export const prerender = true',
  'src/routes/about/+page.svelte':
    '<a href="/authenticated">In</a> <a href="/">Home</a> <a href="/client">Client</a>',
}
