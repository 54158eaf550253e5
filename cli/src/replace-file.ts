import { randomBytes } from 'node:crypto'
import { chown, type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/**
 * Writes a file as a whole: a reader sees the old content or the new one, and an end in the middle leaves
 * the old one. Mode and owner stay. A link stays a link, and the file that it names is replaced.
 *
 * @param path absolute
 * @param mode of a file that is not there yet
 * @throws the error of the file system
 */
export async function replaceFile(path: string, content: Buffer, mode = 0o600): Promise<void> {
  const target = await realpath(path).catch(() => path)
  const old = await stat(target).catch(() => undefined)
  const part = join(dirname(target), `.latchkey-${randomBytes(8).toString('hex')}`)
  let handle: FileHandle | undefined
  try {
    handle = await open(part, 'wx', 0o600)
    const made = await handle.stat()
    if (old && (made.uid !== old.uid || made.gid !== old.gid)) {
      await chown(part, old.uid, old.gid)
    }
    await handle.chmod((old?.mode ?? mode) & 0o7777)
    await handle.writeFile(content)
    await handle.sync()
    await handle.close()
    await rename(part, target)
  } catch (error) {
    await handle?.close().catch(() => {})
    await rm(part, { force: true })
    throw error
  }
}
