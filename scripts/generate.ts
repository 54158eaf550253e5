import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { capabilityModules, readCapabilities } from './generate/capabilities.ts'
import { generatedFiles } from './generate/generated-files.ts'

/** Rewrites every generated file, and prints the paths of the files that changed. */
const root = join(import.meta.dirname, '..')
// First what the sources import, since the OpenAPI document is made by running them.
write(read(() => capabilityModules(readCapabilities(root))))
write(read(() => generatedFiles(root)))

function write(files: Iterable<readonly [path: string, text: string | undefined]>): void {
  for (const [path, text] of files) {
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
}

/** A section that lacks something is for the author to mend: a message, and no stack. */
function read<Files>(files: () => Files): Files {
  try {
    return files()
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exit(1)
  }
}
