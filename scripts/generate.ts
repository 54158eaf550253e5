import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { generatedFiles } from './generate/generated-files.ts'

/** Rewrites every file that lists the presets, and prints the paths of those that changed. */
const root = join(import.meta.dirname, '..')
for (const [path, text] of generatedFiles(root)) {
  const file = join(root, path)
  if (text === undefined) {
    rmSync(file)
    console.log(`removed ${path}`)
  } else if (!existsSync(file) || readFileSync(file, 'utf8') !== text) {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    console.log(`wrote ${path}`)
  }
}
