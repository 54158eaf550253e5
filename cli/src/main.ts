import { answer, refuse } from './answer.js'
import {
  type Command,
  type ExitCode,
  Failed,
  type PassedOn,
  type Terminal,
  WrongUse,
} from './command.js'
import { printable, printableLines } from './printable.js'

interface Entry {
  readonly summary: string
  /** Loads the command when it is asked for: no command waits for another one's modules. */
  load(): Promise<Command | PassedOn>
}

/** The commands of `@latchkey/migrate`, with their summaries. */
export const OF_MIGRATE = {
  import: 'imports the accounts of Auth.js and better-auth',
  migrate: 'changes the code of an app that uses Auth.js or better-auth',
} as const

/** The commands, in the order of the help. */
export const COMMANDS: Readonly<Record<string, Entry>> = {
  init: {
    summary: 'writes what an app needs to sign people in',
    load: async () => (await import('./init/init.js')).init,
  },
  doctor: {
    summary: 'finds the faults of a deployment',
    load: async () => (await import('./doctor/doctor.js')).doctor,
  },
  person: {
    summary: 'shows a person, ends sessions, blocks, exports and erases',
    load: async () => (await import('./person/person.js')).person,
  },
  audit: {
    summary: 'shows the audit log, and checks that nobody has changed it',
    load: async () => (await import('./audit/audit.js')).audit,
  },
  webhooks: {
    summary: 'shows webhooks that wait or failed, and sends one again',
    load: async () => (await import('./webhooks/webhooks.js')).webhooks,
  },
  secret: {
    summary: 'makes secrets and keys, and rotates AUTH_SECRET',
    load: async () => (await import('./secret/secret.js')).secret,
  },
  explain: {
    summary: 'explains a word of the log, an error page or an answer',
    load: async () => (await import('./explain/explain.js')).explain,
  },
  ...Object.fromEntries(
    Object.entries(OF_MIGRATE).map(([name, summary]) => [
      name,
      {
        summary,
        load: async () => (await import('./migrate-package.js')).commandOfMigrate(name),
      },
    ]),
  ),
}

/** Runs the command that the arguments name. Never rejects: each fault is an exit code. */
export async function main(
  args: readonly string[],
  process: Omit<Terminal, 'isJson'>,
  commands = COMMANDS,
): Promise<ExitCode> {
  const { name, rest, isJson, isHelp } = withHelp(read(args))
  const terminal: Terminal = { ...process, isJson }
  const command = name === undefined ? 'latchkey' : `latchkey ${name}`
  try {
    if (name === undefined && isHelp) return show(terminal, help(commands))
    if (name === undefined) throw new WrongUse('Name a command.')
    const entry = Object.hasOwn(commands, name) ? commands[name] : undefined
    if (!entry) return wrongUse(terminal, `There is no command ${quoted(name)}.`, 'latchkey')
    const loaded = await entry.load()
    if ('pass' in loaded) return await loaded.pass(args, terminal)
    return isHelp ? show(terminal, loaded.help) : await loaded.run(rest, terminal)
  } catch (error) {
    if (error instanceof WrongUse) return wrongUse(terminal, error.message, command)
    if (error instanceof Failed) return refuse(terminal, 1, error)
    return fault(terminal, error)
  }
}

/** Every command has these two options, in any place before `--`. */
function read(args: readonly string[]) {
  const end = args.includes('--') ? args.indexOf('--') : args.length
  const options = args.slice(0, end)
  const [name, ...rest] = options.filter((arg) => !/^(?:--json|--help|-h)$/.test(arg))
  return {
    name,
    rest: [...rest, ...args.slice(end)],
    isJson: options.includes('--json'),
    isHelp: options.some((arg) => arg === '--help' || arg === '-h'),
  }
}

/** `latchkey help doctor` is `latchkey doctor --help`. */
function withHelp(given: ReturnType<typeof read>): ReturnType<typeof read> {
  if (given.name !== 'help') return given
  const [name, ...rest] = given.rest
  return { ...given, name, rest, isHelp: true }
}

function show(terminal: Terminal, text: string): ExitCode {
  answer(terminal, { help: text }, () => text)
  return 0
}

function wrongUse(terminal: Terminal, message: string, command: string): ExitCode {
  const hint = `\n${command} --help shows its usage.\n`
  return refuse(terminal, 2, { error: 'WrongUse', message }, hint)
}

/** A person sees the stack, to report the fault. A program gets the message. */
function fault(terminal: Terminal, error: unknown): ExitCode {
  const { message, stack } = error instanceof Error ? error : new Error(String(error))
  const told = terminal.isJson ? printable(message) : printableLines(stack ?? message)
  return refuse(terminal, 1, { error: 'Fault', message: told })
}

function quoted(name: string): string {
  return JSON.stringify(printable(name))
}

function help(commands: typeof COMMANDS): string {
  const names = Object.keys(commands)
  const width = Math.max(0, ...names.map((name) => name.length)) + 2
  const lines = names.map((name) => `  ${name.padEnd(width)}${commands[name]?.summary}\n`)
  return `The command line of Latchkey.

Usage: latchkey <command> [options]

${lines.join('')}
latchkey <command> --help shows the options of a command. Every command takes
--json, and prints one JSON document then.
Exit code: 0 if all is well, 1 if something was found or failed, 2 for wrong
use.
`
}
