import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))
const root = join(here, '..', '..')

/** The versions that are kept here, such as `0.1`, each with its packages and its stored state. */
export const versions = readdirSync(here)
  .filter((name) => /^\d+(?:\.\d+)*$/.test(name))
  .sort(new Intl.Collator('en', { numeric: true }).compare)

export const folderOf = (version: string) => join(here, version)

/** The packages of one version, as an app has them installed. */
export interface Packages {
  readonly version: string
  /** For a bundler: the files that imports of `@latchkey/…` resolve to. */
  readonly alias: readonly { readonly find: RegExp; readonly replacement: string }[]
  /** Imports a package by its name in this process, without the test runner's own module loader. */
  load<Module>(name: string): Promise<Module>
  remove(): void
}

/** The sources of this repository. */
export const current: Omit<Packages, 'load'> = {
  version: 'this version',
  alias: [
    { find: /^@latchkey\/(session|host|worker)$/, replacement: join(root, '$1/src/index.ts') },
    { find: /^@latchkey\/(session|host|worker)\/(.+)$/, replacement: join(root, '$1/src/$2.ts') },
  ],
  remove() {},
}

/** The packages' other dependencies, in the versions that the repository has. */
const NEEDED = ['jose', 'hono', 'oauth4webapi', '@hono/oauth-providers', '@sveltejs/kit', 'svelte']

/** Installs the packages of an earlier version, without a registry. */
export function installed(version: string): Packages {
  const folder = mkdtempSync(join(tmpdir(), `latchkey-${version}-`))
  const modules = join(folder, 'node_modules')
  const archives = readdirSync(folderOf(version)).filter((name) => name.endsWith('.tgz'))
  for (const name of archives) {
    const into = join(modules, '@latchkey', name.replace('.tgz', ''))
    mkdirSync(into, { recursive: true })
    const archive = join(folderOf(version), name)
    execFileSync('tar', ['-xzf', archive, '-C', into, '--strip-components=1'])
  }
  for (const name of NEEDED) {
    mkdirSync(join(modules, name, '..'), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), join(modules, name))
  }
  // Kit resolves this one itself.
  const app = join(modules, '$app')
  mkdirSync(app)
  writeFileSync(
    join(app, 'package.json'),
    '{ "type": "module", "exports": { "./paths": "./paths.js" } }',
  )
  writeFileSync(
    join(app, 'paths.js'),
    "export const base = ''\nexport const resolve = (path) => path\n",
  )
  const dist = join(modules, '@latchkey', '$1', 'dist')
  return {
    version,
    alias: [
      // Up to 0.2 the session package had what the host has now.
      ...(archives.includes('host.tgz')
        ? []
        : [{ find: /^@latchkey\/host\/shared$/, replacement: internalsOf(modules) }]),
      { find: /^@latchkey\/(session|host|worker)$/, replacement: join(dist, 'index.js') },
      { find: /^@latchkey\/(session|host|worker)\/(.+)$/, replacement: join(dist, '$2.js') },
    ],
    load: async (name) => {
      const [, part = '', entry = 'index'] = /^@latchkey\/(\w+)(?:\/(.+))?$/.exec(name) ?? []
      const file = join(modules, '@latchkey', part, 'dist', `${entry}.js`)
      return import(/* @vite-ignore */ pathToFileURL(file).href)
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

const internalsOf = (modules: string) => join(modules, '@latchkey/session/dist/internal.js')
