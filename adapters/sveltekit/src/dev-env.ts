import type { HostRequest } from '@latchkey/host'

type Environment = HostRequest['env']

/** As Vite has it in a module that it serves; elsewhere it is not there. */
const vite = (import.meta as { env?: { readonly DEV?: boolean; readonly MODE?: string } }).env

/** The used parts of Node, which no bundler is to look for. */
interface NodeProcess {
  cwd(): string
  getBuiltinModule(name: 'node:fs'): { readFileSync(path: string, encoding: 'utf8'): string }
  getBuiltinModule(name: 'node:util'): { parseEnv(text: string): Record<string, string> }
}

let added: Environment | undefined

/**
 * In `vite dev` the variables of the process with what `.env` and its siblings say of ours, since Vite keeps that to
 * itself; elsewhere the variables of the process. One of the process counts before one of a file.
 */
export function withEnvFile(env: Environment): Environment {
  if (vite?.DEV !== true) return env
  added ??= readFiles(vite.MODE)
  if (Object.keys(added).every((name) => name in env)) return env
  const both = merged.get(env) ?? { ...added, ...env }
  merged.set(env, both)
  return both
}

/** The same object for the same process. */
const merged = new WeakMap<Environment, Environment>()

/** The files that Vite reads, in its order. */
function readFiles(mode = 'development'): Environment {
  const { process } = globalThis as unknown as { process: NodeProcess }
  const files = ['', '.local', `.${mode}`, `.${mode}.local`].map((end) => {
    try {
      const text = process
        .getBuiltinModule('node:fs')
        .readFileSync(`${process.cwd()}/.env${end}`, 'utf8')
      return process.getBuiltinModule('node:util').parseEnv(text)
    } catch {
      return {}
    }
  })
  const all = Object.entries(Object.assign({}, ...files) as Environment)
  return Object.fromEntries(all.filter(([name]) => name.startsWith('AUTH_')))
}
