import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type Command, Failed, type PassedOn } from './command.js'

/** It brings compilers, which the other commands do not run. */
const PACKAGE = '@latchkey/migrate'

/** What the package exports. It imports this one, so its own types are not known here. */
interface Exported {
  readonly commands: Readonly<Record<string, () => Promise<Command>>>
}

/** The parts that a test replaces. */
export interface Outside {
  /** The version of the package that is installed beside this one; `undefined`: there is none. */
  readonly installed: () => string | undefined
  /** Runs a program with the standard input and outputs of this process; `undefined`: a signal ended it. */
  readonly start: (program: string, args: readonly string[]) => Promise<number | undefined>
  readonly platform: NodeJS.Platform
}

/** The version of this command, which all packages of a release have. */
const { version } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as { version: string }

/**
 * A command of `@latchkey/migrate`: of the package that is installed beside this one, if both are of one release,
 * otherwise of the one that npm has.
 *
 * @param name such as `migrate`
 */
export async function commandOfMigrate(
  name: string,
  outside: Outside = { installed, start, platform: process.platform },
): Promise<Command | PassedOn> {
  if (outside.installed() !== version) return throughNpx(outside)
  // Not a literal: the compiler would need that package first, which needs this one.
  const { commands }: Exported = await import(PACKAGE)
  const load = commands[name]
  if (!load) throw new Error(`${PACKAGE} has no command ${name}.`)
  return load()
}

/** `npx` gets an exact version: what runs is of the release that the person has installed. */
function throughNpx({ start, platform }: Outside): PassedOn {
  const wanted = `${PACKAGE}@${version}`
  return {
    async pass(args, { note }) {
      note(`${wanted} is not installed here, so npx runs it: npx --yes ${wanted}\n`)
      const [program, ...first] = npx(platform)
      const code = await start(program, [...first, '--yes', wanted, ...args]).catch((error) => {
        throw new Failed('NotStarted', `npx cannot be started (${error.code}). Install ${wanted}.`)
      })
      return code === 0 || code === 2 ? code : 1
    },
  }
}

/** On Windows `npx` is a script of a shell, which would read signs in the arguments as its own. */
function npx(platform: NodeJS.Platform): [program: string, ...args: string[]] {
  if (platform !== 'win32') return ['npx']
  const script = join(dirname(process.execPath), 'node_modules/npm/bin/npx-cli.js')
  return [process.execPath, script]
}

function installed(): string | undefined {
  try {
    return createRequire(import.meta.url)(`${PACKAGE}/package.json`).version
  } catch {
    return undefined
  }
}

function start(program: string, args: readonly string[]): Promise<number | undefined> {
  const child = spawn(program, args, { stdio: 'inherit' })
  // A terminal tells both of ^C, and the other program decides when it ends; a supervisor tells this one alone.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code) => resolve(code ?? undefined))
  })
}
