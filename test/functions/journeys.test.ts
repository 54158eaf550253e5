import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { rootDir } from '../../scripts/wrangler-dev.ts'

const page = readFileSync(join(rootDir, 'docs/architecture.md'), 'utf8')

/** The files in which a function ran, by journey. */
let passed: Readonly<Record<string, readonly string[]>>

beforeAll(async () => {
  const args = ['--no-warnings', '--import', './test/support/from-sources.ts']
  const walk = [...args, 'test/journeys/walk.ts']
  const { stdout } = await promisify(execFile)(process.execPath, walk, { cwd: rootDir })
  passed = JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
})

describe.each([
  ['read', 'Read a session in an app'],
  ['start', 'Start a sign-in by OAuth'],
  ['callback', 'Finish a sign-in by OAuth'],
  ['mail', 'Sign in by the link of a mail'],
  ['account', 'Show the page of the account'],
])('the journey "%s"', (name, heading) => {
  test('passes at most as many files as the architecture says', () => {
    const most = Number(page.match(new RegExp(`\\| \\[${heading}\\]\\(.*\\) \\| (\\d+) \\|`))?.[1])
    expect(passed[name]?.length).toBeGreaterThan(most * 0.9)
    expect(passed[name]?.length).toBeLessThanOrEqual(most)
  })

  test('passes each file that its steps name', () => {
    const [, section = ''] = page.split(`### ${heading}\n`)
    const [journey = ''] = section.split('\n### ')
    const steps = journey.split('\n').filter((line) => /^(?:\d\. | {3})/.test(line))
    const named = steps.flatMap((line) => line.match(/(?<=`)[\w/-]+\.ts(?=`)/g) ?? [])
    expect(named.length).toBeGreaterThan(4)
    expect(named.filter((file) => !passed[name]?.includes(file))).toEqual([])
  })
})
