import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { answer } from '../answer.js'
import { parsed } from '../arguments.js'
import { type Command, type ExitCode, type Terminal, WrongUse } from '../command.js'
import { checkApp, checkService } from './check-files.js'
import type { Finding } from './finding.js'
import type { Folder } from './read.js'
import { readFolder } from './reading/read-folder.js'
import { ownUrl } from './rules/addresses.js'
import { keysOf, type Service } from './rules/app.js'
import { shown } from './show.js'

const HELP = `Finds the faults of a deployment: in its files, in its apps, and with --to in the
running service and at its providers.

Usage: latchkey doctor [folder] [--vars <file>] [--app <folder>]… [--to <address>]

It reads wrangler.toml, .json or .jsonc and the variables: [vars], then
.dev.vars, or .env if there is no wrangler file. [folder] is this one by default.

  --vars <file>    a file of variables in the place of .dev.vars or .env
  --app <folder>   an app of this service, whose files are compared with it; may
                   be given several times
  --to <address>   the address of the running service, such as
                   https://example.com/auth. Only this option uses the network.
                   Begins one sign-in for each provider, and finishes none
  --json           prints { ok, findings: [{ code, level, where, what, why, fix }] }

It shows no value of a secret or a key. latchkey explain <code> says more about a
finding. Exit code: 0 if there is no error, 1 if there is one, 2 for wrong use.
`

const OPTIONS = {
  vars: { type: 'string' },
  app: { type: 'string', multiple: true },
  to: { type: 'string' },
} as const

export const doctor: Command = {
  help: HELP,
  run: (args, terminal) => runDoctor(args, terminal),
}

/** @throws {WrongUse} */
export async function runDoctor(
  args: readonly string[],
  terminal: Terminal,
  now: () => number = Date.now,
): Promise<ExitCode> {
  const { values, positionals } = parsed(args, OPTIONS)
  const [folder = '.', ...more] = positionals
  if (more.length > 0) throw new WrongUse('Name one folder.')
  const { directory } = terminal
  const [path, ...paths] = await Promise.all(
    [folder, ...(values.app ?? [])].map((one) => folderAt(one, directory)),
  )
  const own = await readFolder(path ?? directory, directory, values.vars)
  const apps = await Promise.all(paths.map((one) => readFolder(one, directory)))

  const findings: Finding[] = [...checkService(own, now())]
  const service = await serviceOf(own)
  for (const app of apps) findings.push(...(await checkApp(app, service, now())))

  const ok = findings.every(({ level }) => level !== 'error')
  const notes = { files: filesOf([own, ...apps]), untold: [] }
  answer(terminal, { ok, findings }, () => shown(findings, notes, terminal))
  return ok ? 0 : 1
}

/** @throws {WrongUse} it is not a folder */
async function folderAt(name: string, directory: string): Promise<string> {
  const path = resolve(directory, name)
  const about = await stat(path).catch(() => undefined)
  if (!about?.isDirectory()) throw new WrongUse(`${JSON.stringify(name)} is not a folder.`)
  return path
}

async function serviceOf({ deployments }: Folder): Promise<Service | undefined> {
  const [deployment] = deployments
  if (!deployment) return undefined
  return { deployment, issuer: ownUrl(deployment.variables), keys: await keysOf(deployment) }
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
