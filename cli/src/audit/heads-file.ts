import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { AuditHeads } from '@latchkey/worker/migrate'
import { Failed } from '../command.js'
import { isRecord } from '../is-record.js'
import { printable } from '../printable.js'
import { replaceFile } from '../replace-file.js'

/** Is it an answer of `auditHeads()`? */
export function isHeads(value: unknown): value is AuditHeads {
  return (
    isRecord(value) &&
    Number.isSafeInteger(value.days) &&
    Array.isArray(value.chains) &&
    value.chains.every(
      (one) =>
        isRecord(one) && typeof one.chain === 'string' && isHead(one.floor) && isHead(one.head),
    )
  )
}

function isHead(value: unknown): boolean {
  const isText = (text: unknown) => text === null || typeof text === 'string'
  return (
    isRecord(value) &&
    Number.isSafeInteger(value.seq) &&
    Number(value.seq) >= 0 &&
    isText(value.hash) &&
    isText(value.time)
  )
}

/**
 * The heads that an earlier run has saved.
 *
 * @returns undefined if the file is not there yet
 * @throws {Failed} it cannot be read, or has something else
 */
export async function readHeads(file: string, directory: string): Promise<AuditHeads | undefined> {
  const name = printable(file)
  try {
    const heads: unknown = JSON.parse(await readFile(resolve(directory, file), 'utf8'))
    if (isHeads(heads)) return heads
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    if (code !== undefined) throw new Failed('Unreadable', `${name} cannot be read (${code}).`)
  }
  throw new Failed(
    'Unreadable',
    `${name} does not have the heads of a log. It stays as it is: name another file, or move it away.`,
  )
}

/** @throws {Failed} */
export async function saveHeads(file: string, directory: string, heads: AuditHeads): Promise<void> {
  try {
    await replaceFile(resolve(directory, file), Buffer.from(`${JSON.stringify(heads)}\n`), 0o644)
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    throw new Failed('Unwritable', `The heads cannot be saved in ${printable(file)} (${code}).`)
  }
}
