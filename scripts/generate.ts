import { join } from 'node:path'
import { capabilityModules } from './generate/capability-modules.ts'
import { generatedFiles } from './generate/generated-files.ts'
import { Omissions } from './generate/omissions.ts'
import { readCapabilities, readOwnMethods } from './generate/read-capabilities.ts'
import { makeSourceModules } from './generate/source-modules.ts'
import { writeFiles } from './generate/write-files.ts'

/** Rewrites every generated file, and prints the paths of the files that changed, or all that is left to write. */
const root = join(import.meta.dirname, '..')
const omissions = new Omissions()
const steps = [
  // First what the sources import, since the OpenAPI document is made by running them.
  () => writeFiles(root, new Map(capabilityModules(readCapabilities(root), readOwnMethods(root)))),
  () => makeSourceModules(root),
  () => writeFiles(root, generatedFiles(root)),
]
for (const line of omissions.each(steps, (step) => step()).flat()) console.log(line)
try {
  omissions.check()
} catch (error) {
  // They are for the author to write: messages, and no stack.
  console.error((error as Error).message)
  process.exitCode = 1
}
