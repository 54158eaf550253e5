import { randomBytes } from 'node:crypto'
import { link, mkdir, open, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/**
 * Writes a file that is not there: whole or not at all, and never in the place of another one, even if that is made meanwhile.
 *
 * @param path absolute. Folders that are missing are made
 * @returns `false`: it is there
 * @throws the error of the file system
 */
export async function writeNew(path: string, text: string, mode: number): Promise<boolean> {
  const folder = dirname(path)
  await mkdir(folder, { recursive: true })
  const part = join(folder, `.latchkey-${randomBytes(8).toString('hex')}`)
  try {
    const handle = await open(part, 'wx', mode)
    try {
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await link(part, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    await rm(part, { force: true })
  }
}
