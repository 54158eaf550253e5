import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundleWorker } from '../support/bundle-worker.js'
import { sources } from '../support/sources.js'

/** Names that stay in a bundle, from the code of a ceremony and from the script of the pages. */
const OF_PASSKEYS = ['attestationObject', 'excludeCredentials', 'parseRequestOptionsFromJSON']

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
