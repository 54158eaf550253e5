import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { cookieOf, SECRET, signOut } from '../express/support.js'
import { type StoreApp, startStoreApp } from '../shared-store/start-store-app.js'
import { authjsCookies, headerOf, OLD_SECRET } from '../support/old-cookies.js'

const folder = mkdtempSync(join(tmpdir(), 'moving-in-'))
const apps: StoreApp[] = []
afterAll(async () => {
  await Promise.all(apps.map((app) => app.stop()))
  rmSync(folder, { recursive: true, force: true })
})

test('attack: of two processes one has met an auth route, and a session that moves in at either ends at a sign-out', async () => {
  const env = {
    AUTH_SECRET: SECRET,
    AUTH_URL: 'http://app.example.com',
    AUTH_STORE: `file:${join(folder, 'store.db')}`,
    OLD_SECRET,
  }
  const start = () => startStoreApp(env, 'test/shared-store/moving-in-app.ts')
  apps.push(await start(), await start())
  const [one, other] = apps as [StoreApp, StoreApp]
  const me = (app: StoreApp, cookie: string) => app.ask('/me', { headers: { cookie } })
  await one.ask('/api/auth/csrf')
  const old = headerOf(await authjsCookies())
  const early = await me(other, old)
  expect([early.text, early.cookies]).toEqual(['null', []])
  const cookie = cookieOf(await me(one, old))
  for (const app of apps) expect((await me(app, cookie)).text).toContain('Ada')
  await signOut(other, cookie, '/api/auth')
  for (const app of apps) expect((await me(app, cookie)).text).toBe('null')
})
