import { join, relative, resolve, sep } from 'node:path'
import { type Finding, finding } from '../finding.js'
import type { Deployment, Folder, Variable, VariablesFile, Wrangler } from '../read.js'
import { inGit } from './in-git.js'
import { parseVariables } from './parse-variables.js'
import { parseWrangler, type Said } from './parse-wrangler.js'
import { readText, Unreadable } from './read-text.js'

/** In the order in which wrangler looks for them: the first one counts. */
const WRANGLER_FILES = ['wrangler.json', 'wrangler.jsonc', 'wrangler.toml']

/**
 * Reads the wrangler file of a folder and its variables.
 *
 * @param directory the directory from which paths are shown
 * @param own a file of variables in the place of the usual one
 */
export async function readFolder(folder: string, directory: string, own?: string): Promise<Folder> {
  const unreadable: Finding[] = []
  const show = (path: string) => relative(directory, path).split(sep).join('/') || '.'
  /** Reads a file; `undefined`: it is not there, or unreadable. */
  async function read<Content>(
    path: string,
    parse: (text: string) => Content | Promise<Content>,
  ): Promise<Content | undefined> {
    try {
      const text = await readText(path)
      return text === undefined ? undefined : await parse(text)
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error
      unreadable.push(unreadableFile(show(path), error.message))
      return undefined
    }
  }
  async function variablesAt(path: string) {
    const variables = await read(path, parseVariables)
    if (!variables) return undefined
    const file: VariablesFile = { path: show(path), inGit: await inGit(path) }
    return { file, variables }
  }

  let said: readonly Said[] | undefined
  let isThere = false
  for (const name of WRANGLER_FILES) {
    const path = join(folder, name)
    said = await read(path, (text) => parseWrangler(show(path), text))
    isThere = said !== undefined || unreadable.length > 0
    if (isThere) break
  }
  const usual = isThere ? '.dev.vars' : '.env'
  const found = await variablesAt(own === undefined ? join(folder, usual) : resolve(directory, own))
  if (own !== undefined && !found && unreadable.length === 0) {
    unreadable.push(unreadableFile(show(resolve(directory, own)), 'it is not there'))
  }

  const deployments: Deployment[] = []
  for (const { wrangler, vars } of said ?? []) {
    const { environment } = wrangler
    // Locally wrangler reads `.dev.vars` for an environment too; but it has the secrets of the top, not of that deployment.
    const its =
      environment === undefined
        ? found
        : await variablesAt(join(folder, `.dev.vars.${environment}`))
    deployments.push(...deploymentsOf(wrangler, vars, its))
  }
  if (!said) deployments.push(...deploymentsOf(undefined, {}, found))
  return { deployments, unreadable }
}

export type Found = {
  readonly file: VariablesFile
  readonly variables: ReadonlyMap<string, string>
}

/**
 * The deployment on this machine, in which the file of variables overrides the wrangler file. If it replaces a variable, the
 * deployed Worker has another value: then that deployment follows, without the file.
 */
export function deploymentsOf(
  wrangler: Wrangler | undefined,
  vars: Readonly<Record<string, unknown>>,
  found: Found | undefined,
): readonly Deployment[] {
  const deployed = new Map(
    Object.entries(vars).map(([name, value]): [string, Variable] => [
      name,
      { value, where: `${wrangler?.path} ${name}`, isInWrangler: true },
    ]),
  )
  const own = [...(found?.variables ?? [])].map(([name, value]): [string, Variable] => [
    name,
    { value, where: `${found?.file.path} ${name}`, isInWrangler: false },
  ])
  const local: Deployment = {
    wrangler,
    variables: new Map([...deployed, ...own]),
    file: found?.file,
    isWhole: wrangler === undefined || found !== undefined,
  }
  const isReplaced = own.some(([name]) => deployed.has(name))
  const remote = { wrangler, variables: deployed, file: undefined, isWhole: false }
  return isReplaced ? [local, remote] : [local]
}

function unreadableFile(path: string, reason: string): Finding {
  return finding(
    'unreadable',
    path,
    `${path} cannot be read: ${reason}.`,
    'Its content was not checked.',
    path.endsWith('.toml') || /\.jsonc?$/.test(path)
      ? 'npx wrangler deploy --dry-run   # says more'
      : `mend ${path}: each line is NAME=value`,
  )
}
