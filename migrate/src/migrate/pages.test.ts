import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { applyPatch, parsePatch } from 'diff'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { migrateApp } from './migrate-app.js'

/** The pages show the command's results for the apps of `test/moving-in` and `test/moving-in-next`. */
const root = join(import.meta.dirname, '../../..')
const now = new Date('2026-11-22T12:00:00Z')

/** The files of an app, but not the binary ones. */
function filesOf(app: string): Map<string, string> {
  const folder = join(root, 'test', app)
  const paths = globSync(['**/*', '.env.example'], { cwd: folder }).filter((path) =>
    statSync(join(folder, path)).isFile(),
  )
  return new Map(paths.map((path) => [path, readFileSync(join(folder, path), 'utf8')]))
}

/** The files of an app after the patch that a page shows of it. */
function patched(page: string, app: string): Map<string, string> {
  const text = readFileSync(join(root, 'docs', `${page}.md`), 'utf8')
  const [, section = ''] = text.split(`test/${app}`)
  const [, patch = ''] = /```diff\n(.*?)```/s.exec(section) ?? []
  const files = filesOf(app)
  const changes = parsePatch(patch)
  expect(changes.length).toBeGreaterThan(2)
  for (const change of changes) {
    const path = change.oldFileName?.replace(/^a\//, '') ?? ''
    const after = applyPatch(files.get(path) ?? '', change)
    expect(after, `the patch of ${path} applies`).not.toBe(false)
    files.set(path, String(after))
  }
  return files
}

test.each([
  ['migrate-from-authjs', 'moving-in/authjs-express'],
  ['migrate-from-authjs-next', 'moving-in-next/next-auth-5'],
  ['migrate-from-authjs', 'moving-in/authjs-sveltekit'],
  ['migrate-from-better-auth', 'moving-in/better-auth-express'],
  ['migrate-from-next-auth-4', 'moving-in-next/next-auth-4'],
])('%s shows the change of %s that the command makes', (page, app) => {
  const byPage = patched(page, app)
  const [, version = ''] =
    /"@latchkey\/worker": "\^(.+?)"/.exec(byPage.get('package.json') ?? '') ?? []
  const files = filesOf(app)
  const byCommand = new Map([...files, ...migrateApp(files, version, now).changed])
  for (const [path, text] of byCommand) expect(byPage.get(path), path).toBe(text)
})

/** The options that a type declares, and those of the groups in it that it spells out itself. */
function* optionsOf(file: string, type: string): Generator<string> {
  const text = readFileSync(join(root, 'node_modules', file), 'utf8')
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true)
  for (const statement of tree.statements) {
    const isType = ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)
    if (!isType || statement.name.text !== type) continue
    for (const member of membersOf(statement)) {
      const name = member.name.getText(tree)
      yield name
      if (!member.type || !GROUPS.includes(name)) continue
      for (const inner of membersOf(member.type)) yield `${name}.${inner.name.getText(tree)}`
    }
  }
}

/** Groups with so different options that each has its own place. Callbacks are groups of parameters. */
const GROUPS = ['session', 'callbacks', 'events', 'emailAndPassword', 'experimental']

function membersOf(node: ts.Node): ts.PropertySignature[] {
  if (ts.isInterfaceDeclaration(node) || ts.isTypeLiteralNode(node)) {
    return node.members.filter(ts.isPropertySignature)
  }
  if (ts.isTypeAliasDeclaration(node)) return membersOf(node.type)
  if (ts.isParenthesizedTypeNode(node)) return membersOf(node.type)
  const isMany = ts.isUnionTypeNode(node) || ts.isIntersectionTypeNode(node)
  return isMany ? node.types.flatMap(membersOf) : []
}

const of = (group: string, file: string, type: string) =>
  [...optionsOf(file, type)].map((name) => `${group}.${name}`)

test.each([
  [
    'migrate-from-authjs-options',
    [
      ...optionsOf('@auth/core/index.d.ts', 'AuthConfig'),
      ...of('pages', '@auth/core/types.d.ts', 'PagesOptions'),
      ...of('cookies', '@auth/core/types.d.ts', 'CookiesOptions'),
      ...of('theme', '@auth/core/types.d.ts', 'Theme'),
    ],
    45,
  ],
  [
    'migrate-from-better-auth',
    [
      ...optionsOf('@better-auth/core/dist/types/init-options.d.mts', 'BetterAuthOptions'),
      ...of(
        'advanced',
        '@better-auth/core/dist/types/init-options.d.mts',
        'BetterAuthAdvancedOptions',
      ),
    ],
    45,
  ],
])('%s says of every option what takes its place', (page, options, least) => {
  expect(options.length).toBeGreaterThan(least)
  const text = readFileSync(join(root, 'docs', `${page}.md`), 'utf8')
  const groups = new Set([
    'session',
    'callbacks',
    'events',
    'pages',
    'cookies',
    'advanced',
    'theme',
  ])
  const missing = options.filter((name) => !groups.has(name) && !text.includes(`\`${name}\``))
  expect(missing).toEqual([])
})
