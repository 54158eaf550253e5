import type { Browser, Page } from 'playwright-core'
import { expect } from 'vitest'
import { look as takePictures } from '../support/look.ts'
import type { Example } from './example.ts'

/** A new browser. If scripts are on, a page is ready once its scripts handle the forms. */
export async function openPage(browser: Browser, { withScripts = true } = {}): Promise<Page> {
  const context = await browser.newContext({ javaScriptEnabled: withScripts })
  await context.addInitScript(() => {
    const { addEventListener } = EventTarget.prototype
    EventTarget.prototype.addEventListener = function (type, ...rest) {
      if (this instanceof HTMLFormElement) this.dataset.listens = type
      // Kit sets this last when it starts.
      if (type === 'popstate') document.documentElement.dataset.started = ''
      addEventListener.call(this, type, ...rest)
    }
  })
  return context.newPage()
}

/** Opens a page with a form that a script takes over, and waits until it has. */
export async function openEnhanced(page: Page, url: string): Promise<void> {
  await page.goto(url)
  await page.locator('form[data-listens=submit]').first().waitFor()
}

/** Waits until the page's scripts run: it notices other tabs, and its buttons work. */
export function untilStarted(page: Page): Promise<void> {
  return page.locator('html[data-started]').waitFor()
}

/** Starts on the page with the button, and ends on the page that the app redirects to. */
export async function signInWithVideoApp(page: Page, example: Example, name = /Ada/) {
  await page.getByRole('button', { name: 'Continue with Video App' }).click()
  await page.waitForURL(`${example.sandboxUrl}/**`)
  await page.getByLabel(name).check()
  await page.getByRole('button', { name: /Allow/ }).click()
  await page.waitForURL(`${example.url}/**`)
}

export async function typePassword(page: Page, password: string): Promise<void> {
  await page.getByLabel('User name').fill('ada')
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** The cookies of this browser, as it would send them. */
export async function cookiesOf(page: Page): Promise<string> {
  const cookies = await page.context().cookies()
  expect(cookies.map(({ name }) => name)).toContain('auth.session-token')
  return cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
}

export function look(page: Page, name: string): Promise<void> {
  return takePictures(page, `sveltekit-${name}`)
}
