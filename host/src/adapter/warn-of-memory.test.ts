import { afterEach, expect, test, vi } from 'vitest'
import { warnOfMemory } from './warn-of-memory.js'

afterEach(() => void vi.restoreAllMocks())

function saidIn(env: object): string[] {
  const said: string[] = []
  const logger = {
    warn: (code: string, words?: string) => void said.push(`${code}: ${words}`),
    error: ({ message }: Error) => void said.push(`error: ${message}`),
  }
  warnOfMemory({ config: { logger } as never, env: env as never })
  return said
}

test('a store in memory logs in production what a restart loses, and nothing in development', () => {
  const [line = '', ...more] = saidIn({ NODE_ENV: 'production' })
  expect(more).toEqual([])
  expect(line).toMatch(/^memory-store: .*A restart loses it: sessions, .*passwords, passkeys/)
  expect(saidIn({ NODE_ENV: 'development' })).toEqual([])
  expect(saidIn({})).toEqual([])
})

test('on a platform of functions it is an error', () => {
  expect(saidIn({ NODE_ENV: 'production', VERCEL: '1' })).toEqual([
    expect.stringMatching(/^error: Everything is kept in the memory/),
  ])
})
