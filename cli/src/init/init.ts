import { readFile, stat } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import { answer } from '../answer.js'
import { parsed } from '../arguments.js'
import { type Command, type ExitCode, Failed, type Terminal, WrongUse } from '../command.js'
import { inGit } from '../doctor/reading/in-git.js'
import { printable } from '../printable.js'
import { shellWord } from '../shell-word.js'
import { showChanges } from '../show-changes.js'
import { ignoreFile } from './environment.js'
import { express } from './kinds/express.js'
import { hono } from './kinds/hono.js'
import { next } from './kinds/next.js'
import { sveltekit } from './kinds/sveltekit.js'
import { worker } from './kinds/worker.js'
import type { ChosenProvider, Kind, Plan, Planned } from './planned.js'
import { writeNew } from './write-new.js'

const KINDS: Readonly<Record<string, Kind>> = { worker, express, hono, sveltekit, next }

const HELP = `Writes what an app needs to sign people in.

Usage: latchkey init [folder] --kind <kind> --provider <id>…

  [folder]         default: this one. It is made if it is missing
  --kind <kind>    worker     ${worker.summary}
                   express    ${express.summary}
                   hono       ${hono.summary}
                   sveltekit  ${sveltekit.summary}
                   next       ${next.summary}
  --provider <id>  passkey, videoapp (set up for the sandbox), or a preset such
                   as google or github; an unknown one lists them all. It may be
                   given several times. Sign-in by email and by password needs a
                   sender of mails: docs/email.md and docs/passwords.md say how
  --json           prints { folder, written, kept, next }

The variables are in .dev.vars (worker) or .env, with a new AUTH_SECRET, and git
ignores them. Files that are there stay as they are: if one has to change, it is
printed as a patch. At a terminal it asks for what is missing.

Exit code: 0 if all is written or there, 1 if a patch is left to you or a file
cannot be written, 2 for wrong use.
`

const OPTIONS = {
  kind: { type: 'string' },
  provider: { type: 'string', multiple: true },
} as const

export const init: Command = {
  help: HELP,
  async run(args, terminal): Promise<ExitCode> {
    const { values, positionals } = parsed(args, OPTIONS)
    if (positionals.length > 1) throw new WrongUse('Name one folder.')
    const [named = '.'] = positionals
    const { chosenProvider, PROVIDER_IDS } = await import('./providers.js')
    const kind = await kindOf(values.kind, terminal)
    const ids = values.provider ?? (await askProviders(terminal, PROVIDER_IDS))
    const providers = [...new Set(ids)].map(chosenProvider)
    const folder = resolve(terminal.directory, named)
    const about = await stat(folder).catch(() => undefined)
    if (about && !about.isDirectory()) {
      throw new WrongUse(`${JSON.stringify(printable(named))} is not a folder.`)
    }
    const present = (path: string) => readIfThere(join(folder, path))
    const plan = await kind.plan({ folder, providers, present })
    const done = await carryOut(folder, withIgnored(folder, plan))
    tell(terminal, named, plan, done, providers)
    return done.patches.length > 0 ? 1 : 0
  },
}

/** @throws {WrongUse} */
async function kindOf(name: string | undefined, { ask }: Terminal): Promise<Kind> {
  const all = Object.keys(KINDS)
  if (name === undefined && !ask)
    throw new WrongUse(`Name the kind of app: --kind ${all.join('|')}.`)
  const choices = Object.entries(KINDS).map(([value, { summary }]) => ({
    value,
    label: value,
    hint: summary,
  }))
  const chosen = name ?? (await ask?.choose('What is it for?', choices)) ?? ''
  const kind = Object.hasOwn(KINDS, chosen) ? KINDS[chosen] : undefined
  if (kind) return kind
  throw new WrongUse(
    `There is no kind ${JSON.stringify(printable(chosen))}: one of ${all.join(', ')}.`,
  )
}

/** @throws {WrongUse} */
async function askProviders({ ask }: Terminal, ids: readonly string[]): Promise<string[]> {
  if (!ask)
    throw new WrongUse('Name who signs people in: --provider <id>, such as --provider github.')
  const choices = ids.map((value) => ({ value, label: value }))
  return ask.chooseSeveral('Who signs people in?', choices)
}

/** Before the file of variables, so that git never sees that one. */
function withIgnored(folder: string, { files }: Plan): readonly Planned[] {
  const secret = files.find(({ mode }) => mode === 0o600)?.path ?? '.env'
  const others = secret === '.dev.vars' ? ['node_modules', '.wrangler'] : ['node_modules']
  const isIgnored = async (entry: string) => (await inGit(join(folder, entry))) === 'ignored'
  return [ignoreFile([secret, ...others], isIgnored), ...files]
}

interface Done {
  /** Paths below the folder. */
  readonly written: readonly string[]
  readonly kept: readonly string[]
  readonly patches: readonly string[]
}

/** @throws {Failed} a file cannot be read or written; called again it goes on */
async function carryOut(folder: string, files: readonly Planned[]): Promise<Done> {
  const [written, kept, patches]: [string[], string[], string[]] = [[], [], []]
  for (const { path, text, mode = 0o644, merged } of files) {
    const whole = join(folder, path)
    const isWritten = await attempt(path, () => writeNew(whole, text, mode))
    if (isWritten) {
      written.push(path)
      continue
    }
    kept.push(path)
    const before = (await readIfThere(whole)) ?? ''
    const after = merged ? await merged(before) : text
    if (after !== before) patches.push(showChanges(path, before, after))
  }
  return { written, kept, patches }
}

async function attempt<Answer>(path: string, work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work()
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown'
    throw new Failed(
      'Unwritable',
      `${printable(path)} cannot be written (${code}). Files before it are there; run the command again.`,
    )
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new Failed('Unreadable', `${printable(path)} cannot be read (${code}).`)
  }
}

function tell(
  terminal: Terminal,
  named: string,
  plan: Plan,
  { written, kept, patches }: Done,
  providers: readonly ChosenProvider[],
): void {
  const folder = relative(terminal.directory, resolve(terminal.directory, named)) || '.'
  const shown = folder.split(sep).join('/')
  const next = [...(shown === '.' ? [] : [`cd ${shellWord(shown)}`]), ...plan.next]
  const patch = patches.join('\n')
  if (terminal.isJson) {
    answer(terminal, { folder: shown, written, kept, next }, () => '')
    if (patch !== '') terminal.note(`${LEFT}\n${patch}`)
    return
  }
  const lines = [
    ...written.map((path) => `written  ${printable(path)}`),
    ...kept.map((path) => `kept     ${printable(path)}`),
    ...(patch === '' ? [] : ['', LEFT, patch.trimEnd()]),
    '',
    'Next:',
    ...next.map((command) => `  ${command}`),
    '',
    `Then open ${plan.url}${plan.first}`,
    ...hintsOf(providers, plan),
  ]
  terminal.print(`${lines.join('\n')}\n`)
}

const LEFT = 'These files are yours, and stay as they are. Change them like this:'

function hintsOf(providers: readonly ChosenProvider[], { url, basePath }: Plan): string[] {
  const hints = providers.flatMap(({ id, variables }) => {
    if (id === 'videoapp')
      return [`videoapp: "npm run sandbox" in a clone of Latchkey starts the sandbox.`]
    const missing = variables.filter(([, value]) => value === '').map(([name]) => name)
    if (missing.length === 0) return []
    return [`${id}: set ${missing.join(', ')}.`, `  Redirect URI: ${url}${basePath}/callback/${id}`]
  })
  return hints.length > 0 ? ['', ...hints] : []
}
