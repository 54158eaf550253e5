import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { expect } from 'vitest'

/** A page of a new browser, in which nothing may break the Content-Security-Policy or throw. */
export interface Opened {
  readonly page: Page
  /** The errors of the page. */
  readonly wrong: string[]
}

export async function open(browser: Browser, options?: BrowserContextOptions): Promise<Opened> {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  return { page, wrong: await watch(page) }
}

/** @returns what goes wrong in a page from now on */
export async function watch(page: Page): Promise<string[]> {
  const wrong: string[] = []
  page.on('pageerror', (error) => wrong.push(String(error)))
  page.on('console', (message) => {
    // The console shows refusals of the service too.
    if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) {
      wrong.push(message.text())
    }
  })
  await page.addInitScript(() =>
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      console.error(`${violatedDirective} refuses ${blockedURI}`),
    ),
  )
  return wrong
}

export const button = {
  signIn: (page: Page) => page.getByRole('button', { name: 'Sign in with a passkey' }),
  signUp: (page: Page) => page.getByRole('button', { name: 'Create an account with a passkey' }),
  add: (page: Page) => page.getByRole('button', { name: 'Add a passkey' }),
  remove: (page: Page) => page.getByRole('button', { name: /^Remove/ }),
}

/** Shows the form for an account with a passkey, which is folded on a page with other fields. */
export async function unfoldSignUp(page: Page): Promise<void> {
  const name = 'Create an account with a passkey'
  await page.getByText(name).filter({ visible: true }).first().waitFor()
  const folded = page.locator('details:not([open]) > summary', { hasText: name })
  if (await folded.isVisible()) await folded.click()
}

/** Creates an account with a passkey. */
export async function clickSignUp(page: Page): Promise<void> {
  await unfoldSignUp(page)
  await button.signUp(page).click()
}

export interface Person {
  readonly id: string
  readonly name: string | null
}

/** The signed-in person. */
export async function personIn(page: Page, url: string): Promise<Person | undefined> {
  const answer = await page.request.get(`${url}/auth/session`)
  return ((await answer.json()) as { user: Person } | null)?.user
}

/**
 * Why the browser gives a page no credential for the next ceremony with a passkey that there is:
 * the name of the error. Asked before the ceremony begins. A virtual authenticator may act on
 * earlier settings at once.
 */
export function refusal(page: Page): Promise<string> {
  return page.evaluate(
    () =>
      new Promise<string>((resolve) => {
        const { get } = navigator.credentials
        navigator.credentials.get = (options) => {
          const given = get.call(navigator.credentials, options)
          given.catch(({ name }) => resolve(name))
          return given
        }
      }),
  )
}

/** Ends on a page without autofill: an authenticator without a person takes every offer. */
export async function signOut(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/auth/signout?callbackUrl=/auth/providers`)
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.waitForURL(`${url}/auth/providers`)
  expect(await personIn(page, url)).toBeUndefined()
}

/** The ceremonies that a page begins from now on, in their order. */
export function ceremonies(page: Page): string[] {
  const begun: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/auth/passkey/options')) {
      begun.push((request.postDataJSON() as { for: string }).for)
    }
  })
  return begun
}
