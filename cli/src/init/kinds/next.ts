import { WrongUse } from '../../command.js'
import { importsOf, listOf } from '../code.js'
import { environmentFile } from '../environment.js'
import { dependencyOf, parsedManifest } from '../manifest.js'
import type { Kind } from '../planned.js'
import { DATA, STORE } from './node.js'
import { firstOf, installs } from './present-app.js'

export const next: Kind = {
  summary: 'a Next.js app that is there',
  async plan({ providers, present }) {
    const manifest = await present('package.json')
    const range =
      manifest === undefined ? undefined : dependencyOf(parsedManifest(manifest), 'next')
    if (manifest === undefined || range === undefined) {
      throw new WrongUse(
        'The folder has no Next app: make one with "npx create-next-app", and run this in it.',
      )
    }
    const [ending, isTyped] =
      (await present('tsconfig.json')) === undefined ? ['js', false] : ['ts', true]
    const layouts = ['tsx', 'jsx', 'js'].map((one) => `src/app/layout.${one}`)
    const below = (await firstOf(present, layouts, '')) === '' ? '' : 'src/'
    // Version 16 calls it the proxy. A range that names no number is that of the newest.
    const isOld = /^\D*1[0-5]\b/.test(range)
    const proxy = isOld ? 'middleware' : 'proxy'
    const url = 'http://localhost:3000'
    const adapter = '@latchkey/next'
    const guard = `export { auth as ${proxy} } from './auth'

export const config = { matcher: ['/((?!_next/static|_next/image|favicon.ico).*)'] }
`
    return {
      url,
      first: '/api/auth/signin',
      basePath: '/api/auth',
      next: [...(await installs(manifest, [adapter, '@latchkey/worker'])), 'npm run dev'],
      files: [
        environmentFile('.env', providers, `${url}/api/auth/callback`, STORE),
        DATA,
        {
          path: `${below}auth.${ending}`,
          text: `import NextAuth from '${adapter}'
${importsOf(adapter, providers)}
export const { handlers, auth, requireSession, signIn, signOut, update } = NextAuth({
  providers: ${listOf(providers)},
})
`,
        },
        {
          path: `${below}app/api/auth/[...nextauth]/route.${ending}`,
          text: `import { handlers } from '../../../../auth'

export const { GET, POST } = handlers
`,
        },
        { path: `${below}${proxy}.${isTyped ? 'ts' : 'js'}`, text: guard },
      ],
    }
  },
}
