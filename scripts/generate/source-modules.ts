import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { llmsPages } from './agents-files.ts'
import { passwordModules } from './common-passwords.ts'
import { languageModules } from './packed-tables.ts'
import { providerIds } from './presets.ts'
import { suffixModules } from './public-suffixes.ts'
import { readCapabilities } from './read-capabilities.ts'
import { writeFiles } from './write-files.ts'

/** Where the modules are that git does not have. Every other file in these folders is deleted. */
export const MADE: readonly string[] = [
  'adapters/*/src/providers/*',
  'host/src/shared/packed-suffixes.ts',
  'llms-full.txt',
  'worker/src/features/authorization-server/translations.ts',
  'worker/src/features/companies/translations.ts',
  'worker/src/features/new-browsers/translations.ts',
  'worker/src/features/passwords/common-passwords.ts',
  'worker/src/features/passwords/translations.ts',
  'worker/src/languages/all.ts',
  'worker/src/languages/packed/*',
  'worker/src/languages/tags/*',
]

/**
 * The modules that are made of other files, and are in no commit: each provider in each adapter, the
 * packed languages, and the packed Public Suffix List. Reads files, and writes none.
 *
 * @returns the text of each module by its path; `undefined` for a file that must be deleted
 */
export function sourceModules(root: string): Map<string, string | undefined> {
  // Features that come by import alone, with their translations.
  const apart = readCapabilities(root).flatMap(({ name, texts }) => (texts === 'apart' ? name : []))
  const modules = new Map([
    ...providers(root),
    ...languageModules(root, apart),
    ...suffixModules(root),
    ...passwordModules(root),
    llmsPages(root),
  ])
  const there = globSync([...MADE], { cwd: root }).map((path) => path.replaceAll('\\', '/'))
  const stale = there.filter((path) => !modules.has(path))
  return new Map([...modules, ...stale.map((path) => [path, undefined] as const)])
}

/** Writes the modules that are missing or out of date. Tests, the compiler and `npm install` call it. */
export function makeSourceModules(root: string): string[] {
  return writeFiles(root, sourceModules(root))
}

/** In each adapter that offers providers, a module for each one of the Worker's. */
function providers(root: string): [string, string][] {
  const adapters = globSync('adapters/*/package.json', { cwd: root }).filter((path) => {
    const { exports } = JSON.parse(readFileSync(join(root, path), 'utf8'))
    return './providers/*' in exports
  })
  const ids = providerIds(root)
  return adapters.flatMap((manifest) => {
    const folder = dirname(manifest).replaceAll('\\', '/')
    return ids.map((id): [string, string] => [
      `${folder}/src/providers/${id}.ts`,
      [
        `// Made from worker/src/providers/${id}.ts. Do not edit.`,
        `export * from '@latchkey/worker/providers/${id}'`,
        `export { default } from '@latchkey/worker/providers/${id}'`,
        '',
      ].join('\n'),
    ])
  })
}
