import { readFile, stat } from 'node:fs/promises'

/** The file exists and cannot be read. The message has no part of its content. */
export class Unreadable extends Error {}

/** No file of settings is as long. Bytes. */
const MAX_LENGTH = 1024 * 1024

/**
 * The text of a file in UTF-8.
 *
 * @returns `undefined`: there is none
 * @throws {Unreadable}
 */
export async function readText(path: string): Promise<string | undefined> {
  try {
    const about = await stat(path)
    // To read a pipe would wait forever.
    if (!about.isFile()) throw new Unreadable('it is not a file')
    if (about.size > MAX_LENGTH) throw new Unreadable('it is longer than a megabyte')
    const bytes = await readFile(path)
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    if (text.includes('\0')) throw new Unreadable('it is not a text')
    return text
  } catch (error) {
    const { code } = error as { readonly code?: string }
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    if (error instanceof Unreadable) throw error
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') throw new Unreadable('it is not UTF-8')
    throw new Unreadable(
      code === 'EACCES' ? 'it may not be read' : `it fails (${code ?? 'unknown'})`,
    )
  }
}
