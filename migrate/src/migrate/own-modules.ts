import { posix } from 'node:path'
import ts from 'typescript'

/** Finds the file of an app that an import names. */
export type FindModule = (from: string, specifier: string) => string | undefined

const ENDINGS = [
  '',
  ...['.ts', '.tsx', '.js', '.jsx', '.mts', '.mjs'],
  ...['/index.ts', '/index.tsx', '/index.js', '/index.jsx'],
]

/**
 * Reads relative imports, those below `$lib` of SvelteKit, and the aliases of `tsconfig.json` or
 * `jsconfig.json`. Without such a file, or if it inherits, `@/` and `~/` stand for `src/` or the root,
 * as the templates of Next.js apps have it.
 *
 * @param files all files of the package, by their paths
 * @param isCode is the path that of a file of code?
 */
export function ownModules(
  files: ReadonlyMap<string, string>,
  isCode: (path: string) => boolean,
): FindModule {
  const aliases = [...aliasesOf(files), ...USUAL]
  return (from, specifier) => {
    for (const base of basesOf(aliases, from, specifier)) {
      const bare = base.replace(/[.][cm]?[jt]sx?$/, '')
      const paths = [base, ...ENDINGS.map((ending) => bare + ending)]
      const found = paths.find(isCode)
      if (found !== undefined) return found
    }
    return undefined
  }
}

type Alias = readonly [pattern: string, target: string]

const USUAL: readonly Alias[] = [
  ['$lib/*', 'src/lib/*'],
  ['@/*', 'src/*'],
  ['@/*', '*'],
  ['~/*', 'src/*'],
  ['~/*', '*'],
]

function* basesOf(aliases: readonly Alias[], from: string, specifier: string): Generator<string> {
  if (/^[.]{1,2}(?:\/|$)/.test(specifier)) {
    yield posix.join(posix.dirname(from), specifier)
    return
  }
  for (const [pattern, target] of aliases) {
    const [start = '', end] = pattern.split('*')
    if (end === undefined) {
      if (specifier === pattern) yield posix.normalize(target)
    } else if (specifier.startsWith(start) && specifier.endsWith(end)) {
      const part = specifier.slice(start.length, specifier.length - end.length)
      yield posix.normalize(target.replace('*', () => part))
    }
  }
}

function* aliasesOf(files: ReadonlyMap<string, string>): Generator<Alias> {
  for (const name of ['tsconfig.json', 'jsconfig.json']) {
    const options = optionsIn(files.get(name))
    const home = typeof options.baseUrl === 'string' ? options.baseUrl : '.'
    const paths = typeof options.paths === 'object' && options.paths !== null ? options.paths : {}
    for (const [pattern, targets] of Object.entries(paths)) {
      for (const target of Array.isArray(targets) ? targets : []) {
        if (typeof target === 'string') yield [pattern, posix.join(home, target)]
      }
    }
    if (typeof options.baseUrl === 'string') yield ['*', posix.join(home, '*')]
  }
}

function optionsIn(text = ''): { readonly baseUrl?: unknown; readonly paths?: unknown } {
  const { config } = ts.parseConfigFileTextToJson('tsconfig.json', text) as { config?: unknown }
  const isObject = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null
  return isObject(config) && isObject(config.compilerOptions) ? config.compilerOptions : {}
}
