import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serve } from '@hono/node-server'
import { createSandbox, defaultClient } from '@latchkey/sandbox'
import { createAuth } from '@latchkey/worker'
import passkey from '@latchkey/worker/providers/passkey'
import videoapp from '@latchkey/worker/providers/videoapp'
import { memoryStore } from '@latchkey/worker/stores/memory'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sandboxSettings } from '../../scripts/dev-servers.ts'
import { buildNextApp, type NextApp, startNextApp } from '../next/apps.ts'
import { launchBrowser } from '../support/browser.ts'
import { freePort } from '../support/free-port.ts'
import { addAuthenticator } from '../support/virtual-authenticator.ts'

/** `examples/next` as it is built: with the auth routes in its process, and by a variable from a Worker. */
const AUTH_SECRET = 'a-secret-of-the-built-apps-0123456789ab'
const stops: (() => unknown)[] = []
let browser: Browser
let inProcess: NextApp
let forwarded: NextApp
/** Starts the app in process again, with its file of sessions. */
let restart: () => Promise<void>

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-next-'))
  stops.push(() => rm(folder, { recursive: true, force: true }))
  const [own, other] = [await freePort(), await freePort()]
  const [sandboxPort, workerPort] = [await freePort(), await freePort()]
  const redirectUris = [own, other].map(
    (port) => `http://localhost:${port}/api/auth/callback/videoapp`,
  )
  const sandbox = createSandbox({ clients: [{ ...defaultClient, redirectUris }] })
  const worker = createAuth({
    basePath: '/api/auth',
    store: memoryStore(),
    providers: [videoapp(), passkey({ rpName: 'Latchkey example' })],
    trustedOrigins: [`http://localhost:${other}`],
    logger: { error() {}, warn() {} },
  })
  const env = { ...sandboxSettings(sandboxPort), AUTH_SECRET }
  const services = [
    [sandbox.fetch, sandboxPort],
    [(request: Request) => worker.fetch(request, env), workerPort],
  ] as const
  for (const [fetch, port] of services) {
    const server = serve({ fetch, port })
    stops.push(() => server.close())
  }
  const built = await buildNextApp({ source: '../../examples/next' })
  stops.push(() => built.remove())
  const begin = () =>
    startNextApp(built.folder, {
      ...env,
      PORT: String(own),
      AUTH_STORE: `file:${join(folder, 'auth.db')}`,
    })
  inProcess = await begin()
  stops.push(() => inProcess.stop())
  restart = async () => {
    await inProcess.stop()
    inProcess = await begin()
  }
  const AUTH_WORKER_URL = `http://localhost:${workerPort}/api/auth`
  forwarded = await startNextApp(built.folder, { AUTH_WORKER_URL, PORT: String(other) })
  stops.push(() => forwarded.stop())
  browser = await launchBrowser()
  stops.push(() => browser.close())
})
afterAll(async () => {
  for (const stop of stops.reverse()) await stop()
})

async function open(options: BrowserContextOptions = {}): Promise<Page> {
  return (await browser.newContext(options)).newPage()
}

/** On the provider's page. */
async function allow(page: Page): Promise<void> {
  await page.getByLabel(/Ada/).check()
  await page.getByRole('button', { name: /Allow/ }).click()
}

const click = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const account = (page: Page, text: string) =>
  page.locator('header .account', { hasText: text }).waitFor()

test('without JavaScript a person goes from the guarded page to the provider, is known after a restart, and signs in again by the app’s own form', async () => {
  const { url } = inProcess
  const page = await open({ javaScriptEnabled: false })
  await page.goto(`${url}/members`)
  expect(page.url()).toBe(`${url}/api/auth/signin?callbackUrl=%2Fmembers`)
  await click(page, 'Continue with Video App')
  await allow(page)
  await page.waitForURL(`${url}/members`)
  await page.getByText('Hello Ada Example. The word at the door is swordfish.').waitFor()
  await restart()
  await page.goto(url)
  await page.getByRole('heading', { name: 'Hello Ada Example' }).waitFor()
  await account(page, 'Ada Example')
  expect(await (await page.request.get(`${url}/api/me`)).json()).toMatchObject({
    name: 'Ada Example',
  })
  await click(page, 'Sign out')
  await page.getByRole('heading', { name: 'Nobody is signed in' }).waitFor()
  for (const password of ['byron', 'lovelace']) {
    await page.getByLabel('User name').fill('ada')
    await page.getByLabel('Password').fill(password)
    await click(page, 'Sign in')
    if (password === 'byron')
      await page.getByText('The user name or the password is wrong.').waitFor()
  }
  await page.waitForURL(`${url}/members`)
  await page.getByText('Hello Ada. The word at the door is swordfish.').waitFor()
})

test.each([
  ['in process', () => inProcess],
  ['by a Worker', () => forwarded],
])(
  '%s a person creates an account with a passkey, is named on a static page, and signs in with it again',
  async (_, app) => {
    const { url } = app()
    const page = await open()
    await addAuthenticator(page)
    await page.goto(url)
    await click(page, 'Create an account with a passkey')
    await page.waitForURL(`${url}/members`)
    await page.getByText('The word at the door is swordfish.').waitFor()
    await page.getByRole('link', { name: 'About' }).click()
    await page.getByRole('heading', { name: 'About' }).waitFor()
    await account(page, 'Account')
    await page.locator('header .account summary').click()
    await page.getByRole('link', { name: 'Account' }).waitFor()
    await page.getByRole('link', { name: 'Home' }).click()
    await click(page, 'Sign out')
    await page.getByRole('heading', { name: 'Nobody is signed in' }).waitFor()
    await account(page, 'Not signed in')
    await click(page, 'Sign in with a passkey')
    await page.waitForURL(`${url}/members`)
  },
)

test('by a Worker a person signs in and out with the app’s own forms, and nothing guarded is left', async () => {
  const { url } = forwarded
  const page = await open()
  await page.goto(url)
  expect(await page.getByLabel('Password').count()).toBe(0)
  await click(page, 'Continue with Video App')
  await allow(page)
  await page.waitForURL(`${url}/members`)
  await page.getByText('Hello Ada Example. The word at the door is swordfish.').waitFor()
  await page.getByRole('link', { name: 'Home' }).click()
  await click(page, 'Sign out')
  await page.getByRole('heading', { name: 'Nobody is signed in' }).waitFor()
  await account(page, 'Not signed in')
  await page.goBack()
  await page.waitForURL(/\/members$|\/api\/auth\/signin/)
  await page.reload()
  expect(await page.locator('body').textContent()).not.toMatch(/Ada Example|swordfish/)
  const refused = await fetch(`${url}/api/me`, { headers: { accept: 'application/json' } })
  expect([refused.status, await refused.json()]).toEqual([401, { error: 'SessionRequired' }])
  expect(refused.headers.get('cache-control')).toBe('private, no-store')
})
