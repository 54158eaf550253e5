import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { budgets } from '../support/budgets.js'
import { bundleWorker } from '../support/bundle-worker.js'
import { sources } from '../support/sources.js'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(import.meta.dirname, 'weighed-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('a bundle stays within its budget', () => {
  test.each(budgets)('$name', async ({ name, entry, bytes, external = [] }) => {
    const shipped = join(import.meta.dirname, '../../worker/src/worker.ts')
    const file = entry === undefined ? shipped : join(folder, `${name.replaceAll(' ', '-')}.js`)
    if (entry !== undefined) await writeFile(file, entry)
    const code = await bundleWorker(file, sources, { minify: true, external })
    const weight = gzipSync(code, { level: 9 }).length
    expect(weight).toBeLessThanOrEqual(bytes)
    // A budget that is far above the weight holds nothing back.
    expect(weight).toBeGreaterThan(bytes * 0.97)
  })

  test('which docs/features.md says', async () => {
    const page = await readFile(join(import.meta.dirname, '../../docs/features.md'), 'utf8')
    const [, table = ''] = page.split('## What it weighs\n')
    const said = [...table.matchAll(/^\| (.+) \| ([\d.]+) \|$/gm)].map(([, ...row]) => row)
    expect(said).toEqual(budgets.map(({ name, bytes }) => [name, String(bytes / 1_000)]))
  })

  test('a Worker by a quick start is minified, as these are', async () => {
    const pages = ['docs/quick-start-worker.md', 'docs/web-first-app.md', 'worker/README.md']
    for (const name of [
      ...pages,
      'cli/src/init/kinds/worker.ts',
      'examples/worker/wrangler.toml',
    ]) {
      const text = await readFile(join(import.meta.dirname, '../..', name), 'utf8')
      expect([name, /^minify = true$/m.test(text)]).toEqual([name, true])
    }
  })

  test('the bundle of an app that forwards has no part of the service', async () => {
    for (const { name, entry = '', external = [] } of budgets.filter((one) =>
      one.name.includes('forwards'),
    )) {
      const file = join(folder, `${name.replaceAll(' ', '-')}-read.js`)
      await writeFile(file, entry)
      const code = await bundleWorker(file, sources, { external })
      expect(code).not.toContain('createAuth')
      expect(code).not.toContain('memoryStore')
    }
  })
})
