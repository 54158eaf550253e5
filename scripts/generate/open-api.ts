import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * The OpenAPI document, for the package and for the documentation. A process of its own makes it of the tables of routes, since it
 * reads the sources of the packages as tests do.
 *
 * @throws {Error} a route is described nowhere
 */
export function openApiFiles(root: string): [string, string][] {
  const hooks = pathToFileURL(join(root, 'test/support/from-sources.ts')).href
  const print = join(root, 'worker/openapi/print.ts')
  const options = { encoding: 'utf8', maxBuffer: 2 ** 24 } as const
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', hooks, print],
    options,
  )
  if (status !== 0) throw new Error(stderr)
  return [
    ['worker/openapi.json', stdout],
    ['docs/openapi.json', stdout],
  ]
}
