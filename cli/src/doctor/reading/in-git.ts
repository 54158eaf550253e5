import { execFile } from 'node:child_process'
import { basename, dirname } from 'node:path'
import type { VariablesFile } from '../read.js'

/** Git is asked about one file. Milliseconds. */
const TIMEOUT = 5_000

/**
 * Does git ignore the file?
 *
 * @returns `undefined`: it is in no repository, or git is not installed
 */
export async function inGit(path: string): Promise<VariablesFile['inGit']> {
  const [folder, name] = [dirname(path), basename(path)]
  const isInside = await git(folder, 'rev-parse', '--is-inside-work-tree')
  if (isInside.code !== 0 || isInside.text.trim() !== 'true') return undefined
  const { code: tracked } = await git(folder, 'ls-files', '--error-unmatch', '--', name)
  if (tracked === 0) return 'tracked'
  const { code: ignored } = await git(folder, 'check-ignore', '--quiet', '--', name)
  // 128 is a fault of git, about which nothing can be said.
  return ignored === 0 ? 'ignored' : ignored === 1 ? 'open' : undefined
}

function git(
  cwd: string,
  ...args: readonly string[]
): Promise<{ readonly code: number; readonly text: string }> {
  // Without the variables by which hooks name another repository.
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'))
  // A repository of a stranger may lack objects, and name a program by which git would fetch them.
  const env = { ...Object.fromEntries(own), GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: 'none' }
  // A repository of a stranger may name a program that git would run to look for changes.
  const all = ['-c', 'core.fsmonitor=false', ...args]
  return new Promise((resolve) => {
    execFile('git', all, { cwd, env, timeout: TIMEOUT }, (error, text) => {
      resolve({ code: error === null ? 0 : Number(error.code), text })
    })
  })
}
