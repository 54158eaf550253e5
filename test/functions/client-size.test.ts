import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundleBrowser } from '../support/bundle-browser.js'

/** The bytes that a page loads of the client, minified and by gzip -9, by file. */
async function weights(entry: string) {
  entries += 1
  const file = join(folder, `${entries}.js`)
  await writeFile(file, entry)
  const files = await bundleBrowser(file, { external: [/^react/, /^\$app/] })
  return Object.fromEntries(
    [...files].map(([name, code]) => [name, gzipSync(code, { level: 9 }).length]),
  )
}

let folder: string
let entries = 0
beforeAll(async () => {
  folder = await mkdtemp(join(import.meta.dirname, 'weighed-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('a page loads', () => {
  test.each([
    ['the client', `export * from '@latchkey/client'`, 2_000],
    ['the client with React', `export * from '@latchkey/client/react'`, 2_450],
    ['the SvelteKit client', `export { signIn, signOut } from '@latchkey/sveltekit/client'`, 1_810],
  ])('%s, and passkeys only when they are used', async (_, entry, bytes) => {
    const { 'index.js': all = 0, 'passkey.js': later = 0, ...others } = await weights(entry)
    expect(all).toBeLessThanOrEqual(bytes)
    // A budget that is far above the weight holds nothing back.
    expect(all).toBeGreaterThan(bytes * 0.97)
    expect(later).toBeGreaterThan(600)
    expect(later).toBeLessThanOrEqual(720)
    expect(others).toEqual({})
  })
})
