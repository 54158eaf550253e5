import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { budgets } from '../test/support/budgets.ts'
import { bundleWorker } from '../test/support/bundle-worker.ts'
import { sources } from '../test/support/sources.ts'
import { type Bundle, bundle } from './bundle.ts'
import { measureStartUp } from './start-up.ts'
import { printColumns } from './table.ts'

/**
 * Prints what Workers with few abilities weigh and how long they take to start, beside the alternatives with the
 * same abilities.
 */
export async function benchWeights(): Promise<void> {
  const ours = await bundleOurs()
  const others = [
    ['@hono/auth-js, with GitHub alone', await bundle('auth-js', 'auth-js.ts')],
    ['better-auth, with GitHub alone', await bundle('better-auth', 'better-auth.ts')],
    ['bare Hono', await bundle('bare', 'bare.ts')],
  ] as const
  const all = [...ours, ...others]
  const empty = await bundle('empty', 'empty.ts')
  const times = await measureStartUp(
    all.map(([, one]) => one),
    empty,
  )
  const lines = all.map(([name, one]) => [
    name,
    `${(one.gzip / 1000).toFixed(1)} kB`,
    `${(times.get(one) ?? Number.NaN).toFixed(1)} ms`,
  ])
  printColumns(['', 'gzip', 'start-up above an empty isolate'], lines)
}

/** The bundles of the budgets that run as they are; the others lack a framework's part. */
async function bundleOurs(): Promise<(readonly [name: string, bundle: Bundle])[]> {
  const folder = await mkdtemp(join(import.meta.dirname, 'weighed-'))
  try {
    const bundles: (readonly [string, Bundle])[] = []
    for (const { name, entry, external } of budgets) {
      if (external) continue
      const file = join(folder, `${bundles.length}.js`)
      const shipped = join(import.meta.dirname, '../worker/src/worker.ts')
      if (entry !== undefined) await writeFile(file, entry)
      const entryFile = entry === undefined ? shipped : file
      const code = asUploaded(await bundleWorker(entryFile, sources, { minify: true }))
      const gzip = gzipSync(code, { level: 9 }).length
      bundles.push([name, { name: `ours-${bundles.length}`, code, gzip, startup: [], modules: [] }])
    }
    return bundles
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Escapes each character outside ASCII, as wrangler does in the bundles of others: V8 reads one byte a character sooner. */
function asUploaded(code: string): string {
  return code.replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
