import { WrongUse } from '../../command.js'
import { importsOf, listOf } from '../code.js'
import { environmentFile } from '../environment.js'
import { dependencyOf, parsedManifest } from '../manifest.js'
import type { Kind } from '../planned.js'
import { DATA, STORE } from './node.js'
import { firstOf, installs } from './present-app.js'

export const sveltekit: Kind = {
  summary: 'a SvelteKit app that is there',
  async plan({ providers, present }) {
    const manifest = await present('package.json')
    if (manifest === undefined || !dependencyOf(parsedManifest(manifest), '@sveltejs/kit')) {
      throw new WrongUse(
        'The folder has no SvelteKit app: make one with "npx sv create", and run this in it.',
      )
    }
    const ending = (await present('tsconfig.json')) === undefined ? 'js' : 'ts'
    const url = 'http://localhost:5173'
    const adapter = '@latchkey/sveltekit'
    const path = await firstOf(present, HOOKS, `src/hooks.server.${ending}`)
    const auth = path.includes('/index.') ? '../auth.js' : './auth.js'
    const hooks = `export { handle } from '${auth}'\n`
    return {
      url,
      first: '/auth/signin',
      basePath: '/auth',
      next: [...(await installs(manifest, [adapter, '@latchkey/worker'])), 'npm run dev'],
      files: [
        environmentFile('.env', providers, `${url}/auth/callback`, STORE),
        DATA,
        {
          path: `src/auth.${ending}`,
          text: `import { ComponentKitAuth } from '${adapter}'
${importsOf(adapter, providers)}
export const { handle, signIn, signOut } = ComponentKitAuth({ providers: ${listOf(providers)} })
`,
        },
        { path, text: hooks, merged: (text) => withHook(text, hooks, auth) },
      ],
    }
  },
}

/** Kit reads one of them, the folder first. */
const HOOKS = ['index', ''].flatMap((name) =>
  ['ts', 'js'].map((ending) => `src/hooks.server${name && `/${name}`}.${ending}`),
)

/** The app's own hook runs behind ours, which it finds in `locals.auth`. */
function withHook(text: string, hooks: string, auth: string): string {
  if (/from ['"][^'"]*\/auth(?:\.js)?['"]/.test(text)) return text
  const renamed = text
    .replace(/^export const handle\b/m, 'const ownHandle')
    .replace(/^export (async )?function handle\b/m, '$1function ownHandle')
  if (renamed === text) return `${text}${text.endsWith('\n') || text === '' ? '' : '\n'}${hooks}`
  return `import { sequence } from '@sveltejs/kit/hooks'
import { handle as authHandle } from '${auth}'
${renamed}${renamed.endsWith('\n') ? '' : '\n'}
export const handle = sequence(authHandle, ownHandle)
`
}
