import { join } from 'node:path'
import { capabilityModules } from './generate/capability-modules.ts'
import { generatedFiles } from './generate/generated-files.ts'
import { readCapabilities } from './generate/read-capabilities.ts'
import { makeSourceModules } from './generate/source-modules.ts'
import { writeFiles } from './generate/write-files.ts'

/** Rewrites every generated file, and prints the paths of the files that changed. */
const root = join(import.meta.dirname, '..')
try {
  const changed = [
    // First what the sources import, since the OpenAPI document is made by running them.
    ...writeFiles(root, new Map(capabilityModules(readCapabilities(root)))),
    ...makeSourceModules(root),
    ...writeFiles(root, generatedFiles(root)),
  ]
  for (const line of changed) console.log(line)
} catch (error) {
  // A section that lacks something is for the author to mend: a message, and no stack.
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
