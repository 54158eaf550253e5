import { processEnv } from './fetch-request.js'

/** What a line says: a code or a fault's name, which `latchkey explain` knows, and words. */
export interface Told {
  readonly level: 'error' | 'warn' | 'debug'
  /** Left out for `debug`. */
  readonly name?: string
  readonly words: string
}

/**
 * Writes to the console in the form of the service's own lines, so that one program reads both: text, or JSON with
 * `AUTH_LOG=json`.
 */
export function writeLine(told: Told): void {
  const { level, name, words } = told
  const time = new Date().toISOString()
  const head = name === undefined ? words : `${name}: ${words}`
  const line =
    processEnv?.AUTH_LOG === 'json'
      ? JSON.stringify({ time, level, ...membersOf(told) })
      : `[auth][${level}] ${time} ${head}`
  // A stranger's text cannot make a line look like two.
  console[level](line.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' '))
}

function membersOf({ level, name, words }: Told): object {
  if (level === 'error') return { error: name, message: words }
  return name === undefined ? { message: words } : { message: name, detail: words }
}
