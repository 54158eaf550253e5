import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const idsIn = (folder: string) =>
  readdirSync(join(import.meta.dirname, folder))
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => name.replace('.ts', ''))

const ids = idsIn('../../../worker/src/providers')

test('every provider of the worker package has its subpath', () => {
  expect(ids).toContain('videoapp')
  expect(idsIn('providers')).toEqual(ids)
})

test.each(ids)('%s is the worker’s own', async (id) => {
  const source = readFileSync(join(import.meta.dirname, 'providers', `${id}.ts`), 'utf8')
  expect(source).toContain(`from '@latchkey/worker/providers/${id}'`)
  const path = `@latchkey/sveltekit/providers/${id}`
  expect((await import(/* @vite-ignore */ path)).default).toBeTypeOf('function')
})
