import { existsSync, globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const { resolve } = createRequire(import.meta.url)

interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
}

const packages = [
  'session',
  'worker',
  'cli',
  'adapters/express',
  'adapters/hono',
  'adapters/sveltekit',
]

describe.each(packages)('the package in %s', (folder) => {
  const file = join(root, folder, 'package.json')
  const { name, exports } = JSON.parse(readFileSync(file, 'utf8')) as Manifest

  test('has a package.json that others can ask for', () => {
    expect(resolve(`${name}/package.json`)).toBe(file)
  })

  test('has a source for each file that its exports name', () => {
    const targets = Object.values(exports).flatMap((target) =>
      typeof target === 'string' ? target : Object.values(target),
    )
    expect(targets).toContain('./package.json')
    for (const target of targets) {
      if (target === './package.json') continue
      const source = target.replace('/dist/', '/src/').replace(/(?:\.d\.ts|\.js)$/, '.ts')
      const isThere = source.includes('*')
        ? globSync(source, { cwd: join(root, folder) }).length > 10
        : existsSync(join(root, folder, source))
      expect(isThere, `${name}: ${target}`).toBe(true)
    }
  })
})

test.each([
  ['features', 'worker/src/features/*/'],
  ['languages', 'worker/languages/*.ts'],
])('the worker exports each of its %s by its name', (room, places) => {
  const { exports } = JSON.parse(
    readFileSync(join(root, 'worker/package.json'), 'utf8'),
  ) as Manifest
  const { default: target = '' } = exports[`./${room}/*`] as Readonly<Record<string, string>>
  const names = globSync(places, { cwd: root }).map((path) => basename(path, '.ts'))
  expect(names.length).toBeGreaterThan(10)
  const sources = names.map((name) =>
    target.replace('/dist/', '/src/').replace('*', name).replace(/js$/, 'ts'),
  )
  expect(sources.filter((source) => !existsSync(join(root, 'worker', source)))).toEqual([])
})

test('no package that is published is left out', () => {
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    workspaces: string[]
  }
  const published = workspaces.filter((folder) => {
    const manifest = readFileSync(join(root, folder, 'package.json'), 'utf8')
    return (JSON.parse(manifest) as Manifest).private !== true
  })
  expect(published.toSorted()).toEqual(packages.toSorted())
})
