import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { WrongUse } from '../../command.js'
import { importsOf, listOf } from '../code.js'
import { environmentFile } from '../environment.js'
import { dependencyOf, parsedManifest } from '../manifest.js'
import type { Kind, Planned, Wanted } from '../planned.js'
import { guardFile, PROXY_NAMES } from './next-guard.js'
import { DATA, STORE } from './node.js'
import { firstOf, installs } from './present-app.js'

const CONFIGS = ['js', 'mjs', 'ts', 'mts'].map((ending) => `next.config.${ending}`)

export const next: Kind = {
  summary: 'a Next.js app that is there',
  async plan({ folder, providers, present }) {
    const manifest = await present('package.json')
    const range =
      manifest === undefined ? undefined : dependencyOf(parsedManifest(manifest), 'next')
    if (manifest === undefined || range === undefined) {
      throw new WrongUse(
        'The folder has no Next app: make one with "npx create-next-app", and run this in it.',
      )
    }
    const ending = (await present('tsconfig.json')) === undefined ? 'js' : 'ts'
    const below = await rootOf(folder)
    const config = await firstOf(present, CONFIGS, '')
    const settings = config === '' ? '' : ((await present(config)) ?? '')
    const isOld = await isBefore16(range, present)
    const base = `${basePathIn(settings)}/api/auth`
    const url = 'http://localhost:3000'
    const adapter = '@latchkey/next'
    const own = (stem: string) =>
      firstOf(
        present,
        ENDINGS.map((one) => `${below}${stem}.${one}`),
        `${below}${stem}.${ending}`,
      )
    return {
      url,
      first: `${base}/signin`,
      basePath: base,
      next: [...(await installs(manifest, [adapter, '@latchkey/worker'])), 'npm run dev'],
      files: [
        environmentFile('.env', providers, `${url}${base}/callback`, STORE),
        DATA,
        {
          path: await own('auth'),
          text: `import NextAuth from '${adapter}'
${importsOf(adapter, providers)}
export const { handlers, auth, requireSession, signIn, signOut, update } = NextAuth({
  providers: ${listOf(providers)},
})
`,
        },
        {
          path: await own('app/api/auth/[...nextauth]/route'),
          text: `import { handlers } from '../../../../auth'

export const { GET, POST } = handlers
`,
        },
        guardFile(await ownGuard(present, isOld), { below, ending, isOld }),
        ...(isStandalone(settings) ? [tracing(config)] : []),
      ],
    }
  },
}

/** The endings of code that Next knows, and those of apps that set `pageExtensions`. */
const ENDINGS = ['ts', 'tsx', 'js', 'jsx', 'mts', 'mjs']

/** Next looks for the two routers at the root first, and for the proxy beside what it finds. */
async function rootOf(folder: string): Promise<'' | 'src/'> {
  const isThere = async (path: string) =>
    (await stat(join(folder, path)).catch(() => undefined))?.isDirectory() === true
  if ((await isThere('app')) || (await isThere('pages'))) return ''
  return (await isThere('src/app')) || (await isThere('src/pages')) ? 'src/' : ''
}

/** The proxy of the app itself: in both folders, since Next reads it in both. Version 15 knows only the earlier name. */
function ownGuard(present: Wanted['present'], isOld: boolean): Promise<string> {
  const names = isOld ? PROXY_NAMES.slice(1) : PROXY_NAMES
  const paths = names.flatMap((name) =>
    ['', 'src/'].flatMap((at) => ENDINGS.map((one) => `${at}${name}.${one}`)),
  )
  return firstOf(present, paths, '')
}

/** By the version that is installed, else by the range. One that names no number is that of the newest. */
async function isBefore16(range: string, present: Wanted['present']): Promise<boolean> {
  const installed = await present('node_modules/next/package.json')
  const { version } = installed === undefined ? {} : parsedManifest(installed)
  return /^\D*1[0-5]\b/.test(typeof version === 'string' ? version : range)
}

/** The `basePath` of `next.config`, if it is written out there. */
function basePathIn(settings: string): string {
  const written =
    /(?:^|[{,])[ \t]*(?:(?:export )?const )?['"]?basePath['"]?\s*[:=]\s*(['"`])(\/[\w./~-]*)\1/m
  return written.exec(settings)?.[2]?.replace(/\/+$/, '') ?? ''
}

const STANDALONE = /^([ \t]*)(output\s*:\s*(['"`])standalone\3)/m

function isStandalone(settings: string): boolean {
  return STANDALONE.test(settings)
}

/** The store is loaded by the name in `AUTH_STORE`, which the trace of Next does not follow. */
function tracing(path: string): Planned {
  const lines = "{ '/**': ['./node_modules/@latchkey/**', './node_modules/jose/**'] }"
  return {
    path,
    text: '',
    merged: (present) =>
      present.includes('outputFileTracingIncludes')
        ? present
        : present.replace(STANDALONE, `$1outputFileTracingIncludes: ${lines},\n$1$2`),
  }
}
