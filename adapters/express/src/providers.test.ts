import { readdirSync } from 'node:fs'
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
  const [ours, theirs] = await Promise.all(
    ['@latchkey/express', '@latchkey/worker'].map((name) => {
      const path = `${name}/providers/${id}`
      return import(/* @vite-ignore */ path)
    }),
  )
  expect({ ...ours }).toEqual({ ...theirs })
  expect(ours.default).toBeTypeOf('function')
})
