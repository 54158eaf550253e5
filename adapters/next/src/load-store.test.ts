import { InvalidConfiguration } from '@latchkey/host/shared'
import { expect, test } from 'vitest'
import { explained } from './load-store.js'

const missing = Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' })
const standalone = { NODE_ENV: 'production', __NEXT_PRIVATE_STANDALONE_CONFIG: '{}' } as const

test.each([
  ['sqlite', 'outputFileTracingIncludes'],
  ['postgres', 'store: postgresStore(…)'],
  ['redis', 'store: redisStore(…)'],
])('a standalone build without the store %s names what puts it there', (kind, remedy) => {
  const error = explained(missing, kind, standalone)
  expect(error).toBeInstanceOf(InvalidConfiguration)
  expect((error as Error).message).toContain(remedy)
  expect((error as Error).message).not.toContain('npm install')
})

test('any other failure stays as it is', () => {
  const other = new Error('It is locked.')
  expect(explained(other, 'sqlite', standalone)).toBe(other)
  expect(explained(missing, 'sqlite', { NODE_ENV: 'production' })).toBe(missing)
  expect(explained(undefined, 'sqlite', standalone)).toBe(undefined)
})
