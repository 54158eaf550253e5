import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isPortBusy } from '../../scripts/ports.ts'
import { rootDir } from '../../scripts/wrangler-dev.ts'
import { ask, type Running, signIn } from '../express/support.ts'
import { launchBrowser } from '../support/browser.ts'
import { freePort } from '../support/free-port.ts'
import { type Example, SECRET, startExample } from '../sveltekit/example.ts'
import { testInABrowser } from '../sveltekit/in-a-browser.ts'
import { testPastTheHook } from '../sveltekit/past-the-hook.ts'
import { look, openEnhanced, openPage, typePassword } from '../sveltekit/person.ts'

/** examples/sveltekit on Node, with the auth routes in its process. */
let example: Example
let browser: Browser

beforeAll(async () => {
  example = await startExample('node')
  browser = await launchBrowser()
})

afterAll(async () => {
  await browser?.close()
  await example?.stop()
})

testInABrowser(
  'node',
  () => example,
  () => browser,
)
testPastTheHook(
  () => example,
  () => browser,
)

test('the page reports a wrong password and the right one signs in, without scripts', async () => {
  const page = await openPage(browser, { withScripts: false })
  await page.goto(`${example.url}/members`)
  await typePassword(page, 'wrong')
  expect(await page.getByRole('alert').getAttribute('data-code')).toBe('credentials')
  await typePassword(page, 'lovelace')
  await page.waitForURL(`${example.url}/members`)
  expect(await page.locator('main').textContent()).toContain('Signed in as Ada')
})

test('use:enhance does the same without leaving the page', async () => {
  const page = await openPage(browser)
  await openEnhanced(page, `${example.url}/signin?callbackUrl=/members`)
  await page.evaluate(() => document.body.setAttribute('data-stayed', ''))
  await typePassword(page, 'wrong')
  const alert = page.getByRole('alert')
  await alert.waitFor()
  expect(await alert.getAttribute('data-code')).toBe('credentials')
  await look(page, 'wrong-password')
  await typePassword(page, 'lovelace')
  await page.waitForURL(`${example.url}/members`)
  await page.getByText('swordfish').waitFor()
  // The layout's data was loaded again too.
  expect(await page.locator('header .account').textContent()).toBe('Ada')
  expect(await page.locator('body[data-stayed]').count()).toBe(1)
})

test('the client signs in and out and stays on its page', async () => {
  const page = await openPage(browser)
  await openEnhanced(page, `${example.url}/client`)
  await page.evaluate(() => document.body.setAttribute('data-stayed', ''))
  await typePassword(page, 'wrong')
  await page.getByText('Not signed in: CredentialsSignin, credentials.').waitFor()
  await look(page, 'client')
  await typePassword(page, 'lovelace')
  await page.getByText('Signed in as Ada').waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByText('Signed out.').waitFor()
  expect(await page.locator('header .account').textContent()).toBe('Sign in')
  expect(await page.locator('body[data-stayed]').count()).toBe(1)
})

test('the client goes to the video app, and back to its redirectTo', async () => {
  const page = await openPage(browser)
  await openEnhanced(page, `${example.url}/client`)
  await page.getByRole('button', { name: 'Continue with Video App' }).click()
  await page.waitForURL(`${example.sandboxUrl}/**`)
  await page.getByRole('button', { name: /Allow/ }).click()
  await page.waitForURL(`${example.url}/client`)
  await page.getByText('Signed in as').waitFor()
})

test('the app’s own page says that a person canceled at the video app', async () => {
  const page = await openPage(browser)
  await page.goto(`${example.url}/signin`)
  await page.getByRole('button', { name: 'Continue with Video App' }).click()
  await page.getByRole('button', { name: /Cancel/ }).click()
  await page.waitForURL(`${example.url}/signin?*error=OAuthCallbackError*`)
  expect(await page.getByRole('alert').textContent()).toContain('canceled')
})

test('the built app keeps its sessions where AUTH_STORE says, and a new process knows them', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kit-store-'))
  const port = await freePort()
  // Kit has it from the build.
  const origin = example.url
  const env = {
    PATH: process.env.PATH,
    HOST: '127.0.0.1',
    PORT: `${port}`,
    AUTH_URL: origin,
    AUTH_SECRET: SECRET,
    AUTH_STORE: `file:${join(folder, 'sessions.db')}`,
  }
  const begin = async () => {
    const built = join(rootDir, 'examples/sveltekit/build/node/index.js')
    const child = spawn(process.execPath, [built], { env, stdio: 'ignore' })
    await expect.poll(() => isPortBusy(port)).toBe(true)
    return child
  }
  const app = { ask: (path: string, options = {}) => ask(port, path, options) } as Running
  let child = await begin()
  try {
    const fields = { username: 'ada', password: 'lovelace' }
    const { cookie } = await signIn(app, { headers: { origin }, fields })
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
    child = await begin()
    const { text } = await app.ask('/auth/session?online=1', { headers: { cookie } })
    expect(JSON.parse(text)).toMatchObject({ user: { name: 'Ada' } })
  } finally {
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
})
