import { existsSync, globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { deflateSync, inflateSync } from 'node:zlib'

type Table = Readonly<Record<string, Readonly<Record<string, unknown>>>>

const load = createRequire(import.meta.url)

/**
 * The modules by which the Worker has other languages: each language, its packed texts, and the list of all.
 *
 * @param apart features that come by import alone, with their translations
 */
export function languageModules(root: string, apart: readonly string[]): [string, string][] {
  const modules = packedTables(root, apart)
  const tags = modules.map(([path]) => basename(path, '.ts')).sort()
  const list = [
    '// Made from languages/. Do not edit.',
    "import type { Language } from './language.js'",
    ...tags.map((tag) => `import ${nameOf(tag)} from './tags/${tag}.js'`),
    '',
    '/** Every language but English. */',
    'export const all: readonly Language[] = [',
    ...tags.map((tag) => `  ${nameOf(tag)},`),
    ']',
    '',
  ]
  return [
    ['worker/src/languages/all.ts', list.join('\n')],
    ...tags.map((tag): [string, string] => [
      `worker/src/languages/tags/${tag}.ts`,
      languageOf(tag),
    ]),
    ...modules,
    ...apart.map((feature) => tableApart(root, feature)),
  ]
}

/** Languages that share words or letters stand beside each other, so that they pack well. Others follow. */
const KIN = 'pt-BR es fr it de nl id tr pl uk ar he hi ko ja zh-Hans zh-Hant'.split(' ')

/** The texts of a feature in every language but English, packed as one: those of a language begin with its tag. */
export function tableApart(root: string, feature: string): [string, string] {
  const folder = `worker/src/features/${feature}`
  const english: Table = read(root, `${folder}/texts.ts`).texts()
  const tags = globSync('languages/*.ts', { cwd: root }).map((one) => basename(one, '.ts'))
  const ordered = new Set([...KIN.filter((tag) => tags.includes(tag)), ...tags.sort()])
  const parts = [...ordered].map((tag) =>
    [tag, ...linesOf(english, read(root, `languages/${tag}.ts`).texts)].join('\n'),
  )
  const path = `${folder}/translations.ts`
  return [path, moduleOf(root, path, 'languages/', parts.join('\f'))]
}

/** `pt-BR` as the name of a value. */
function nameOf(tag: string): string {
  return tag.replace('-', '')
}

function languageOf(tag: string): string {
  const name = new Intl.DisplayNames('en', { type: 'language' }).of(tag)
  return [
    '// Made from languages/. Do not edit.',
    "import type { Language } from '../language.js'",
    '',
    `/** ${name}: \`languages: [${nameOf(tag)}]\` of the configuration. */`,
    `const ${nameOf(tag)}: Language = { tag: '${tag}', load: () => import('../packed/${tag}.js') }`,
    '',
    `export default ${nameOf(tag)}`,
    '',
  ].join('\n')
}

/**
 * For each table of `languages/` the module that the Worker loads: the texts without their
 * names, in the order of the English ones, by the feature that has those, packed. A missing text is
 * an empty line.
 */
export function packedTables(root: string, apart: readonly string[] = []): [string, string][] {
  const english = englishTables(root, apart)
  return globSync('languages/*.ts', { cwd: root }).map((source) => {
    const table: Table = read(root, source).texts
    const values = english.map((part) => linesOf(part, table).join('\n'))
    const path = `worker/src/languages/packed/${basename(source)}`
    return [path, moduleOf(root, path, source, values.join('\f'))]
  })
}

/** The texts of a table in the order of English ones. */
function linesOf(english: Table, table: Table): string[] {
  return Object.entries(english).flatMap(([section, texts]) =>
    Object.keys(texts).map((name) => lineOf(table[section]?.[name])),
  )
}

/** A text, or the forms of a number, each after its category. */
function lineOf(text: unknown = ''): string {
  const parts = typeof text === 'string' ? [text] : Object.entries(text as object).flat()
  if (!/[\t\n\f]/.test(parts.join(''))) return parts.join('\t')
  throw new Error(`A text is more than a line: ${parts.join(' ')}`)
}

/** The English texts of the core, and then of each feature that has some, by its name: as the Worker knows them. */
function englishTables(root: string, apart: readonly string[]): Table[] {
  const files = globSync('worker/src/features/*/texts.ts', { cwd: root })
    .filter((file) => !apart.some((feature) => file.includes(`/${feature}/`)))
    .sort()
  return ['worker/src/languages/english.ts', ...files].map((file) => read(root, file).texts())
}

function read(root: string, path: string) {
  return load(join(root, path))
}

function moduleOf(root: string, path: string, source: string, text: string): string {
  const what = source.endsWith('.ts')
    ? `The texts of ${source}`
    : 'The texts of this folder, from languages/'
  const file = join(root, path)
  const before = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const [, known = ''] = /'([^']*)'\n$/.exec(before) ?? []
  // To pack is slow: what says the same stays.
  const packed = unpack(known) === text ? known : pack(text)
  return [
    `// Made from ${source}. Do not edit.`,
    '',
    `/** ${what}, one a line, deflated (RFC 1950), in base64. */`,
    `export const packed: string =\n  '${packed}'`,
    '',
  ].join('\n')
}

/** More blocks, each with a code of its own, suit texts in several scripts; one block suits a single language. */
function pack(text: string): string {
  const all = [5, 6, 8].map((memLevel) => deflateSync(text, { level: 9, memLevel }))
  const [shortest] = all.toSorted((one, other) => one.length - other.length)
  return (shortest as Buffer).toString('base64')
}

function unpack(packed: string): string | undefined {
  try {
    return inflateSync(Buffer.from(packed, 'base64')).toString()
  } catch {
    return undefined
  }
}
