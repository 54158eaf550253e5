import type { Browser } from 'playwright-core'
import { expect, test } from 'vitest'
import type { Example } from './example.ts'
import {
  cookiesOf,
  look,
  openEnhanced,
  openPage,
  signInWithVideoApp,
  untilStarted,
} from './person.ts'

/** A text that only the members' page shows. */
const SECRET_WORD = 'swordfish'

/** Everything that a person can do in the example, with the auth routes in process or forwarded. */
export function testInABrowser(name: string, example: () => Example, browser: () => Browser): void {
  test.each([
    { withScripts: true, how: 'with scripts' },
    { withScripts: false, how: 'without scripts' },
  ])('a person signs in with the video app, and out, $how', async ({ withScripts }) => {
    const { url } = example()
    const page = await openPage(browser(), { withScripts })
    await page.goto(`${url}/members?from=mail`)
    expect(page.url()).toBe(`${url}/signin?callbackUrl=${encodeURIComponent('/members?from=mail')}`)
    if (withScripts) await look(page, `${name}-sign-in`)
    await signInWithVideoApp(page, example())
    expect(page.url()).toBe(`${url}/members?from=mail`)
    expect(await page.locator('main').textContent()).toContain(SECRET_WORD)
    if (withScripts) await look(page, `${name}-members`)

    await page.getByRole('link', { name: 'Latchkey' }).click()
    await page.getByText('Signed in as Ada').waitFor()
    if (withScripts) await look(page, `${name}-home`)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('Nobody is signed in').waitFor()
    if (withScripts) await look(page, `${name}-nobody`)
    await page.goto(`${url}/members`)
    expect(page.url()).toBe(`${url}/signin?callbackUrl=%2Fmembers`)
  })

  test.each([
    { withScripts: true, how: 'with scripts' },
    { withScripts: false, how: 'without scripts' },
  ])('the back button shows nothing protected after a sign-out, $how', async ({ withScripts }) => {
    const { url } = example()
    const page = await openPage(browser(), { withScripts })
    const shown = async () => (await page.locator('header, main').allTextContents()).join()
    for (const [link, text] of [
      ['Members', SECRET_WORD],
      ['Notebook', 'A note to yourself'],
    ] as const) {
      await page.goto(`${url}/signin?callbackUrl=/`)
      await signInWithVideoApp(page, example())
      await page.getByRole('link', { name: link }).click()
      await page.getByText(text).waitFor()
      await page.locator('header .account').click()
      await page.locator('main').getByRole('button', { name: 'Sign out' }).click()
      await page.getByText('Nobody is signed in').waitFor()
      await page.goBack()
      await page.waitForURL(`${url}/signout`)
      await page.locator('h1', { hasText: 'Sign out' }).waitFor()
      expect(await shown()).not.toContain('Ada')
      await page.goBack()
      // If scripts are on, Kit shows the sign-in page under the protected page's address.
      await page.locator('h1', { hasText: 'Sign in' }).waitFor()
      expect(await shown()).not.toContain(text)
    }
  })

  test('a sign-out in one tab is noticed in the others', async () => {
    const { url } = example()
    const page = await openPage(browser())
    await page.goto(`${url}/signin?callbackUrl=/client`)
    await signInWithVideoApp(page, example())
    const [members, home] = [await page.context().newPage(), await page.context().newPage()]
    await members.goto(`${url}/members`)
    await home.goto(url)
    await home.getByText('Signed in as Ada').waitFor()
    for (const tab of [members, home, page]) await untilStarted(tab)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('Signed out.').waitFor()
    // No click happens in either tab.
    await home.getByText('Nobody is signed in').waitFor()
    await members.waitForURL(`${url}/signin?callbackUrl=%2Fmembers`)
    expect(await members.locator('main').textContent()).not.toContain(SECRET_WORD)
  })

  test('a sign-out by a form is noticed when a person returns to another tab', async () => {
    const { url } = example()
    const page = await openPage(browser())
    await page.goto(`${url}/signin?callbackUrl=/signout`)
    await signInWithVideoApp(page, example())
    const members = await page.context().newPage()
    await members.goto(`${url}/members`)
    await untilStarted(members)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('Nobody is signed in').waitFor()
    await members.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
    await members.waitForURL(`${url}/signin?callbackUrl=%2Fmembers`)
  })

  test('a form action of a protected page works, with its data', async () => {
    const { url } = example()
    const page = await openPage(browser())
    await page.goto(`${url}/authenticated/notebook`)
    expect(page.url()).toBe(`${url}/signin?callbackUrl=%2Fauthenticated%2Fnotebook`)
    await signInWithVideoApp(page, example(), /Grace/)
    await openEnhanced(page, `${url}/authenticated/notebook`)
    await page.getByLabel('A note to yourself').fill('Buy a loaf of bread')
    await page.getByRole('button', { name: 'Write it down' }).click()
    await page.getByText('Buy a loaf of bread', { exact: true }).waitFor()
    await look(page, `${name}-notebook`)
  })

  test('a target on another site is not followed', async () => {
    const page = await openPage(browser())
    await page.goto(`${example().url}/signin?callbackUrl=https://evil.example/`)
    await signInWithVideoApp(page, example())
    expect(new URL(page.url()).pathname).toBe('/')
  })

  test('the prerendered page is the same for all users and sets no cookie', async () => {
    const { url } = example()
    const page = await openPage(browser(), { withScripts: false })
    const before = await example().ask('/about')
    await page.goto(`${url}/signin`)
    await signInWithVideoApp(page, example())
    const cookie = await cookiesOf(page)
    const after = await example().ask('/about', { headers: { cookie } })
    expect([before.status, after.status]).toEqual([200, 200])
    expect(after.text).toBe(before.text)
    expect([...before.cookies, ...after.cookies]).toEqual([])
    expect(after.text).toContain('session:null')
    await page.goto(`${url}/about`)
    expect(await page.locator('header').textContent()).not.toMatch(/Ada|Sign in/)
    await look(page, `${name}-about`)
    // The page's links lead to their targets, not to the sign-in page that a build without a
    // session got.
    await page.locator('main').getByRole('link', { name: 'The notebook' }).click()
    await page.getByText('A note to yourself').waitFor()
  })
}
