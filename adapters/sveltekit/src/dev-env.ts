import type { HostRequest } from '@latchkey/session/adapter'

/** As Vite has it in a module that it serves; elsewhere it is not there. */
const vite = (import.meta as { env?: { readonly DEV?: boolean; readonly MODE?: string } }).env

/** What `.env` adds to the environment of `vite dev`, which Vite keeps to itself. */
let added: Readonly<Record<string, string>> = {}
let isRead = vite?.DEV !== true
let reading: Promise<void> | undefined

/**
 * Reads `.env` and its siblings by Vite itself, in `vite dev` alone: no build has a word of it. A variable of
 * the process counts before one of a file.
 *
 * @returns `undefined` where there is nothing to wait for
 */
export function readEnvFile(): Promise<void> | undefined {
  if (isRead) return undefined
  reading ??= read()
  return reading
}

async function read(): Promise<void> {
  try {
    // No bundler is to look for it.
    const name = 'vite'
    const { loadEnv } = (await import(/* @vite-ignore */ name)) as typeof import('vite')
    added = loadEnv(vite?.MODE ?? 'development', process.cwd(), 'AUTH_')
  } catch {
    // Without it the variables of the process are all that there is.
  }
  isRead = true
}

const merged = new WeakMap<object, HostRequest['env']>()

/** The variables of a process with what was read: the same object for the same process. */
export function withEnvFile(env: HostRequest['env']): HostRequest['env'] {
  if (Object.keys(added).every((name) => name in env)) return env
  const known = merged.get(env) ?? { ...added, ...env }
  merged.set(env, known)
  return known
}
