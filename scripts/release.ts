import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { packRelease } from './release/pack.ts'
import { publishRelease } from './release/publish.ts'
import { writeVersion } from './release/version.ts'

/**
 * `npm run release -- version` gives all packages their next version, by the change files, and writes the changelog.
 * `npm run release -- pack` makes everything that a release has, in the folder `release`. With `--rehearsal` it does so
 * although no release is due.
 * `npm run release -- publish` sends the packages of that folder to npm, and those that are there already not again.
 * `--registry http://localhost:4873` publishes to another registry, and `--folder` names another folder.
 *
 * The workflow `.github/workflows/release.yml` runs the last two.
 */
const root = join(import.meta.dirname, '..')
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    registry: { type: 'string' },
    folder: { type: 'string' },
    rehearsal: { type: 'boolean', default: false },
  },
})
const folder = values.folder ?? join(root, 'release')

try {
  if (positionals[0] === 'version') writeVersion(root, new Date())
  else if (positionals[0] === 'pack') packRelease(root, folder, values.rehearsal)
  else if (positionals[0] === 'publish') publishRelease(root, folder, values.registry)
  else throw new Error('npm run release -- version, pack or publish')
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
