import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { generatedFiles } from './generate/generated-files.ts'

/** Rewrites every generated file, and prints the paths of the files that changed. */
const root = join(import.meta.dirname, '..')
for (const [path, text] of readFiles()) {
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

/** A section that lacks something is for the author to mend: a message, and no stack. */
function readFiles() {
  try {
    return generatedFiles(root)
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exit(1)
  }
}
