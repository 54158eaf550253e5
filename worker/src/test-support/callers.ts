import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const src = join(import.meta.dirname, '..')

/** The files with some text, but for tests. */
export function filesWith(text: RegExp): string[] {
  return globSync('**/*.ts', { cwd: src })
    .filter((file) => !/\.test\.ts$|^test-support\//.test(file))
    .filter((file) => text.test(readFileSync(join(src, file), 'utf8')))
    .sort()
}

/** The files that call one of some functions, but for tests, and for that which has it. */
export function callersOf(...names: readonly string[]): string[] {
  return filesWith(new RegExp(String.raw`(?<!function )\b(?:${names.join('|')})\(`))
}

/** The files of the places that give a session, each with its kind of sign-in. */
export function placesOfSessions(): string[] {
  const shared = ['sign-in/finish.ts', 'sign-in/pending.ts']
  return callersOf('finishSignIn', 'finishPendingSignIn', 'approve').filter(
    (file) => !shared.includes(file),
  )
}
