import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { rootDir } from '../../scripts/wrangler-dev.js'
import { listed } from '../support/speed-lists.js'
import { has, leftOut, SPEEDS, testFiles } from '../support/speeds.js'

const read = (path: string) => readFileSync(join(rootDir, path), 'utf8')

describe('tests in three speeds', () => {
  test('every file of tests is in a run', () => {
    const files = testFiles()
    expect(files.filter((path) => !SPEEDS.some((speed) => has(speed, path)))).toEqual([])
    expect([...listed.keys()].filter((path) => !files.includes(path))).toEqual([])
    for (const path of listed.keys()) expect(existsSync(join(rootDir, path)), path).toBe(true)
  })

  test('a file is named once', () => {
    const named = [...read('test/support/speed-lists.ts').matchAll(/'([^']+\.test\.ts)'/g)]
    expect(named).toHaveLength(listed.size)
  })

  test('the first run has a walk of each adapter', () => {
    const walks = testFiles().filter((path) => /end-to-end/.test(path) && has('test', path))
    for (const adapter of ['express', 'hono', 'next', 'sveltekit', 'web']) {
      expect(walks.join('\n')).toContain(`/${adapter}-`)
    }
  })

  test('each run says what it leaves out', () => {
    expect(leftOut('test')).toMatch(
      /^Left out: \d+ files of `npm run test:all`, \d+ files of `npm run test:night`, and three of four cases/,
    )
    expect(leftOut('test:night')).toMatch(/^Left out: \d+ files of `npm test`, \d+ files of/)
  })

  test.each(SPEEDS)('`%s` is a script, and CONTRIBUTING says how long it takes', (speed) => {
    const { scripts } = JSON.parse(read('package.json'))
    expect(scripts[speed]).toBe(`node test/run.ts ${speed}`)
    const command = speed === 'test' ? 'npm test' : `npm run ${speed}`
    expect(read('CONTRIBUTING.md')).toMatch(
      new RegExp(`^\\| \`${command}\` +\\|.*minutes|^\\| \`${command}\` +\\|.*hour`, 'm'),
    )
  })
})

/** The cases that a property is tried on. */
async function casesWith(times: string): Promise<number[]> {
  vi.stubEnv('PROPERTY_TIMES', times)
  vi.stubEnv('PROPERTY_SEED', '7')
  vi.resetModules()
  const { holds } = await import('../support/holds.js')
  const cases: number[] = []
  await holds(
    40,
    fc.property(fc.nat(), (one) => void cases.push(one)),
  )
  vi.unstubAllEnvs()
  vi.resetModules()
  return cases
}

test('the cases of a property by day are the first ones of the night', async () => {
  const [day, night] = [await casesWith('0.25'), await casesWith('1')]
  expect([day.length, night.length]).toEqual([10, 40])
  expect(day).toEqual(night.slice(0, 10))
})
