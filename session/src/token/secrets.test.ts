import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { configuredSecrets, readSecrets, SecretError } from './secrets.js'

const [plain, one, two, three] = ['0', '1', '2', '3'].map((digit) =>
  `secret-${digit}`.padEnd(32, digit),
) as [string, string, string, string]

describe('readSecrets', () => {
  test('takes the highest number first, the plain one last', () => {
    const env = {
      AUTH_SECRET: plain,
      AUTH_SECRET_1: one,
      AUTH_SECRET_2: two,
      AUTH_SECRET_3: three,
      AUTH_SECRET_4: 'secret-4'.padEnd(32, '4'),
    }
    expect(readSecrets(env)).toEqual([three, two, one, plain])
  })

  test.each([
    [{ AUTH_SECRET: plain, AUTH_SECRET_2: two }, [two, plain]],
    [{ AUTH_SECRET_1: one }, [one]],
    [{ AUTH_SECRET: plain, AUTH_SECRET_1: '' }, [plain]],
    [{ AUTH_SECRET: plain, AUTH_SECRET_1: undefined }, [plain]],
    [{ AUTH_SECRET: plain, AUTH_SECRET_1: { get() {} } }, [plain]],
  ])('skips a secret that is not set: %j', (env, expected) => {
    expect(readSecrets(env)).toEqual(expected)
  })

  test.each([{}, { AUTH_SECRET: '' }, { AUTH_SECRET: 7 }])('needs one: %j', (env) => {
    expect(() => readSecrets(env)).toThrow(SecretError)
    expect(() => readSecrets(env)).toThrow('AUTH_SECRET is not set')
  })

  test.each([['node --env-file=.env'], ['wrangler secret put AUTH_SECRET'], ['.dev.vars']])(
    'says where to set it, in Node and in a Worker: %s',
    (place) => {
      expect(() => readSecrets({})).toThrow(place)
    },
  )

  test('names the variable that is too short, and never its value', () => {
    const short = 'hunter2-hunter2-hunter2-hunter2'
    const error = thrownBy(() => readSecrets({ AUTH_SECRET: plain, AUTH_SECRET_1: short }))
    expect(error).toBeInstanceOf(SecretError)
    expect(error.message).toContain('AUTH_SECRET_1 must have at least 32 characters')
    expect(`${error.message}${error.stack}${JSON.stringify(error)}`).not.toContain('hunter2')
  })
})

describe('guessable values', () => {
  const example = readFileSync(new URL('../../../.dev.vars.example', import.meta.url), 'utf8')
  const [, comment = ''] = /^# (.*openssl.*)$/m.exec(example) ?? []

  test.each([
    ['32 equal letters', 'x'.repeat(32)],
    ['40 spaces', ' '.repeat(40)],
    ['tabs and line breaks', '\t\r\n '.repeat(10)],
    ['one letter between blanks', `${' '.repeat(20)}x${' '.repeat(20)}`],
    ['two letters in turn', 'ab'.repeat(16)],
    ['three digits in turn', '123'.repeat(11)],
    ['the comment of .dev.vars.example', comment],
    ['the command instead of its output', 'AUTH_SECRET=$(openssl rand -hex 32)'],
    ['a text to be replaced', 'replace-with-a-secret-of-at-least-32-characters'],
    ['a text to be changed', 'changeme-changeme-changeme-changeme'],
    ['a text to be replaced, in one word', 'replaceme'.repeat(4)],
    ['a text in the place of yours', 'yoursecretyoursecretyoursecretyours'],
    ['the secret of the test vector', 'known-answer-secret-0123456789abcdef'],
  ])('%s', (_, secret) => {
    expect(secret.length).toBeGreaterThanOrEqual(32)
    for (const read of [
      () => readSecrets({ AUTH_SECRET: secret }),
      () => readSecrets({ AUTH_SECRET: secret, AUTH_SECRET_1: plain }),
      () => configuredSecrets([plain, secret]),
    ]) {
      const error = thrownBy(read)
      expect(error).toBeInstanceOf(SecretError)
      expect(error.message).toMatch(/ can be guessed: .*`openssl rand -hex 32`/)
      expect(error.message).not.toContain(secret)
    }
  })

  test('accepts every random secret', () => {
    for (let count = 0; count < 1_000; count++) {
      const secret = randomBytes(16).toString('hex')
      expect(configuredSecrets(secret)).toEqual([secret])
    }
    expect(configuredSecrets('abcd'.repeat(8))).toHaveLength(1)
    expect(configuredSecrets(`${plain}-known-answer-secret-`)).toHaveLength(1)
    expect(configuredSecrets('correct horse battery staple, 4 of them')).toHaveLength(1)
  })
})

describe('configuredSecrets', () => {
  test('takes one, or an array in its order', () => {
    expect(configuredSecrets(plain)).toEqual([plain])
    expect(configuredSecrets([two, plain])).toEqual([two, plain])
  })

  test.each([
    ['empty', ''],
    ['short', 'hunter2'],
    ['one of several short', [plain, 'hunter2']],
    ['one of several missing', [plain, undefined as unknown as string]],
    ['none', []],
  ])('refuses %s without printing it', (_, secret) => {
    const error = thrownBy(() => configuredSecrets(secret))
    expect(error).toBeInstanceOf(SecretError)
    expect(error.name).toBe('SecretError')
    expect(error.message).toMatch(/^(?:AUTH_SECRET is not set|The configured secret must have)/)
    expect(`${error.message}${error.stack}`).not.toContain('hunter2')
  })
})

function thrownBy(act: () => unknown): Error {
  try {
    act()
  } catch (error) {
    return error as Error
  }
  throw new Error('Nothing was thrown.')
}
