import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')

/** An app as `next build` has made it. */
export interface BuiltApp extends AsyncDisposable {
  readonly folder: string
  /** Seconds that the build took. */
  readonly seconds: number
}

type Files = Readonly<Record<string, string>>

/** A small app with one page, which skips the session while `globalThis.isWithoutSession` is set. */
export const SMALL: Files = {
  'auth.js': `
    import NextAuth from '@latchkey/next'
    import github from '@latchkey/next/providers/github'

    export const { handlers, auth } = NextAuth({
      providers: [github({ clientId: 'bench', clientSecret: 'bench' })],
    })`,
  'app/auth/[...latchkey]/route.js': `
    import { handlers } from '../../../auth'

    export const { GET, POST } = handlers`,
  'app/layout.js': `
    export default ({ children }) => (
      <html lang="en">
        <body>{children}</body>
      </html>
    )`,
  // Without `headers` Next would render the page once, at the build.
  'app/account/page.js': `
    import { headers } from 'next/headers'
    import { auth } from '../../auth'

    export default async function Account() {
      await headers()
      const session = globalThis.isWithoutSession ? null : await auth()
      return <p>{'Hello ' + (session?.user?.name ?? 'everybody of the bench')}</p>
    }`,
}

/** The same, behind a proxy. */
export const BEHIND_PROXY: Files = {
  ...SMALL,
  'proxy.js': `
    import { NextResponse } from 'next/server'
    import { auth } from './auth'

    export const proxy = (request, event) =>
      globalThis.isWithoutSession ? NextResponse.next() : auth(request, event)`,
}

/** What takes the place of our package in the example, for a build without sign-in. */
const STUBS: Files = {
  'auth.ts': `
    interface Session { user?: { name?: string }; expires: string }
    export const auth = async (): Promise<Session | null> => null
    export const requireSession = async (_?: object): Promise<Session> => ({ expires: '' })
    export const signIn = async (..._: unknown[]) => {}
    export const signOut = async (..._: unknown[]) => {}
    export class CredentialsSignin extends Error { code = '' }`,
  'react.tsx': `
    'use client'
    import type { ReactNode } from 'react'
    interface State { status: string; data: { user?: { name?: string } } | null }
    export const SessionProvider = (props: { session: unknown; children: ReactNode }) => props.children
    export const useSession = (): State => ({ status: 'loading', data: null })
    export const UserButton = (_: { redirectTo: string }) => null
    export const SignedOut = (props: { children: ReactNode }) => props.children
    export const signIn = async (..._: unknown[]) => ({ ok: false, code: '' })`,
}

/** Builds an app of these files. */
export function buildApp(files: Files): Promise<BuiltApp> {
  return build(async (folder) => write(folder, files))
}

/** Builds `examples/next`, as it is or without sign-in. */
export function buildExample(isWithSignIn: boolean): Promise<BuiltApp> {
  return build(async (folder) => {
    const example = join(root, 'examples/next')
    const filter = (path: string) =>
      !/\/(?:node_modules|\.next)(?:\/|$)/.test(path.slice(root.length))
    await cp(example, folder, { recursive: true, filter })
    if (isWithSignIn) return
    for (const path of ['proxy.ts', 'app/api']) await rm(join(folder, path), { recursive: true })
    await write(folder, STUBS)
    for (const path of [
      '(session)/page.tsx',
      '(session)/layout.tsx',
      '(session)/passkeys.tsx',
      'account.tsx',
    ]) {
      const file = join(folder, 'app', path)
      const up = path.includes('/') ? '../..' : '..'
      const text = await readFile(file, 'utf8')
      await writeFile(
        file,
        text
          .replace("'@latchkey/next/react'", `'${up}/react'`)
          .replace("'@latchkey/next'", `'${up}/auth'`),
      )
    }
  })
}

/** Below the repository, since Turbopack reads no file above its root. */
async function build(prepare: (folder: string) => Promise<void>): Promise<BuiltApp> {
  const apps = join(import.meta.dirname, '.apps')
  await mkdir(apps, { recursive: true })
  const folder = await mkdtemp(join(apps, 'app-'))
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    await prepare(folder)
    const config = `export default { turbopack: { root: ${JSON.stringify(root)} }, compress: false }`
    await write(folder, { 'package.json': '{ "type": "module" }', 'next.config.mjs': config })
    const { PATH, HOME } = process.env
    const env = { PATH, HOME, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' } as const
    const began = performance.now()
    await run(process.execPath, [join(root, 'node_modules/next/dist/bin/next'), 'build'], {
      cwd: folder,
      env,
    })
    const seconds = (performance.now() - began) / 1000
    return { folder, seconds, [Symbol.asyncDispose]: remove }
  } catch (error) {
    await remove()
    throw error
  }
}

async function write(folder: string, files: Files): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
}
