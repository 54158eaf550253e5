import { isOfVariables } from 'latchkey/internal'
import { type App, type Decision, readApp } from './app.js'
import { below } from './code.js'
import { fromAuthjs } from './from-authjs.js'
import { fromBetterAuth } from './from-better-auth.js'
import { changeManifest } from './manifest.js'
import { moduleOf, packageOf } from './move-imports.js'
import { addVariable, changeVariables, variablesOf } from './variables.js'
import { changeReads } from './variables-in-code.js'

/** The files to write, and the decisions that remain. */
export interface Migration {
  /** Files that change, with their new texts. */
  readonly changed: ReadonlyMap<string, string>
  readonly decisions: readonly Decision[]
}

/** Packages that go when nothing imports them. */
const OLD = ['@auth/core', '@auth/express', '@auth/sveltekit', 'better-auth', 'next-auth']

/**
 * The changes by which a package's app moves from Auth.js or better-auth. A second time there are none.
 *
 * @param files the texts of one package by their paths: code, `package.json`, and files such as `.env`
 * @param version of the packages that it gets
 * @param now the day on which the old sessions' lives are counted from
 */
export function migrateApp(
  files: ReadonlyMap<string, string>,
  version: string,
  now: Date,
): Migration {
  const variables = [...files].filter(([path]) => isOfVariables(path))
  const app = readApp(
    files,
    now,
    new Set(variables.flatMap(([, text]) => [...variablesOf(text).keys()])),
  )
  fromAuthjs(app)
  fromBetterAuth(app)
  changeReads(app)
  const changed = new Map<string, string>()
  const change = (path: string, text: string) => {
    if (text !== files.get(path)) changed.set(path, text)
  }
  for (const { path, edit } of app.codes.values()) change(path, edit.toString())
  if (app.needed.size > 0) {
    changePackage(app, files, changed, version, change)
    changeEnvironments(app, variables, change)
  }
  return { changed, decisions: inOrder(app.decisions) }
}

function changePackage(
  app: App,
  files: ReadonlyMap<string, string>,
  changed: ReadonlyMap<string, string>,
  version: string,
  change: (path: string, text: string) => void,
): void {
  const used = new Set<string>()
  const codes = [...app.codes.keys()].map((path): [string, string] => [
    path,
    changed.get(path) ?? files.get(path) ?? '',
  ])
  for (const { tree } of readApp(new Map(codes), app.now).codes.values()) {
    for (const node of below(tree)) used.add(packageOf(moduleOf(node)?.text ?? ''))
  }
  const unused = new Set(OLD.filter((name) => !used.has(name)))
  const text = changeManifest(files.get('package.json') ?? '', unused, app.needed, version)
  if (text !== undefined) change('package.json', text)
  else {
    const missing = [...app.needed].join(', ')
    app.decisions.push({ path: 'package.json', text: `Install ${missing}.` })
  }
}

function changeEnvironments(
  app: App,
  variables: readonly (readonly [string, string])[],
  change: (path: string, text: string) => void,
): void {
  for (const [path, text] of variables) {
    const { text: renamed, changed } = changeVariables(text)
    for (const line of changed) {
      app.decisions.push({ path, text: `${line}: rename it in the app’s environment too.` })
    }
    change(path, app.needsSecret ? addVariable(path, renamed, 'AUTH_SECRET') : renamed)
    const secret = variablesOf(renamed).get('AUTH_SECRET')
    if (secret && secret.length < 32) {
      app.decisions.push({
        path,
        text: 'AUTH_SECRET has less than 32 characters: make a new one (`openssl rand -hex 32`), and give the old one to `migrateFrom` under another name.',
      })
    }
  }
}

function inOrder(decisions: readonly Decision[]): Decision[] {
  const text = ({ path, line = 0, text }: Decision) =>
    `${path}\n${String(line).padStart(9)}\n${text}`
  const byText = new Map(decisions.map((one) => [text(one), one]))
  return [...byText].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one)
}
