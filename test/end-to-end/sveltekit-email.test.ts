import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { DevServers } from '../../scripts/dev-servers.ts'
import { freePort } from '../../scripts/ports.ts'
import { startWranglerDev, type WranglerDev } from '../../scripts/wrangler-dev.ts'
import { launchBrowser } from '../support/browser.ts'
import { startTestServers } from '../support/dev.ts'
import { buildExample } from '../sveltekit/example.ts'
import { look, openPage } from '../sveltekit/person.ts'

/** Sign-in by e-mail through examples/sveltekit: its own form, the Worker's mails. */
let folder: string
let servers: DevServers
let app: WranglerDev
let browser: Browser

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchkey-test-'))
  await buildExample()
  // Where the app and the Worker of this test find each other, and no others.
  vi.stubEnv('WRANGLER_REGISTRY_PATH', join(folder, 'registry'))
  servers = await startTestServers()
  app = await startWranglerDev({
    name: 'app',
    config: 'examples/sveltekit/wrangler.toml',
    port: await freePort(),
    persistTo: join(folder, 'state'),
  })
  browser = await launchBrowser()
})

afterAll(async () => {
  vi.unstubAllEnvs()
  await browser?.close()
  await Promise.all([app?.stop(), servers?.stop()])
  await rm(folder, { recursive: true, force: true })
})

async function askForMail(page: Page, address: string): Promise<{ link: string; code: string }> {
  await page.goto(`${app.url}/members`)
  await page.getByLabel('E-mail address').fill(address)
  await page.getByRole('button', { name: 'Continue with E-mail' }).click()
  await page.waitForURL(`${app.url}/auth/verify-request?**`)
  const arrived = async () => (await servers.readMails()).find(({ to }) => to.includes(address))
  const mail = await expect.poll(arrived, { timeout: 20_000 }).toBeDefined().then(arrived)
  const text = mail?.text ?? ''
  return { link: /http\S+/.exec(text)?.[0] ?? '', code: /^\d{6}$/m.exec(text)?.[0] ?? '' }
}

async function addressOf(context: BrowserContext): Promise<string | undefined> {
  const answer = await context.request.get(`${app.url}/auth/session`)
  return ((await answer.json()) as { user: { email: string } } | null)?.user.email
}

test.each([
  { withScripts: true, how: 'with scripts' },
  { withScripts: false, how: 'without scripts' },
])('the link of a mail leads back to the page that was wanted, $how', async ({ withScripts }) => {
  const page = await openPage(browser, { withScripts })
  const address = `link-${withScripts}@example.com`
  const { link } = await askForMail(page, address)
  expect(new URL(link).origin).toBe(app.url)
  await page.goto(link)
  await page.waitForURL(`${app.url}/members`)
  expect(await page.locator('main').textContent()).toContain('swordfish')
  expect(await addressOf(page.context())).toBe(address)
  if (withScripts) await look(page, 'email-members')
})

test('so does the code, and a stranger with the link gets no session unasked', async () => {
  const page = await openPage(browser)
  const { link, code } = await askForMail(page, 'code@example.com')
  const stranger = await openPage(browser)
  await stranger.goto(link)
  expect(await addressOf(stranger.context())).toBeUndefined()
  await page.getByLabel('Six-digit code').fill(code)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`${app.url}/members`)
  expect(await addressOf(page.context())).toBe('code@example.com')
})

test('what is no address is said on the app’s own page, and nobody is signed in', async () => {
  const page = await openPage(browser)
  await page.goto(`${app.url}/signin`)
  await look(page, 'email-sign-in')
  await page.getByLabel('E-mail address').fill('nobody@localhost')
  await page.getByRole('button', { name: 'Continue with E-mail' }).click()
  const alert = page.getByRole('alert')
  await alert.waitFor()
  expect(await alert.textContent()).toContain('That is not an e-mail address.')
  expect(await page.locator('main').textContent()).not.toContain('Six-digit code')
  expect(await addressOf(page.context())).toBeUndefined()
  await look(page, 'email-refused')
})
