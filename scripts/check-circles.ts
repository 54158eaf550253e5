import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Finds files that need each other, also by their types alone: a reader has to hold all files of such a circle at once. At run
 * time there is no circle (`.dependency-cruiser.js`). The largest one is the request, which has the features,
 * and the hooks of features, which take the request.
 */

/** The most files of one circle. Lower it if it gets smaller. */
const MOST = 10

const root = join(import.meta.dirname, '..')
const SOURCES = '{session,host,client,worker,cli,migrate,adapters/*}/src/**/*.{ts,tsx}'
const TEST = /\.test\.tsx?$|\/test-[^/]+(?:\/|\.ts$)/

const paths = globSync(SOURCES, { cwd: root }).filter((path) => !TEST.test(path))
const needs = new Map(paths.map((path) => [path, neededBy(path)]))

/** The files of the same package that a file imports, or names in a type. */
function neededBy(path: string): readonly string[] {
  const text = readFileSync(join(root, path), 'utf8')
  const imports = text.matchAll(/(?:\bfrom\s+|\bimport\s+|\bimport\()'([.][^']*)[.]js'/g)
  return [...imports].map(([, name = '']) => join(dirname(path), name))
}

/** Each path by its name without an ending, as imports have it. */
const byName = new Map(paths.map((path) => [path.replace(/\.tsx?$/, ''), path]))

/** The circles, by Tarjan's algorithm: each file is looked at once. */
function circlesIn(): string[][] {
  const circles: string[][] = []
  const numbers = new Map<string, number>()
  const open: string[] = []
  /** @returns the lowest number of a file that is still open and that this one leads to */
  function visit(path: string): number {
    const own = numbers.size
    numbers.set(path, own)
    open.push(path)
    let lowest = own
    for (const name of needs.get(path) ?? []) {
      const next = byName.get(name)
      if (next === undefined) continue
      const known = numbers.get(next)
      if (known === undefined) lowest = Math.min(lowest, visit(next))
      else if (open.includes(next)) lowest = Math.min(lowest, known)
    }
    if (lowest === own) circles.push(open.splice(open.indexOf(path)))
    return lowest
  }
  for (const path of paths) if (!numbers.has(path)) visit(path)
  return circles
}

const tooLarge = circlesIn().filter(({ length }) => length > MOST)
for (const circle of tooLarge) {
  console.error(`${circle.length} files need each other, ${MOST} at most:`)
  for (const path of circle.sort()) console.error(`  ${path}`)
}
if (tooLarge.length > 0) process.exitCode = 1
