import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

// No compiler reads the program in the script, and it runs last: a name that is gone would fail a run that has passed.
test('the script of the CI imports names that there are', async () => {
  const script = readFileSync(join(root, '.ci/run'), 'utf8')
  const imports = [...script.matchAll(/^import \{ (\w+) \} from '(\.[^']+)'$/gm)]
  expect(imports).not.toEqual([])
  for (const [, name = '', path = ''] of imports) {
    expect(await import(/* @vite-ignore */ join(root, path)), path).toHaveProperty(name)
  }
})
