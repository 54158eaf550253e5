import { type Command, type ExitCode, type Terminal, WrongUse } from './command.js'

interface Entry {
  readonly summary: string
  /** Loads the command when it is asked for: no command waits for another one's modules. */
  load(): Promise<Command>
}

const COMMANDS: Readonly<Record<string, Entry>> = {
  import: {
    summary: 'imports the accounts of Auth.js and better-auth',
    load: async () => (await import('./import/import.js')).importAccounts,
  },
  migrate: {
    summary: 'changes the code of an app that uses Auth.js or better-auth',
    load: async () => (await import('./migrate/migrate.js')).migrate,
  },
}

/** Runs the command that the arguments name. */
export async function main(
  args: readonly string[],
  terminal: Terminal,
  commands = COMMANDS,
): Promise<ExitCode> {
  const [name, ...rest] = args
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    terminal.print(help(commands))
    return name === undefined ? 2 : 0
  }
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!entry) return refuse(terminal, `There is no command ${JSON.stringify(name)}.`, 'latchkey')
  const command = await entry.load()
  if (rest.includes('--help') || rest.includes('-h')) {
    terminal.print(command.help)
    return 0
  }
  try {
    return await command.run(rest, terminal)
  } catch (error) {
    if (!(error instanceof WrongUse)) throw error
    return refuse(terminal, error.message, `latchkey ${name}`)
  }
}

function refuse(terminal: Terminal, message: string, command: string): ExitCode {
  terminal.note(`${message}\n\n${command} --help shows its usage.\n`)
  return 2
}

function help(commands: typeof COMMANDS): string {
  const names = Object.keys(commands)
  const width = Math.max(0, ...names.map((name) => name.length)) + 2
  const lines = names.map((name) => `  ${name.padEnd(width)}${commands[name]?.summary}\n`)
  return `Moves an app to Latchkey.

Usage: latchkey <command> [options]

${lines.join('')}
latchkey <command> --help shows the options of a command.
`
}
