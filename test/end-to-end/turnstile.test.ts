import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DevServers } from '../../scripts/dev-servers.ts'
import { launchBrowser } from '../support/browser.ts'
import { startTestServers } from '../support/dev.ts'
import { look } from '../support/look.ts'
import { type Siteverify, startSiteverify } from '../support/siteverify.ts'

/** The shipped Worker with Turnstile, in a browser. Cloudflare's own script is never loaded. */
let turnstile: Siteverify
let servers: DevServers
let browser: Browser

const CLOUDFLARE = 'https://challenges.cloudflare.com/**'

beforeAll(async () => {
  turnstile = await startSiteverify()
  servers = await startTestServers(turnstile.env)
  browser = await launchBrowser()
})

afterAll(async () => {
  await browser?.close()
  await servers?.stop()
  turnstile?.stop()
})

/**
 * What Cloudflare's script does on a page, as far as our page can tell: in each container of the class a frame
 * of the same origin, styled by script, and a hidden field with the response.
 */
const STAND_IN = `
for (const place of document.querySelectorAll('.cf-turnstile')) {
  const frame = document.createElement('iframe')
  frame.src = 'https://challenges.cloudflare.com/widget?' + place.dataset.sitekey
  frame.title = 'Widget'
  Object.assign(frame.style, { border: 0, width: '100%', height: '65px', display: 'block' })
  const field = document.createElement('input')
  Object.assign(field, { type: 'hidden', name: 'cf-turnstile-response', value: responses.pop() })
  place.append(frame, field)
}`

/** A page with a working Turnstile, and the requests that its policy has blocked. */
async function openPage(): Promise<{ page: Page; kept: string[] }> {
  const context = await browser.newContext()
  await context.route(CLOUDFLARE, (route) => {
    if (!route.request().url().endsWith('/api.js')) {
      const body = '<body style="margin:0;background:#e5f6e5;font:16px sans-serif">Success!'
      return route.fulfill({ contentType: 'text/html', body })
    }
    const responses = JSON.stringify([turnstile.issue(), turnstile.issue(), turnstile.issue()])
    const body = `const responses = ${responses}\n${STAND_IN}`
    return route.fulfill({ contentType: 'text/javascript', body })
  })
  const page = await context.newPage()
  const kept: string[] = []
  page.on('console', (message) => {
    if (/policy/i.test(message.text())) kept.push(message.text())
  })
  return { page, kept }
}

const title = (page: Page) => page.locator('h1').textContent()

async function codeFor(address: string): Promise<string> {
  const arrived = async () => (await servers.readMails()).find(({ to }) => to.includes(address))
  const mail = await expect.poll(arrived).toBeDefined().then(arrived)
  return /^\d{6}$/m.exec(mail?.text ?? '')?.[0] ?? ''
}

test('a person signs in by mail past the widget, which every page of it shows', async () => {
  const { page, kept } = await openPage()
  await page.goto(`${servers.workerUrl}/auth/signin?callbackUrl=/auth/account`)
  const widget = page.frameLocator('iframe[title=Widget]')
  await widget.first().getByText('Success!').waitFor()
  await look(page, 'turnstile-sign-in')
  await page.getByLabel('Email address').fill('ada@example.com')
  await page.getByRole('button', { name: /sign-in/ }).click()
  await page.waitForURL('**/auth/verify-request?**')
  expect(await page.locator('form iframe[title=Widget]').count()).toBe(2)
  await look(page, 'turnstile-code')
  await page.getByLabel('Six-digit code').fill(await codeFor('ada@example.com'))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL('**/auth/account')
  await page.getByRole('link', { name: 'Add a way to sign in' }).click()
  await page.getByText('Add an email address').click()
  await widget.first().getByText('Success!').waitFor()
  await look(page, 'turnstile-account')
  await page.getByLabel('Email address').fill('bea@example.com')
  await page.getByRole('button', { name: 'Add this address' }).click()
  await page.waitForURL('**/auth/verify-request?**')
  expect(kept).toEqual([])
  expect(turnstile.asked).toHaveLength(3)
})

test('a form that is sent before the widget is done gets a message, and the user goes on from there', async () => {
  const context = await browser.newContext()
  // Cloudflare cannot be reached.
  await context.route(CLOUDFLARE, (route) => route.abort())
  const page = await context.newPage()
  const asked = turnstile.asked.length
  await page.goto(`${servers.workerUrl}/auth/signin?callbackUrl=/auth/account`)
  await page.getByLabel('Email address').fill('eve@example.com')
  const [answer] = await Promise.all([
    page.waitForResponse((response) => response.url().includes('/auth/error')),
    page.getByRole('button', { name: /sign-in/ }).click(),
  ])
  expect(answer.status()).toBe(403)
  expect(await title(page)).toBe('Access denied')
  await look(page, 'turnstile-refused')
  await page.getByRole('link', { name: 'Go to sign-in' }).click()
  expect(await page.getByRole('status').textContent()).toContain('Wait until the check is done')
  const target = page.locator('form[action$="/signin/email"] input[name=callbackUrl]')
  expect(await target.inputValue()).toBe(`${servers.workerUrl}/auth/account`)
  expect(turnstile.asked).toHaveLength(asked)
  expect((await servers.readMails()).some(({ to }) => to.includes('eve@example.com'))).toBe(false)
})

test('without scripts the form says that it needs them, and a provider’s button does not', async () => {
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(`${servers.workerUrl}/auth/signin`)
  const form = page.getByRole('form', { name: 'Email' })
  expect(await form.textContent()).toContain('This form needs JavaScript')
  await look(page, 'turnstile-without-script')
  await page.getByRole('button', { name: 'Continue with Video App' }).click()
  await page.getByLabel(/Ada/).waitFor()
})

test('while siteverify is down the page asks the user to try again', async () => {
  const { page } = await openPage()
  turnstile.answerWith((response) => void response.writeHead(500).end())
  await page.goto(`${servers.workerUrl}/auth/signin`)
  await page.frameLocator('iframe[title=Widget]').first().getByText('Success!').waitFor()
  await page.getByLabel('Email address').fill('mia@example.com')
  const [answer] = await Promise.all([
    page.waitForResponse((response) => response.url().endsWith('/auth/signin/email')),
    page.getByRole('button', { name: /sign-in/ }).click(),
  ])
  turnstile.answerWith(undefined)
  expect(answer.status()).toBe(503)
  expect(await title(page)).toBe('Sign-in is unavailable')
})
