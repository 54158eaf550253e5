import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type StartedApp, startApp } from '../client/start-app.js'
import { watch } from '../passkeys/person.js'
import { launchBrowser } from '../support/browser.js'
import { look } from '../support/look.js'
import { addAuthenticator } from '../support/virtual-authenticator.js'

/** The parts for React in Chromium, in StrictMode, below a strict Content-Security-Policy. */
let browser: Browser
let app: StartedApp

beforeAll(async () => {
  const started = startApp()
  browser = await launchBrowser()
  app = await started
})
afterEach(async () => {
  await Promise.all(browser.contexts().map((one) => one.close()))
  app.replace(undefined)
})
afterAll(async () => {
  await browser?.close()
  await app?.stop()
})

const PROPS = encodeURIComponent(JSON.stringify({ hasProvider: true, parts: '/?after' }))

/** @param name who is signed in before the page opens */
async function open(name?: string, options?: BrowserContextOptions) {
  const context = await browser.newContext(options)
  if (name !== undefined) {
    const { csrfToken } = await (await context.request.get(`${app.url}/auth/csrf`)).json()
    const form = { csrfToken, name, password: 'lovelace' }
    await context.request.post(`${app.url}/auth/callback/password`, { form })
  }
  const page = await context.newPage()
  const wrong = await watch(page)
  const load = () => page.goto(`${app.url}/?props=${PROPS}`)
  return { page, wrong, load }
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const menu = (page: Page) => page.locator('[data-latchkey=user-button]')
const isOpen = (page: Page) => menu(page).evaluate((one) => (one as HTMLDetailsElement).open)

describe('<SignIn />', () => {
  test('lists each provider, and leaves for its page at once', async () => {
    const { page, wrong, load } = await open()
    await load()
    for (const name of ['Elsewhere', 'Email', 'Passkey']) {
      await button(page, `Continue with ${name}`).waitFor()
    }
    await look(page, 'parts-sign-in')
    await page.route('https://elsewhere.example/**', (route) => route.fulfill({ body: 'There' }))
    await button(page, 'Continue with Elsewhere').click()
    await page.waitForURL(/^https:\/\/elsewhere\.example\/authorize\?/)
    expect(wrong).toEqual([])
  })

  test('sends a mail to the address of its field', async () => {
    const { page, wrong, load } = await open()
    await load()
    await page.getByLabel('Email').fill('ada@films.example')
    await button(page, 'Continue with Email').click()
    await page.getByRole('heading', { name: 'Check your email' }).waitFor()
    expect(wrong).toEqual([])
  })

  test('has the fields of a password on the sign-in page', async () => {
    const { page, load } = await open()
    await load()
    await button(page, 'Continue with Credentials').click()
    await page.waitForURL(/\/auth\/signin\?callbackUrl=/)
    await page.getByLabel('name').first().waitFor()
  })

  test('without script opens the sign-in page, which leads to the same page afterwards', async () => {
    const { page, load } = await open(undefined, { javaScriptEnabled: false })
    await load()
    await button(page, 'Sign in').click()
    expect(page.url()).toBe(`${app.url}/auth/signin?callbackUrl=%2F%3Fafter`)
  })

  test('while the service fails, keeps the button of the sign-in page, and says that it failed', async () => {
    const { page, wrong, load } = await open()
    await load()
    const passkey = button(page, 'Continue with Passkey')
    await passkey.waitFor()
    app.replace(() => new Response('', { status: 502 }))
    await passkey.click()
    await page.getByRole('alert').getByText('Please try again.').waitFor()
    app.replace(undefined)
    await page.route('**/auth/providers', (route) => route.abort())
    await Promise.all([page.waitForEvent('requestfailed'), load()])
    await button(page, 'Sign in').waitFor()
    expect(await page.getByRole('button').count()).toBe(1)
    expect(wrong).toEqual([])
  })
})

describe('<UserButton />', () => {
  test('is in the HTML of the server, opens and closes by keys and clicks, and signs out here and in other tabs', async () => {
    const { page, wrong, load } = await open('Ada')
    const answer = await load()
    expect(await answer?.text()).toContain('<summary><span>Ada</span></summary>')
    const other = await page.context().newPage()
    await other.goto(page.url())
    await other.getByText('Somebody is signed in.').waitFor()
    await page.bringToFront()
    await menu(page).locator('summary').click()
    await look(page, 'parts-user-button')
    await page.keyboard.press('Escape')
    expect(await isOpen(page)).toBe(false)
    await page.keyboard.press('Enter')
    expect(await isOpen(page)).toBe(true)
    await page.getByText('Elsewhere').click()
    await expect.poll(() => isOpen(page)).toBe(false)
    await menu(page).locator('summary').click()
    await button(page, 'Sign out').click()
    await page.waitForURL(`${app.url}/?after`)
    await other.getByText('Nobody is signed in.').waitFor()
    expect(await menu(other).count()).toBe(0)
    expect(wrong).toEqual([])
  })

  test('leads to the account, and without script to the page that signs out', async () => {
    const { page, load } = await open('Ada', { javaScriptEnabled: false })
    await load()
    await menu(page).locator('summary').click()
    const account = page.getByRole('link', { name: 'Account' })
    expect(await account.getAttribute('href')).toBe('/auth/account')
    await button(page, 'Sign out').click()
    expect(page.url()).toBe(`${app.url}/auth/signout?callbackUrl=%2F%3Fafter`)
  })

  test('a person who signs in with a passkey by <SignIn /> is shown', async () => {
    const { page, wrong, load } = await open('Ada')
    await load()
    await addAuthenticator(page)
    await page.evaluate(() =>
      Object(globalThis).latchkey.signIn('passkey', { link: true, redirect: false }),
    )
    await menu(page).locator('summary').click()
    await button(page, 'Sign out').click()
    await page.waitForURL(`${app.url}/?after`)
    await load()
    await button(page, 'Continue with Passkey').click()
    await page.waitForURL(`${app.url}/?after`)
    await load()
    // A passkey has no name of its own: the label stands in its place.
    await menu(page).locator('summary', { hasText: 'Account' }).waitFor()
    expect(wrong).toEqual([])
  })
})

test.each(['parts', 'parts18'])('the example of the documentation works as %s', async (name) => {
  const { page, wrong } = await open('Ada')
  await page.goto(`${app.url}/example/${name}`)
  await menu(page).locator('summary').click()
  await page.getByRole('link', { name: 'Settings' }).waitFor()
  await button(page, 'Sign out').click()
  await page.waitForURL(`${app.url}/`)
  await page.goto(`${app.url}/example/${name}`)
  await button(page, 'Continue with Elsewhere').waitFor()
  expect(wrong).toEqual([])
})
