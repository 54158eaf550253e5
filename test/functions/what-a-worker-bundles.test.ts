import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundleWorker } from '../support/bundle-worker.js'
import { sources } from '../support/sources.js'

/** Names that stay in a bundle, from the code of a ceremony and from the script of the pages. */
const OF_PASSKEYS = ['attestationObject', 'excludeCredentials', 'parseRequestOptionsFromJSON']

/** Names from the stores of Node, and from the code that opens them. */
const OF_STORES = [
  'getBuiltinModule',
  'node:sqlite',
  'createRequire',
  'pg_advisory_xact_lock',
  'ZADD',
]

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(import.meta.dirname, 'bundled-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function bundledWith(provider: string, options: string): Promise<string> {
  const entry = join(folder, `${provider}.js`)
  await writeFile(
    entry,
    `import { createAuth } from '@latchkey/worker'
import provider from '@latchkey/worker/providers/${provider}'
export default createAuth({ providers: [provider(${options})] })`,
  )
  return bundleWorker(entry, sources)
}

test('a Worker without passkeys has no code of theirs', async () => {
  const bundle = await bundledWith('github', '')
  expect(OF_PASSKEYS.filter((name) => bundle.includes(name))).toEqual([])
})

test('a Worker with passkeys has it', async () => {
  const bundle = await bundledWith('passkey', "{ rpName: 'Example' }")
  expect(OF_PASSKEYS.filter((name) => bundle.includes(name))).toEqual(OF_PASSKEYS)
})

test('a Worker needs and has no part of the stores of Node', async () => {
  const bundle = await bundledWith('github', '')
  expect(OF_STORES.filter((name) => bundle.includes(name))).toEqual([])
})

test('an app on Workers that answers the auth routes itself has none either', async () => {
  const entry = join(folder, 'app.js')
  await writeFile(
    entry,
    `import { authHandler } from '@latchkey/hono'
import provider from '@latchkey/worker/providers/github'
import { Hono } from 'hono'
export default new Hono().all('/auth/*', authHandler({ providers: [provider()] }))`,
  )
  const bundle = await bundleWorker(entry, sources)
  expect(bundle).toContain('AUTH_STORE')
  expect(OF_STORES.filter((name) => bundle.includes(name))).toEqual([])
})

test('the stores of Node have the marks that the test looks for in a bundle', async () => {
  const entry = join(folder, 'stores.js')
  const kinds = ['sqlite', 'postgres', 'redis']
  const lines = kinds.map((kind) => `export * as ${kind} from '@latchkey/worker/stores/${kind}'`)
  await writeFile(entry, lines.join('\n'))
  const bundle = await bundleWorker(entry, sources)
  // It is asked of the process by name, and so no import.
  const names = OF_STORES.filter((name) => name !== 'node:sqlite')
  expect(names.filter((name) => bundle.includes(name))).toEqual(names)
  expect(bundle).not.toMatch(/from ?["']node:|import\(|require\(["']/)
})

test('a reader of standard requests needs no module of Node', async () => {
  const entry = join(folder, 'reader.js')
  await writeFile(entry, `export { webAuth } from '@latchkey/web/forward'`)
  // Without comments.
  const bundle = await bundleWorker(entry, sources, { minify: true })
  // The variables of a process are looked for, and may be absent.
  const names = /["'`]node:|\bBuffer\b(?=\.|\?)|\brequire\(|\bprocess\.|\bsetImmediate\b|__dirname/g
  expect(bundle.match(names) ?? []).toEqual([])
})
