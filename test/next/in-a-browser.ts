import type { Browser, BrowserContext, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { watch } from '../passkeys/person.ts'
import { endedToken } from '../support/ended-token.ts'
import type { NextApp } from './apps.ts'

const WORD = 'swordfish'

/** The app as built, and what signs its sessions. */
export interface Place {
  readonly app: NextApp
  readonly browser: Browser
  readonly secret: string
}

/** A tab, and what goes wrong in it. */
async function open(context: BrowserContext, url: string) {
  const page = await context.newPage()
  const wrong = await watch(page)
  await page.goto(url)
  return { page, wrong }
}

async function typePassword(page: Page, name: string, password = 'right'): Promise<void> {
  await page.getByLabel('User name').fill(name)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Waits until a page shows a text; Next repeats titles for screen readers elsewhere. */
const show = (page: Page, text: string) => page.locator('main', { hasText: text }).waitFor()
const heading = (page: Page) => page.locator('h1').textContent()
const said = (page: Page) => page.locator('output').textContent()

/** Signs in by the form, and ends at the page for members. */
async function enter(context: BrowserContext, app: NextApp, name: string): Promise<Page> {
  const { page } = await open(context, `${app.url}/unproxied`)
  await typePassword(page, name)
  await page.waitForURL(`${app.url}/members`)
  return page
}

/** As if the page had been left open until the token has ended. */
async function outliveToken(context: BrowserContext, { app, secret }: Place): Promise<void> {
  const cookies = await context.cookies()
  const own = cookies.find(({ name }) => name === 'auth.session-token')
  const [name = '', value = ''] = (
    await endedToken(`auth.session-token=${own?.value}`, secret)
  ).split('=')
  await context.addCookies([{ name, value, url: app.url, httpOnly: true, sameSite: 'Lax' }])
}

const tokenOf = async (context: BrowserContext) =>
  (await context.cookies()).find(({ name }) => name === 'auth.session-token')?.value

/** What a person does with the app in a browser, however it was built. */
export function testInABrowser(place: () => Place): void {
  const app = () => place().app

  test.each([true, false])(
    'a user signs in by the app’s own form, and out, with scripts: %s',
    async (javaScriptEnabled) => {
      const context = await place().browser.newContext({ javaScriptEnabled })
      const { page, wrong } = await open(context, `${app().url}/members?a=b`)
      expect(page.url()).toBe(
        `${app().url}/api/auth/signin?callbackUrl=${encodeURIComponent('/members?a=b')}`,
      )
      await page.goto(`${app().url}/unproxied`)
      await typePassword(page, 'ada', 'wrong')
      await page.waitForURL(/code=credentials$/)
      expect(await page.locator('main [role=alert]').textContent()).toBe('credentials')
      await typePassword(page, 'ada')
      await page.waitForURL(`${app().url}/members`)
      expect(await heading(page)).toBe(`Members, ada: ${WORD}`)
      await page.getByRole('link', { name: 'Home' }).click()
      await show(page, 'Home of ada')
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.waitForURL(`${app().url}/unproxied`)
      expect(await heading(page)).toBe('Unproxied, nobody')
      expect(await tokenOf(context)).toBe(undefined)
      if (javaScriptEnabled) expect(wrong).toEqual([])
      await context.close()
    },
  )

  test('a prefetch of guarded pages without a session does not outlive the sign-in', async () => {
    const context = await place().browser.newContext()
    const { page } = await open(context, 'about:blank')
    const prefetched = new Set<string>()
    page.on('response', (response) => {
      const isPrefetch = 'next-router-prefetch' in response.request().headers()
      if (isPrefetch) prefetched.add(new URL(response.url()).pathname)
    })
    await page.goto(`${app().url}/unproxied`)
    await expect
      .poll(() => [...prefetched])
      .toEqual(expect.arrayContaining(['/guarded', '/members']))
    await typePassword(page, 'ada')
    await page.waitForURL(`${app().url}/members`)
    for (const [link, text] of [
      ['Guarded', `The word behind the proxy is ${WORD}.`],
      ['Members', `Members, ada: ${WORD}`],
    ] as const) {
      await page.getByRole('link', { name: link }).click()
      await show(page, text)
    }
    await context.close()
  })

  test('after a sign-out neither the back button, nor the forward button, nor a link shows a guarded page', async () => {
    const context = await place().browser.newContext()
    const page = await enter(context, app(), 'ada')
    const askForSignIn = () => page.waitForURL(/\/api\/auth\/signin\?callbackUrl=/)
    await page.getByRole('link', { name: 'Guarded' }).click()
    await show(page, `The word behind the proxy is ${WORD}.`)
    await page.getByRole('link', { name: 'Home' }).click()
    await show(page, 'Home of ada')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await show(page, 'Unproxied, nobody')
    // The router has seen this page, and changes pages without loading one.
    await page.getByRole('link', { name: 'Guarded' }).click()
    await askForSignIn()
    await page.goBack()
    await show(page, 'Unproxied, nobody')
    await page.goBack()
    await show(page, 'Home of nobody')
    await page.goBack()
    await askForSignIn()
    await page.goForward()
    await show(page, 'Home of nobody')
    await page.getByRole('link', { name: 'Members' }).click()
    await askForSignIn()
    await context.close()
  })

  test('a page that is left open beyond the token’s life goes on, by links and by a refresh', async () => {
    const context = await place().browser.newContext()
    const page = await enter(context, app(), 'ada')
    for (const [role, name, text] of [
      ['link', 'Home', 'Home of ada'],
      ['button', 'Refresh', 'Home of ada'],
      ['link', 'Guarded', WORD],
      ['link', 'Members', 'Members, ada'],
    ] as const) {
      await outliveToken(context, place())
      const old = await tokenOf(context)
      await page.getByRole(role, { name }).click()
      await expect.poll(() => tokenOf(context)).not.toBe(old)
      await show(page, text)
    }
    await context.close()
  })

  test('a refresh shows that another tab has ended the session', async () => {
    const context = await place().browser.newContext()
    const page = await enter(context, app(), 'ada')
    await page.getByRole('link', { name: 'Home' }).click()
    await show(page, 'Home of ada')
    const other = await open(context, `${app().url}/unproxied`)
    await other.page.getByRole('button', { name: 'Sign out' }).click()
    await show(other.page, 'Unproxied, nobody')
    await page.getByRole('button', { name: 'Refresh' }).click()
    await show(page, 'Home of nobody')
    await context.close()
  })

  test('tabs with useSession show each other’s sign-in and sign-out', async () => {
    const context = await place().browser.newContext()
    const [one, other] = await Promise.all([
      open(context, `${app().url}/client`),
      open(context, `${app().url}/client`),
    ])
    const tabs = [one.page, other.page]
    const both = (text: string) => Promise.all(tabs.map((page) => show(page, text)))
    await both('Client, unauthenticated, nobody')
    await one.page.getByRole('button', { name: 'Sign in' }).click()
    await both('Client, authenticated, ada')
    await other.page.getByRole('button', { name: 'Sign out' }).click()
    await both('Client, unauthenticated, nobody')
    expect([one.wrong, other.wrong]).toEqual([[], []])
    await context.close()
  })

  test('actions that scripts call sign in, rename and sign out, and read what holds then', async () => {
    const context = await place().browser.newContext()
    const { page, wrong } = await open(context, `${app().url}/unproxied`)
    const click = (name: string) => page.getByRole('button', { name }).click()
    await click('Enter here')
    await expect.poll(() => said(page)).toBe('[null,"ada"]')
    await show(page, 'Unproxied, ada')
    await click('Ask the action')
    await expect.poll(() => said(page)).toBe(`"${WORD} for ada"`)
    await click('Rename')
    await expect.poll(() => said(page)).toBe('"Countess"')
    await show(page, 'Unproxied, Countess')
    await click('Leave here')
    await expect.poll(() => said(page)).toBe(`["${app().url}/unproxied",null]`)
    await show(page, 'Unproxied, nobody')
    expect(await tokenOf(context)).toBe(undefined)
    expect(wrong).toEqual([])
    await click('Ask the action')
    await page.waitForURL(/\/api\/auth\/signin/)
    await context.close()
  })
}
