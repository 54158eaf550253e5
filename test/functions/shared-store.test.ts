import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, it } from 'vitest'
import { SECRET, signIn, signOut } from '../express/support.js'
import { type StoreApp, startStoreApp } from '../shared-store/start-store-app.js'

const folder = mkdtempSync(join(tmpdir(), 'shared-store-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const apps: StoreApp[] = []
afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.stop()))
})

let count = 0
const PASSWORD = 'p4ssw0rd-of-the-store'

async function start(env: Record<string, string>): Promise<StoreApp> {
  const app = await startStoreApp({
    AUTH_SECRET: SECRET,
    AUTH_URL: 'http://app.example.com',
    ...env,
  })
  apps.push(app)
  return app
}

it('a process that is killed and started anew signs nobody out, and brings no ended session back', async () => {
  const AUTH_STORE = `file:${join(folder, `${++count}.db`)}`
  const first = await start({ AUTH_STORE })
  const [ann, ben] = [await signIn(first), await signIn(first)]
  await signOut(first, ben.cookie)
  await first.kill()
  const next = await start({ AUTH_STORE })
  const session = (cookie: string) =>
    next.ask('/auth/session?online=1', { headers: { cookie } }).then(({ text }) => JSON.parse(text))
  expect(await session(ann.cookie)).toMatchObject({ user: { name: 'ann' } })
  expect(await session(ben.cookie)).toBeNull()
})

it.each([
  [`mysql://app:${PASSWORD}@localhost/app`, 'AUTH_STORE must be file:<path>'],
  [`postgres://app:${PASSWORD}#@localhost/app`, 'AUTH_STORE must be file:<path>'],
  [
    'file:/nowhere/at/all.db',
    'AUTH_STORE cannot be used. The file /nowhere/at/all.db cannot be opened',
  ],
])('an app with AUTH_STORE=%s says so at its start, and ends', async (AUTH_STORE, said) => {
  const error = await start({ AUTH_STORE }).then(
    // Opening a file is no step of the start itself.
    async (app) => {
      await expect.poll(() => app.said()).toContain(said)
      return new Error(app.said())
    },
    (thrown: Error) => thrown,
  )
  expect(error.message).toContain(said)
  expect(error.message).not.toContain(PASSWORD)
})
