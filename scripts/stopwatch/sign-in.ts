import type { Browser } from 'playwright-core'

/**
 * Signs in at the address at the end of a quick start, with the stand-in for the video app.
 *
 * @throws {Error} if the app does not show the user afterwards
 */
export async function signInAsAda(
  address: string,
  browser: Browser,
  base = '/auth',
): Promise<void> {
  const context = await browser.newContext()
  try {
    const page = await context.newPage()
    await page.goto(address)
    const link = page.getByRole('link', { name: 'Sign in', exact: true })
    const button = page.getByRole('button', { name: 'Continue with Video App' })
    await link.or(button).first().waitFor()
    if (await link.isVisible()) await link.click()
    await button.click()
    await page.getByLabel(/Ada/).check()
    await page.getByRole('button', { name: /Allow/ }).click()
    const { origin, pathname } = new URL(address)
    await page.waitForURL(`${origin}/**`)
    if (pathname === '/') await page.getByText('Hello Ada Example').waitFor()
    const session = await (await page.request.get(`${origin}${base}/session`)).text()
    if (!session.includes('Ada Example')) throw new Error(`No user is signed in at ${origin}.`)
  } finally {
    await context.close()
  }
}
