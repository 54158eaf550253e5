import { lstat, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import {
  answer,
  type Command,
  isOfVariables,
  parsed,
  printableLines,
  showChanges,
  WrongUse,
} from 'latchkey/internal'
import type { Decision } from './app.js'
import { migrateApp } from './migrate-app.js'

/** Changes the code of an app that uses Auth.js, next-auth or better-auth. */
export const migrate: Command = {
  help: `Changes the code of an app that uses Auth.js, next-auth or better-auth.

Usage: latchkey migrate [folder] [--write]

Without --write the command only shows the changes, as a patch. After the patch
it lists the decisions that it leaves to you. A second run changes nothing more.

  --write  writes the changes
  --json   prints { changes: [{ path, patch }],
           decisions: [{ path, line, text }] }

Exit code: 0 if nothing is left to decide, 1 if something is, 2 for wrong use.
`,

  async run(args, terminal) {
    const { folder, write } = read(args)
    const root = resolve(terminal.directory, folder)
    const packages = await packagesBelow(root)
    if (packages.size === 0) throw new WrongUse(`There is no package.json in ${folder}.`)
    const decisions: Decision[] = []
    const changes: { path: string; patch: string }[] = []
    for (const [at, files] of packages) {
      const migration = migrateApp(files, await ownVersion(), new Date())
      const pathOf = (path: string) => relative(root, join(at, path)).split(sep).join('/')
      for (const [path, text] of migration.changed) {
        if (write) await writeFile(join(at, path), text)
        const patch = showChanges(pathOf(path), files.get(path) ?? '', text)
        changes.push({ path: pathOf(path), patch })
      }
      decisions.push(...migration.decisions.map((one) => ({ ...one, path: pathOf(one.path) })))
    }
    answer(terminal, { changes, decisions }, () => {
      const patches = write ? '' : changes.map(({ patch }) => patch).join('')
      return patches + printableLines(summary(changes.length, write, decisions))
    })
    return decisions.length === 0 ? 0 : 1
  },
}

function read(args: readonly string[]): { folder: string; write: boolean } {
  const { values, positionals } = parsed(args, { write: { type: 'boolean' } })
  if (positionals.length > 1) throw new WrongUse('Name only one folder.')
  return { folder: positionals[0] ?? '.', write: values.write === true }
}

function summary(count: number, isWritten: boolean, decisions: readonly Decision[]): string {
  const files = count === 1 ? '1 file' : `${count} files`
  const done =
    count === 0
      ? 'There is nothing to change.\n'
      : isWritten
        ? `Changed ${files}. Run your package manager's install now.\n`
        : `${files} would change: --write writes them.\n`
  const lines = decisions.map(({ path, line, text }) => {
    const place = line === undefined ? path : `${path}:${line}`
    return `  ${place}\n    ${text}\n`
  })
  return decisions.length === 0 ? done : `${done}\nFor you to decide:\n\n${lines.join('')}`
}

const CODE = /[.](?:[cm]?[jt]sx?|svelte)$/
/** Files that say which packages an app has, and what its imports mean. */
const READ = /^(?:package|tsconfig|jsconfig)[.]json$/
const LEFT_OUT = /^(?:node_modules|dist|build|coverage)$/
/** A larger file is generated. Bytes. */
const MAX_SIZE = 1_000_000

/** Every package of a folder, with its files by their paths in it. Links are not followed. */
async function packagesBelow(root: string): Promise<Map<string, Map<string, string>>> {
  const packages = new Map<string, Map<string, string>>()
  const waiting: { folder: string; home: string | undefined }[] = [
    { folder: root, home: undefined },
  ]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { folder } = next
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => {
      throw new WrongUse(`${folder} is not a folder.`)
    })
    const isPackage = entries.some((entry) => entry.isFile() && entry.name === 'package.json')
    const home = isPackage ? folder : next.home
    if (isPackage) packages.set(folder, new Map())
    for (const { name, ...entry } of entries.map((one) => ({
      name: one.name,
      isFolder: one.isDirectory(),
      isFile: one.isFile(),
    }))) {
      // A line break in a name would begin another file of the patch.
      if (printableLines(name) !== name || /[\t\r\n]/.test(name)) continue
      const path = join(folder, name)
      if (entry.isFolder && !name.startsWith('.') && !LEFT_OUT.test(name)) {
        waiting.push({ folder: path, home })
      }
      const isWanted = CODE.test(name) || READ.test(name) || isOfVariables(name)
      if (!entry.isFile || !isWanted || home === undefined) continue
      if ((await lstat(path)).size > MAX_SIZE) continue
      const files = packages.get(home)
      files?.set(relative(home, path).split(sep).join('/'), await readFile(path, 'utf8'))
    }
  }
  return packages
}

/** The app gets the packages in the version of this command. */
async function ownVersion(): Promise<string> {
  const file = join(dirname(import.meta.dirname), '..', 'package.json')
  const { version } = JSON.parse(await readFile(file, 'utf8')) as { version: string }
  return version
}
