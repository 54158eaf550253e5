import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DevServers } from '../../scripts/dev-servers.ts'
import { launchBrowser } from '../support/browser.ts'
import { startTestServers } from '../support/dev.ts'
import { look } from '../support/look.ts'

let servers: DevServers
let browser: Browser

beforeAll(async () => {
  servers = await startTestServers({}, 'wrangler.toml', 'scripts/demo-worker.ts')
  browser = await launchBrowser()
})

afterAll(async () => {
  await browser?.close()
  await servers?.stop()
})

test('a sign-in at the demo ends at a page with the session, and with ways on', async () => {
  const page = await (await browser.newContext({ javaScriptEnabled: false })).newPage()
  const root = `${servers.workerUrl}/`
  await page.goto(root)
  expect(page.url()).toBe(`${root}auth/signin`)
  await page.getByRole('button', { name: 'Continue with Video App' }).click()
  await page.getByLabel(/Tess/).check()
  await page.getByRole('button', { name: /Allow/ }).click()

  await page.waitForURL(root)
  await page.getByRole('heading', { name: 'It works' }).waitFor()
  // Her name is markup, unless the page escapes it.
  expect(await page.locator('pre').textContent()).toContain('"name": "Tess <b>Bold</b>')
  expect(await page.locator('pre b').count()).toBe(0)
  expect(await page.locator('main').textContent()).toContain('gives no email addresses')
  await look(page, 'demo')
  expect((await page.goto(root))?.headers()['cache-control']).toBe('no-store')
  for (const name of ['Your account', 'Mailbox', 'Sandbox', 'Sign out']) {
    const href = await page.getByRole('link', { name, exact: true }).getAttribute('href')
    const answer = await page.request.get(new URL(href ?? '', root).href)
    expect([name, answer.status()]).toEqual([name, 200])
  }
  await page.getByRole('link', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL(/\/auth\/signin/)
})
