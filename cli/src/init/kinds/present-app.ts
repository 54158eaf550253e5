import { dependencyOf, parsedManifest } from '../manifest.js'
import type { Wanted } from '../planned.js'
import { rangesOf } from '../versions.js'

/** The command that installs what a `package.json` lacks, so that it stays as it is until then. */
export async function installs(
  manifest: string,
  names: readonly `@latchkey/${string}`[],
): Promise<readonly string[]> {
  const missing = names.filter((name) => !dependencyOf(parsedManifest(manifest), name))
  const ranges = Object.entries(rangesOf(...missing)).map(([name, range]) => `${name}@${range}`)
  return ranges.length > 0 ? [`npm install ${ranges.join(' ')}`] : ['npm install']
}

/** The first of these files that is there; otherwise the last argument. */
export async function firstOf(
  present: Wanted['present'],
  paths: readonly string[],
  otherwise: string,
): Promise<string> {
  for (const path of paths) if ((await present(path)) !== undefined) return path
  return otherwise
}
