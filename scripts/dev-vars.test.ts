import { globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ensureDevVars, readDevVars } from './dev-vars.ts'
import { rootDir } from './wrangler-dev.ts'

const example = join(rootDir, '.dev.vars.example')
let dir: string
let file: string

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'latchkey-vars-'))
  file = join(dir, '.dev.vars')
})
afterEach(() => rmSync(dir, { recursive: true }))

describe('ensureDevVars', () => {
  it('writes the example with a fresh secret that only its owner can read', () => {
    expect(ensureDevVars(file, example)).toBe('written')
    const vars = readDevVars(file)
    expect(vars.AUTH_SECRET).toMatch(/^[0-9a-f]{64}$/)
    expect(vars.AUTH_VIDEO_TOKEN_URL).toBe('http://localhost:8788/v2/oauth/token/')
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it('makes another secret for another file', () => {
    ensureDevVars(file, example)
    const other = join(dir, 'other')
    ensureDevVars(other, example)
    expect(readDevVars(other).AUTH_SECRET).not.toBe(readDevVars(file).AUTH_SECRET)
  })

  it('leaves a file with a secret as it is', () => {
    const text = `AUTH_SECRET=${'s'.repeat(32)}\n`
    writeFileSync(file, text)
    expect(ensureDevVars(file, example)).toBe('kept')
    expect(readFileSync(file, 'utf8')).toBe(text)
  })

  it('takes a numbered secret, as rotation leaves it', () => {
    writeFileSync(file, `AUTH_SECRET_2=${'s'.repeat(32)}\n`)
    expect(ensureDevVars(file, example)).toBe('kept')
  })

  it.each([
    ['no secret', 'AUTH_VIDEO_ID=mine\n', /sets no AUTH_SECRET.*openssl rand -hex 32/s],
    ['an empty secret', 'AUTH_SECRET=\n', /sets no AUTH_SECRET/],
    [
      'a color that is read as a comment',
      `AUTH_SECRET=${'s'.repeat(32)}\nAUTH_THEME_BRAND_COLOR=#0f766e\n`,
      /AUTH_THEME_BRAND_COLOR in .* is empty.* quotes/,
    ],
    ['a short secret', 'AUTH_SECRET=short\n', /AUTH_SECRET .* has 5 characters.*at least 32/],
  ])('says what to do about %s and keeps the file', (_, text, message) => {
    writeFileSync(file, text)
    expect(() => ensureDevVars(file, example)).toThrow(message)
    expect(readFileSync(file, 'utf8')).toBe(text)
  })
})

describe('.dev.vars.example', () => {
  /** Read by apps alone, by presets of old names, and by tests. */
  const others = [
    'AUTH_APP_KEY',
    'AUTH_PUBLIC_KEYS',
    'AUTH_STORE',
    'AUTH_STORE_PREFIX',
    'AUTH_TIKTOK',
    'AUTH_TIKTOK_ID',
    'AUTH_TIKTOK_SECRET',
    'AUTH_TURNSTILE_VERIFY_URL',
    'AUTH_WORKER_URL',
  ]

  it('has every variable that the Worker reads by its name', () => {
    const sources = ['worker/src', 'host/src/shared'].flatMap((folder) =>
      globSync(`${folder}/**/*.ts`, { cwd: rootDir }).filter((path) => !path.endsWith('.test.ts')),
    )
    // Presets' variables are put together from their prefix, and generated.
    const prefixes = readFileSync(join(rootDir, 'worker/src/presets/preset-table.ts'), 'utf8')
    const read = sources.flatMap((path) => {
      const text = readFileSync(join(rootDir, path), 'utf8')
      return text.match(/(?<=')AUTH_[A-Z\d_]+(?=')/g) ?? []
    })
    const names = new Set(read.filter((name) => !prefixes.includes(`'${name}'`)))
    expect(names.size).toBeGreaterThan(15)
    const named = new Set(readFileSync(example, 'utf8').match(/AUTH_[A-Z\d_]+/g))
    const missing = [...names].filter((name) => !named.has(name) && !others.includes(name))
    expect(missing).toEqual([])
  })

  it('has each value in a form that is read whole when its line is taken in', () => {
    const text = readFileSync(example, 'utf8').replace(/^# (?=AUTH_[A-Z\d_]+=)/gm, '')
    writeFileSync(file, text)
    const vars = readDevVars(file)
    const written = [...text.matchAll(/^(AUTH_[A-Z\d_]+)=(.+)$/gm)]
    expect(written.length).toBeGreaterThan(30)
    for (const [, name = '', value = ''] of written) {
      expect(vars[name], name).toBe(value.replace(/^"(.*)"$/, '$1'))
    }
  })
})
