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
  const files = new Files(directory)
  const said = await wranglerIn(folder, files)
  const usual = said === undefined ? ['.env', '.dev.vars'] : ['.dev.vars']
  const names =
    own === undefined ? usual.map((name) => join(folder, name)) : [resolve(directory, own)]
  const found = await files.firstVariables(names)
  if (own !== undefined && found === undefined) files.refuse(names[0] ?? own, 'it is not there')
  const top = found === 'unreadable' ? undefined : found

  const workers = Array.isArray(said) ? said : []
  const hasTop = workers.some(({ wrangler }) => wrangler.environment === undefined)
  const deployments: Deployment[] = []
  for (const { wrangler, vars } of workers) {
    const { environment } = wrangler
    // Locally wrangler reads `.dev.vars` for an environment too; but if the top is a Worker, that file has its secrets, and
    // not those of the environment.
    const ofEnvironment = async () => {
      const path = join(folder, `.dev.vars.${environment}`)
      const isNamed = own !== undefined && !hasTop
      return (
        (isNamed ? undefined : await files.firstVariables([path])) ?? (hasTop ? undefined : top)
      )
    }
    const its = environment === undefined ? top : await ofEnvironment()
    deployments.push(...deploymentsOf(wrangler, vars, its === 'unreadable' ? undefined : its))
  }
  if (deployments.length === 0) {
    const [only] = deploymentsOf(undefined, {}, top)
    // An unreadable file may set what is missing elsewhere.
    if (only) deployments.push({ ...only, isWhole: files.unreadable.length === 0 })
  }
  return { deployments, unreadable: files.unreadable }
}

/** `undefined`: there is none. */
async function wranglerIn(
  folder: string,
  files: Files,
): Promise<readonly Said[] | 'unreadable' | undefined> {
  for (const name of WRANGLER_FILES) {
    const path = join(folder, name)
    const said = await files.read(path, (text) => parseWrangler(files.show(path), text))
    if (said) return said
  }
  return undefined
}

/** Reads files, and keeps a finding for each that is unreadable. */
class Files {
  readonly unreadable: Finding[] = []
  readonly #directory: string

  constructor(directory: string) {
    this.#directory = directory
  }

  /** A path as people see it. */
  show(path: string): string {
    const shown = relative(this.#directory, path)
    const shorter = shown.startsWith('..') && path.length < shown.length ? path : shown
    return shorter.split(sep).join('/')
  }

  refuse(path: string, reason: string): void {
    this.unreadable.push(unreadableFile(this.show(path), reason))
  }

  /** `undefined`: there is no such file. */
  async read<Content>(
    path: string,
    parse: (text: string) => Content | Promise<Content>,
  ): Promise<Content | 'unreadable' | undefined> {
    try {
      const text = await readText(path)
      return text === undefined ? undefined : await parse(text)
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error
      this.refuse(path, error.message)
      return 'unreadable'
    }
  }

  /** The first of these files that is there. */
  async firstVariables(paths: readonly string[]): Promise<Found | 'unreadable' | undefined> {
    for (const path of paths) {
      const variables = await this.read(path, parseVariables)
      if (variables === 'unreadable') return variables
      if (variables) return { file: { path: this.show(path), inGit: await inGit(path) }, variables }
    }
    return undefined
  }
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
  return finding('unreadable', {
    where: path,
    what: `${path} cannot be read: ${reason}.`,
    why: 'Its content was not checked.',
    fix:
      path.endsWith('.toml') || /\.jsonc?$/.test(path)
        ? 'npx wrangler deploy --dry-run   # says more'
        : `mend ${path}: each line is NAME=value`,
  })
}
