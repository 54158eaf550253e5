import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { parseEnv } from 'node:util'

/** A mistake in `.dev.vars` that a person can put right; the message says how. */
export class DevVarsError extends Error {
  override readonly name = 'DevVarsError'
}

/** The variables that `file` sets, read by wrangler's own rules. */
export function readDevVars(file: string): Record<string, string> {
  const vars: Record<string, string> = {}
  for (const [name, value] of Object.entries(parseEnv(readFileSync(file, 'utf8')))) {
    if (value !== undefined) vars[name] = value
  }
  return vars
}

/** The example's settings with a secret, readable by its owner only. Never overwrites. */
export function writeDevVars(
  file: string,
  example: string,
  secret = randomBytes(32).toString('hex'),
): void {
  const text = readFileSync(example, 'utf8')
  const filled = text.replace(/^AUTH_SECRET=$/m, () => `AUTH_SECRET=${secret}`)
  if (filled === text) throw new DevVarsError(`${example} has no line "AUTH_SECRET=" to fill in.`)
  writeFileSync(file, filled, { mode: 0o600, flag: 'wx' })
}

/**
 * Makes sure that `file` exists, holds a secret that the Worker will take, and has its colors in
 * quotes.
 *
 * @throws DevVarsError when the file exists and does not: it is the developer's own file, so it is
 * left unchanged.
 */
export function ensureDevVars(file: string, example: string): 'written' | 'kept' {
  if (!existsSync(file)) {
    writeDevVars(file, example)
    return 'written'
  }
  // Without this check the color is lost without a word: the parser takes it for a comment.
  const [, color] = /^(\w+)=[ \t]*#[\da-f]{3,8}[ \t]*$/im.exec(readFileSync(file, 'utf8')) ?? []
  if (color !== undefined) {
    throw new DevVarsError(
      `${color} in ${file} is empty, since # begins a comment there. Put the color in quotes.`,
    )
  }
  const vars = readDevVars(file)
  const secrets = Object.entries(vars).filter(([name]) => /^AUTH_SECRET(_[123])?$/.test(name))
  if (secrets.every(([, value]) => value === '')) {
    throw new DevVarsError(
      `${file} sets no AUTH_SECRET. It was left as it is. Add one with this command:\n\n` +
        `  echo "AUTH_SECRET=$(openssl rand -hex 32)" >> ${file}`,
    )
  }
  for (const [name, value] of secrets) {
    if (value !== '' && value.length < 32) {
      throw new DevVarsError(
        `${name} in ${file} has ${value.length} characters and needs at least 32. ` +
          'Make a new one with: openssl rand -hex 32',
      )
    }
  }
  return 'kept'
}
