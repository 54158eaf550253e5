import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { isDeepStrictEqual, parseEnv } from 'node:util'
import { Failed } from '../command.js'
import { printable } from '../printable.js'
import { replaceFile } from '../replace-file.js'
import { newSecret } from './new-secrets.js'

/** The service reads no higher one, and the highest signs. */
const HIGHEST = 3
/** A larger file has no variables. Bytes. */
const MAX_SIZE = 1_000_000

/** A variable that was added, and the line breaks and the form of the file. */
export interface Added {
  readonly name: string
  /** How the line begins: `AUTH_SECRET_1=`, or with `export` before it. */
  readonly start: string
  readonly hasCarriageReturns: boolean
}

/**
 * Adds the next `AUTH_SECRET_<n>` as the last line of a file of variables, and changes no other byte
 * and no mode. The file is replaced as a whole, so that a reader never sees half of it.
 *
 * @param file relative to `directory`
 * @throws {Failed} the file cannot be read or written, has no secret, or has the last one already
 */
export async function rotate(file: string, directory: string): Promise<Added> {
  const path = resolve(directory, file)
  try {
    const { size } = await stat(path)
    if (size > MAX_SIZE) throw new Failed('NoSecret', `${printable(file)} has no variables.`)
    const before = await readFile(path)
    const added = nextOf(before.toString(), printable(file))
    await replaceFile(path, Buffer.concat([before, lineOf(before, added)]))
    return added
  } catch (error) {
    if (error instanceof Failed) throw error
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    throw new Failed('Unwritable', `${printable(file)} cannot be changed (${code}).`)
  }
}

/** @throws {Failed} */
function nextOf(text: string, file: string): Added {
  const variables = variablesIn(text)
  const names = ['AUTH_SECRET', ...[1, 2, 3].map((n) => `AUTH_SECRET_${n}`)]
  if (!names.some((name) => variables[name])) {
    throw new Failed(
      'NoSecret',
      `${file} has no AUTH_SECRET, and there is nothing to rotate. \`latchkey secret\` prints a new secret.`,
    )
  }
  // One that is empty keeps its number: a second line of that name could be read or not.
  const highest = names.findLastIndex((name) => name in variables)
  if (highest === HIGHEST) {
    throw new Failed(
      'NoNumberLeft',
      `${file} has AUTH_SECRET_3 already, and the service reads no higher one. When you can do without the other secrets (passwords and authenticator apps that nobody has used since need them), give its value to AUTH_SECRET, remove AUTH_SECRET_1 to _3, in the service and in every app, and rotate then.`,
    )
  }
  const name = `AUTH_SECRET_${highest + 1}`
  const isExported = /^[ \t]*export[ \t]+AUTH_SECRET(?:_[1-3])?[ \t]*=/m.test(text)
  return {
    name,
    start: `${isExported ? 'export ' : ''}${name}=`,
    hasCarriageReturns: text.includes('\r\n'),
  }
}

/** @throws {Failed} the file would have another meaning than before, and the new line */
function lineOf(before: Buffer, { name, start, hasCarriageReturns }: Added): Buffer {
  const end = hasCarriageReturns ? '\r\n' : '\n'
  const text = before.toString()
  const secret = newSecret()
  const line = `${/[\r\n]$/.test(text) ? '' : end}${start}${secret}${end}`
  const meant = { ...variablesIn(text), [name]: secret }
  if (isDeepStrictEqual(variablesIn(text + line), meant)) return Buffer.from(line)
  throw new Failed(
    'Unreadable',
    'A line at the end of the file would become part of the value before it: close its quote first.',
  )
}

/** As Node and wrangler read it. */
function variablesIn(text: string): Record<string, string | undefined> {
  return { ...parseEnv(text.replace(/^\ufeff/, '')) }
}
