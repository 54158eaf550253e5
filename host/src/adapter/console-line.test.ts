import { afterEach, expect, test, vi } from 'vitest'
import { writeLine } from './console-line.js'

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

function lineOf(told: Parameters<typeof writeLine>[0]): string {
  const written = vi.spyOn(console, told.level).mockReturnValue()
  writeLine(told)
  return String(written.mock.lastCall?.[0])
}

test('a warning has the form of the service’s lines, with its code', () => {
  const told = {
    level: 'warn',
    name: 'unknown-option',
    words: 'The option a does nothing.',
  } as const
  const form = /^\[auth\]\[warn\] \S+Z unknown-option: The option a does nothing\.$/
  expect(lineOf(told)).toMatch(form)
  vi.stubEnv('AUTH_LOG', 'json')
  expect(JSON.parse(lineOf(told))).toEqual({
    time: expect.stringMatching(/Z$/),
    level: 'warn',
    message: 'unknown-option',
    detail: 'The option a does nothing.',
  })
})

test('an error has its name in the member `error`, as a line of the service', () => {
  const told = { level: 'error', name: 'AuthError', words: 'No.' } as const
  expect(lineOf(told)).toMatch(/^\[auth\]\[error\] \S+Z AuthError: No\.$/)
  vi.stubEnv('AUTH_LOG', 'json')
  expect(JSON.parse(lineOf(told))).toMatchObject({ error: 'AuthError', message: 'No.' })
})

test('attack: a text with line breaks does not look like two lines', () => {
  expect(lineOf({ level: 'debug', words: 'a\n[auth][error] b\u2028c' })).toMatch(
    /^\[auth\]\[debug\] \S+Z a \[auth\]\[error\] b c$/,
  )
})
