import { existsSync, globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { publishedFolders } from '../../scripts/published-packages.ts'

const root = join(import.meta.dirname, '../..')
const { resolve } = createRequire(import.meta.url)

interface Manifest {
  readonly name: string
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
}

const packages = publishedFolders(root)

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
  ['languages', 'languages/*.ts'],
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

test('a package is published after those that it depends on', () => {
  expect(packages.toSorted()).toEqual([
    'adapters/express',
    'adapters/hono',
    'adapters/next',
    'adapters/sveltekit',
    'adapters/web',
    'cli',
    'client',
    'host',
    'migrate',
    'session',
    'worker',
  ])
  const at = (folder: string) => packages.indexOf(folder)
  expect(at('session')).toBe(0)
  expect(at('host')).toBeLessThan(at('worker'))
  expect(at('client')).toBeLessThan(at('adapters/sveltekit'))
  expect(at('worker')).toBeLessThan(at('adapters/sveltekit'))
  expect(at('worker')).toBeLessThan(at('cli'))
  expect(at('cli')).toBeLessThan(at('migrate'))
})

// `npm run generate` writes these members, and a test of its own says that it was run.
test.each(packages)(
  'the package in %s has a description, keywords and its repository',
  (folder) => {
    const { repository } = read('package.json')
    const manifest = read(join(folder, 'package.json'))
    expect(manifest.repository).toEqual({ ...repository, directory: folder })
    expect(manifest.homepage).toContain(`/${folder}#readme`)
    expect(manifest.bugs).toMatch(/^https:.*\/issues$/)
    expect(manifest.keywords.length).toBeGreaterThan(4)
    expect(manifest.keywords).toContain('authentication')
    expect(new Set(manifest.keywords).size).toBe(manifest.keywords.length)
    expect(manifest.publishConfig).toEqual({ access: 'public', provenance: true })
  },
)

test('every address of the repository is the one of package.json', () => {
  const own = read('package.json').repository.url.replace(/^git\+|\.git$/g, '')
  const files = globSync(
    ['*.md', '.github/**/*.yml', '{docs,adapters,session,host,client,worker,cli,migrate}/**/*.md'],
    {
      cwd: root,
      exclude: ['**/node_modules', '**/dist'],
    },
  )
  expect(files.length).toBeGreaterThan(50)
  const others = files.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8')
    const places = text.match(/https:\/\/github\.com\/[\w-]+\/latchkey\b/g) ?? []
    return places.filter((place) => place !== own).map((place) => `${file}: ${place}`)
  })
  expect(others).toEqual([])
})

function read(path: string) {
  return JSON.parse(readFileSync(join(root, path), 'utf8'))
}
