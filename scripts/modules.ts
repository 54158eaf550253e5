import { join } from 'node:path'
import { makeSourceModules } from './generate/source-modules.ts'

/** `npm run modules`: makes the modules that are made of other files, and that git does not have. */
makeSourceModules(join(import.meta.dirname, '..'))
