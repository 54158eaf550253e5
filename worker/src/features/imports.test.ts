import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Feature } from '../service/feature.js'
import { all as builtIn } from './all.js'
import { authorizationServer } from './authorization-server/index.js'
import { companies } from './companies/index.js'
import { newBrowsers } from './new-browsers/index.js'
import { operate } from './operate/index.js'
import { passwords } from './passwords/index.js'

const all: readonly Feature[] = [
  ...builtIn,
  authorizationServer(),
  passwords,
  companies(),
  newBrowsers,
  operate(),
]

const files = globSync('*/**/*.ts', { cwd: import.meta.dirname }).filter(
  (file) => !file.endsWith('.test.ts'),
)

/** The features that a feature may import: its needs, and their needs. */
function neededBy({ needs = [] }: Feature): readonly string[] {
  return needs.flatMap((one) => [one.name, ...neededBy(one)])
}

/** The features that the files of a feature import, other than types. */
function importedBy(name: string): readonly string[] {
  const found = files
    .filter((file) => file.startsWith(`${name}/`))
    .flatMap((file) => {
      const text = readFileSync(join(import.meta.dirname, file), 'utf8')
      return [...text.matchAll(/^(?:import|export) (?!type )[^']*'(\.[^']*)'/gm)].map(([, path]) =>
        join(dirname(file), path ?? ''),
      )
    })
    .filter((path) => !path.startsWith('..'))
    .map((path) => path.split('/')[0] ?? '')
  return [...new Set(found)].filter((other) => other !== name)
}

describe.each(all)('$name', (feature) => {
  it('imports no feature but those that it needs', () => {
    const needed = neededBy(feature)
    expect(importedBy(feature.name).filter((name) => !needed.includes(name))).toEqual([])
  })
})

it('every folder is a feature of the list, by its name in camel case', async () => {
  const folders = [...new Set(files.map((file) => file.split('/')[0] ?? ''))]
  expect(folders.sort()).toEqual(all.map(({ name }) => name).sort())
  for (const name of folders) {
    const module = await import(/* @vite-ignore */ join(import.meta.dirname, name, 'index.ts'))
    const exported = name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
    const value = module[exported]
    // One that takes options is a function.
    const feature = typeof value === 'function' ? value() : value
    expect(feature, name).toHaveProperty('name', name)
  }
})
