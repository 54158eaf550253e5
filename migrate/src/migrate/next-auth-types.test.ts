import { execFile } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { migrateApp } from './migrate-app.js'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../../..')
// Below the repository, where the compiler finds the packages.
const folder = join(root, 'node_modules/.cache/moved-next-apps')
const tsc = join(root, 'node_modules/typescript7/bin/tsc')

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test.concurrent.each([
  [
    'next-auth-5',
    // Two of the decisions.
    ['app/layout.tsx(9,49): error TS2322', 'auth.config.ts(18,46): error TS18046'],
  ],
  ['next-auth-4', []],
])(
  '%s has no other mistakes by its types afterwards than the listed ones',
  async (app, mistakes) => {
    const cwd = join(root, 'test/moving-in-next', app)
    const paths = globSync('**/*', { cwd }).filter((path) => statSync(join(cwd, path)).isFile())
    const files = new Map(paths.map((path) => [path, readFileSync(join(cwd, path), 'utf8')]))
    const after = new Map([...files, ...migrateApp(files, '1.2.3', new Date()).changed])
    for (const [path, text] of after) {
      mkdirSync(dirname(join(folder, app, path)), { recursive: true })
      writeFileSync(join(folder, app, path), text)
    }
    const { stdout } = await run(process.execPath, [tsc, '-p', '.', '--pretty', 'false'], {
      cwd: join(folder, app),
    }).catch((error: { stdout: string }) => error)
    expect(stdout.match(/^\S+: error TS\d+/gm) ?? []).toEqual(mistakes)
  },
)
