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

/** What each page with React uses, without the parts. */
const HOOKS = '{ SessionProvider, useSession, signIn, signOut, getSession }'

describe('a page loads', () => {
  test.each([
    ['the client', `export * from '@latchkey/client'`, 2_030],
    ['the client with React', `export ${HOOKS} from '@latchkey/client/react'`, 2_470],
    ['the SvelteKit client', `export { signIn, signOut } from '@latchkey/sveltekit/client'`, 1_820],
  ])('%s, and passkeys only when they are used', async (_, entry, bytes) => {
    const { 'index.js': all = 0, 'passkey.js': later = 0, ...others } = await weights(entry)
    expect(all).toBeLessThanOrEqual(bytes)
    // A budget that is far above the weight holds nothing back.
    expect(all).toBeGreaterThan(bytes * 0.97)
    expect(later).toBeGreaterThan(600)
    expect(later).toBeLessThanOrEqual(720)
    expect(others).toEqual({})
  })

  /** Each part is loaded only by a page that imports it. */
  test.each([
    ['SignIn', 620],
    ['UserButton', 640],
    ['SignedIn', 60],
    ['SignedOut', 60],
  ])('<%s /> by at most %i bytes more than the hooks, if it imports it', async (name, bytes) => {
    const [hooks, part] = [HOOKS, HOOKS.replace('}', `, ${name} }`)].map((names) =>
      weights(`export ${names} from '@latchkey/client/react'`),
    )
    const more = ((await part)?.['index.js'] ?? 0) - ((await hooks)?.['index.js'] ?? 0)
    expect(more).toBeGreaterThan(0)
    expect(more).toBeLessThanOrEqual(bytes)
  })
})
