import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rootDir, startWranglerDev, type WranglerDev } from '../../scripts/wrangler-dev.ts'
import { freePort } from '../support/free-port.ts'

/** A Worker of the tests. Named by its entry, so that it is seen to be in use. */
const worker = fileURLToPath(import.meta.resolve('./passwords-worker/worker.ts'))

let dev: WranglerDev
beforeAll(async () => {
  const config = worker.replace('worker.ts', 'wrangler.toml')
  dev = await startWranglerDev({ name: 'passwords worker', port: await freePort(), config })
})
afterAll(() => dev?.stop())

/** For each pair: is this the password of the hash? `new`: for a hash that the Worker makes. */
async function verified(...pairs: readonly (readonly [hash: string, password: string])[]) {
  const answer = await fetch(dev.url, { method: 'POST', body: JSON.stringify(pairs) })
  return answer.json()
}

/** The hashes of the page about them. */
const docs = readFileSync(join(rootDir, 'docs/passwords.md'), 'utf8')
const shown = [...docs.matchAll(/^\| `([^`]+)` \|/gm)].map(([, hash = '']) => hash)

test('a Worker verifies each hash that docs/passwords.md shows, and no other password', async () => {
  expect(shown).toHaveLength(7)
  const isRight = await verified(...shown.map((hash) => [hash, 'Gürteltier 🦔'] as const))
  const isWrong = await verified(...shown.map((hash) => [hash, 'Gürteltier 🐢'] as const))
  expect({ isRight, isWrong }).toEqual({
    isRight: shown.map(() => true),
    isWrong: shown.map(() => false),
  })
})

test('a Worker makes a new hash, by the module that wrangler has compiled', async () => {
  expect(await verified(['new', 'Gürteltier'])).toEqual([true])
})

test('PBKDF2 that a deployed Worker refuses to compute is verified all the same', async () => {
  const many = 'pbkdf2_sha256$120000$saltysalt$@'
  expect(
    await verified([many.replace('@', MANY), 'Gürteltier 🦔'], [many.replace('@', MANY), 'x']),
  ).toEqual([true, false])
})

/** A key of 120,000 iterations, by Node. */
const MANY = 'xenUn7h5k+DpwQWacGfoCMers5lguQH83EBovHUEzvA='
