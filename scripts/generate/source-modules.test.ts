import { existsSync, readFileSync } from 'node:fs'
import { join, matchesGlob } from 'node:path'
import { expect, test } from 'vitest'
import { MADE, sourceModules } from './source-modules.ts'

const root = join(import.meta.dirname, '../..')

test('git ignores the modules that are made, each in a place that its list names', () => {
  const modules = [...sourceModules(root).keys()]
  expect(modules.length).toBeGreaterThan(300)
  const outside = modules.filter((path) => !MADE.some((place) => matchesGlob(path, place)))
  expect(outside).toEqual([])
  const ignored = readFileSync(join(root, '.gitignore'), 'utf8').split('\n')
  expect(MADE.filter((place) => !ignored.includes(`/${place.replace(/\*$/, '')}`))).toEqual([])
})

test('a run of tests makes them first', () => {
  const outdated = [...sourceModules(root)].filter(
    ([path, text]) =>
      (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined) !== text,
  )
  expect(outdated.map(([path]) => path)).toEqual([])
})
