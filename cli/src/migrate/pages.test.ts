import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { applyPatch, parsePatch } from 'diff'
import { expect, test } from 'vitest'
import { migrateApp } from './migrate-app.js'

/** The pages show what the command makes of the apps of `test/moving-in`. */
const root = join(import.meta.dirname, '../../..')
const now = new Date('2026-11-22T12:00:00Z')

/** The files of an app, but what is no text. */
function filesOf(app: string): Map<string, string> {
  const folder = join(root, 'test/moving-in', app)
  const paths = globSync(['**/*', '.env.example'], { cwd: folder }).filter((path) =>
    statSync(join(folder, path)).isFile(),
  )
  return new Map(paths.map((path) => [path, readFileSync(join(folder, path), 'utf8')]))
}

/** The files of an app after the patch that a page shows of it. */
function patched(page: string, app: string): Map<string, string> {
  const text = readFileSync(join(root, 'docs', `${page}.md`), 'utf8')
  const [, section = ''] = text.split(`test/moving-in/${app}`)
  const [, patch = ''] = /```diff\n(.*?)```/s.exec(section) ?? []
  const files = filesOf(app)
  const changes = parsePatch(patch)
  expect(changes.length).toBeGreaterThan(2)
  for (const change of changes) {
    const path = change.oldFileName?.replace(/^a\//, '') ?? ''
    const after = applyPatch(files.get(path) ?? '', change)
    expect(after, `the patch of ${path} applies`).not.toBe(false)
    files.set(path, String(after))
  }
  return files
}

test.each([
  ['migrate-from-authjs', 'authjs-express'],
  ['migrate-from-authjs', 'authjs-sveltekit'],
  ['migrate-from-better-auth', 'better-auth-express'],
])('%s shows the change of %s that the command makes', (page, app) => {
  const byPage = patched(page, app)
  const [, version = ''] =
    /"@latchkey\/worker": "\^(.+?)"/.exec(byPage.get('package.json') ?? '') ?? []
  const files = filesOf(app)
  const byCommand = new Map([...files, ...migrateApp(files, version, now).changed])
  for (const [path, text] of byCommand) expect(byPage.get(path), path).toBe(text)
})
