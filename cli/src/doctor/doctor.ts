import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { answer } from '../answer.js'
import { parsed } from '../arguments.js'
import { type Command, type ExitCode, type Terminal, WrongUse } from '../command.js'
import { baseUrlOf } from '../operator/base-url.js'
import { printable } from '../printable.js'
import { checkApp, checkService } from './check-files.js'
import { type Looked, lookAt } from './check-live.js'
import type { Finding } from './finding.js'
import { type Get, getWithin } from './live/get.js'
import type { Deployment, Folder } from './read.js'
import { readFolder } from './reading/read-folder.js'
import { ownUrl } from './rules/addresses.js'
import { keysOf, type Service } from './rules/app.js'
import { shown } from './show.js'

const HELP = `Finds the faults of a deployment: in its files, in its apps, and with --to in
the running service and at its providers.

Usage: latchkey doctor [folder] [--vars <file>] [--app <folder>]…
                       [--to <address>]

It reads wrangler.toml, .json or .jsonc and the variables: [vars], then
.dev.vars, or .env if there is no wrangler file. Without [folder] it reads the
one that you are in.

  --vars <file>    a file of variables in the place of .dev.vars or .env; for a
                   wrangler file with environments alone, for each of them
  --app <folder>   an app of this service, whose files are compared with it; may
                   be given several times
  --to <address>   the address of the running service, such as
                   https://example.com/auth. Only this option uses the network.
                   Begins one sign-in for each provider, and finishes none
  --json           prints { ok, findings } with { code, level, where, what,
                   why, fix } for each

It shows no value of a secret or a key. latchkey explain <code> says more about
a finding.
Exit code: 0 if there is no error, 1 if there is one, 2 for wrong use.
`

const OPTIONS = {
  vars: { type: 'string' },
  app: { type: 'string', multiple: true },
  to: { type: 'string' },
} as const

/** The parts that a test replaces. */
interface Outside {
  readonly get: Get
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

export const doctor: Command = {
  help: HELP,
  run: (args, terminal) => runDoctor(args, terminal, { get: getWithin(), now: Date.now }),
}

/** @throws {WrongUse} */
export async function runDoctor(
  args: readonly string[],
  terminal: Terminal,
  { get, now }: Outside,
): Promise<ExitCode> {
  const { values, positionals } = parsed(args, OPTIONS)
  const [folder = '.', ...more] = positionals
  if (more.length > 0) throw new WrongUse('Name one folder.')
  const base = values.to === undefined ? undefined : baseUrlOf(values.to, {})
  const { directory } = terminal
  const [path, ...paths] = await Promise.all(
    [folder, ...(values.app ?? [])].map((one) => folderAt(one, directory)),
  )
  const own = await readFolder(path ?? directory, directory, values.vars)
  const apps = await Promise.all(paths.map((one) => readFolder(one, directory)))
  checkApps(apps, values.app ?? [])
  if (base !== undefined && terminal.isWatched) terminal.note(`Asking ${base} …\n`)
  const live = base === undefined ? undefined : await lookAt(base, get)

  const findings: Finding[] = [...checkService(own, now(), live?.kinds)]
  const service = await serviceOf(own, live)
  for (const app of apps) findings.push(...(await checkApp(app, service, now())))
  findings.push(...(live?.findings ?? []))

  const ok = findings.every(({ level }) => level !== 'error')
  const notes = { files: filesOf([own, ...apps]), untold: live?.untold ?? [] }
  answer(terminal, { ok, findings }, () => shown(findings, notes, terminal))
  // The document has only findings.
  if (terminal.isJson)
    for (const sentence of notes.untold) terminal.note(`${printable(sentence)}\n`)
  return ok ? 0 : 1
}

/** @throws {WrongUse} it is not a folder */
async function folderAt(name: string, directory: string): Promise<string> {
  const path = resolve(directory, name)
  const about = await stat(path).catch(() => undefined)
  if (!about?.isDirectory()) throw new WrongUse(`${JSON.stringify(name)} is not a folder.`)
  return path
}

/** @throws {WrongUse} an app that has no file would not be checked, and nothing would be found */
function checkApps(apps: readonly Folder[], names: readonly string[]): void {
  const empty = names.find((_, at) => !apps.slice(at, at + 1).some(hasFiles))
  if (empty === undefined) return
  throw new WrongUse(
    `--app ${JSON.stringify(printable(empty))}: there is no wrangler file, no .dev.vars and no .env.`,
  )
}

function hasFiles({ deployments, unreadable }: Folder): boolean {
  return unreadable.length > 0 || deployments.some(({ wrangler, file }) => wrangler ?? file)
}

/** What apps have to agree with. The running service knows its keys better than the files of this machine. */
async function serviceOf({ deployments }: Folder, live: Looked | undefined): Promise<Service> {
  const [deployment = NOTHING] = deployments
  const named = deployments.flatMap(({ variables }) => ownUrl(variables) ?? [])
  return {
    deployment,
    issuers: named.length > 0 ? named : [live?.issuer ?? []].flat(),
    keys: live?.keys ?? (await keysOf(deployment)),
  }
}

/** The service has no file in the folder. */
const NOTHING: Deployment = {
  wrangler: undefined,
  variables: new Map(),
  file: undefined,
  isWhole: false,
}

function filesOf(folders: readonly Folder[]): readonly string[] {
  const names = folders.flatMap(({ deployments }) =>
    deployments.flatMap(({ wrangler, file }) => [
      wrangler?.path.replace(/ env\..*$/, '') ?? [],
      file?.path ?? [],
    ]),
  )
  return [...new Set(names.flat())]
}
