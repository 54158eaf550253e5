import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Writes the files that are missing or have another text, and removes those that have none.
 *
 * @param files the text of each file by its path below `root`; `undefined`: it must not exist
 * @returns a line for each file that changed
 */
export function writeFiles(root: string, files: ReadonlyMap<string, string | undefined>): string[] {
  const lines: string[] = []
  for (const [path, text] of files) {
    const file = join(root, path)
    if (text === undefined) {
      rmSync(file)
      lines.push(`removed ${path}`)
    } else if (!existsSync(file) || readFileSync(file, 'utf8') !== text) {
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text)
      lines.push(`wrote ${path}`)
    }
  }
  return lines
}
