import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { watch } from '../passkeys/person.ts'
import { look } from '../support/look.ts'
import { browser, servers } from './servers.ts'

const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1'
const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:144.0) Gecko/20100101 Firefox/144.0'

/** Signs in with a new browser, with scripts off, and ends on the account page. */
async function signIn(userAgent: string): Promise<Page> {
  const context = await browser.newContext({ javaScriptEnabled: false, userAgent })
  const page = await context.newPage()
  await signInAt(page)
  return page
}

async function signInAt(page: Page): Promise<void> {
  // Without a session the account page redirects to the sign-in page, which leads back here.
  await page.goto(`${servers.workerUrl}/auth/account/sessions`)
  await page.getByRole('button', { name: 'Continue with Video App' }).click()
  await page.getByLabel(/Ada/).check()
  await page.getByRole('button', { name: /Allow/ }).click()
  await page.waitForURL(`${servers.workerUrl}/auth/account/sessions`)
}

async function isSignedIn(page: Page): Promise<boolean> {
  const response = await page.request.get(`${servers.workerUrl}/auth/session`)
  return (await response.json()) !== null
}

const devices = (page: Page) => page.getByRole('listitem').locator('strong').allTextContents()

test('a person sees both of their browsers, signs the other one out, and then all', async () => {
  const phone = await signIn(IPHONE)
  await look(phone, 'account-one')
  expect(await devices(phone)).toEqual(['Safari on iPhone'])
  expect(await phone.getByRole('button', { name: /^Sign out/ }).allTextContents()).toHaveLength(2)
  await phone.goto(`${servers.workerUrl}/auth/account/ways`)
  const [way, ...more] = await phone.getByRole('group', { name: /^Video App/ }).all()
  expect(more).toEqual([])
  expect(await way?.getByRole('button').allTextContents()).toEqual([
    expect.stringMatching('Remove'),
  ])
  // A second account of the provider is offered behind a button, since most people have one.
  expect(await phone.getByRole('button', { name: 'Add Video App' }).count()).toBe(0)
  await phone.getByText('Add another account from the same provider…').click()
  expect(await phone.getByRole('button', { name: 'Add Video App' }).count()).toBe(1)

  const desktop = await signIn(FIREFOX)
  expect(await devices(desktop)).toEqual(['Firefox on Windows', 'Safari on iPhone'])
  await look(desktop, 'account-two')
  const [own, other] = await desktop.getByRole('listitem').all()
  expect(await own?.textContent()).toMatch(/This device[\s\S]*Video App/)
  expect(await own?.getByRole('button').count()).toBe(0)

  // A thief would have copied these cookies.
  const stolen = await phone.context().storageState()
  await other?.getByRole('button', { name: /^Sign out: Safari on iPhone/ }).click()
  await desktop.waitForURL(`${servers.workerUrl}/auth/account/sessions`)
  expect(await devices(desktop)).toEqual(['Firefox on Windows'])
  await expect.poll(() => isSignedIn(phone)).toBe(false)
  expect(await isSignedIn(desktop)).toBe(true)
  await phone.goto(`${servers.workerUrl}/auth/account`)
  expect(phone.url()).toContain('/auth/signin?callbackUrl=')
  const thief = await browser.newContext({ storageState: stolen, javaScriptEnabled: false })
  expect(await isSignedIn(await thief.newPage())).toBe(false)

  await signInAt(phone)
  await desktop.reload()
  expect(await devices(desktop)).toEqual(['Firefox on Windows', 'Safari on iPhone'])
  await desktop.getByRole('button', { name: 'Sign out everywhere', exact: true }).click()
  await desktop.waitForURL(/\/auth\/signin\?callbackUrl=/)
  expect(await isSignedIn(desktop)).toBe(false)
  await expect.poll(() => isSignedIn(phone)).toBe(false)

  // Signing in again works at once: a session that begins afterwards is not ended.
  await signInAt(desktop)
  expect(await devices(desktop)).toEqual(['Firefox on Windows'])
  expect(await isSignedIn(desktop)).toBe(true)
  await desktop.goto(`${servers.workerUrl}/auth/signin`)
  await desktop.getByRole('link', { name: 'Your account' }).click()
  await desktop.waitForURL(`${servers.workerUrl}/auth/account`)
})

test.each([
  ['America/Los_Angeles', 'en-US', /^[A-Z][a-z]+ \d+, \d{4} at \d+:\d\d\s[AP]M$/],
  ['Asia/Kathmandu', 'en-GB', /^\d+ [A-Z][a-z]+ \d{4} at \d\d:\d\d$/],
])(
  'with scripts times have the reader’s zone, %s, and clock',
  async (timezoneId, locale, exact) => {
    const context = await browser.newContext({ timezoneId, locale, userAgent: FIREFOX })
    const page = await context.newPage()
    const wrong = await watch(page)
    await signInAt(page)
    await page.goto(`${servers.workerUrl}/auth/account/sessions`)
    const [begun, used] = await page.getByRole('listitem').first().locator('time').all()
    expect(await begun?.textContent()).toMatch(/^(?:now|\d minutes? ago)$/)
    expect(await used?.textContent()).toBe('today')
    const title = (await begun?.getAttribute('title')) ?? ''
    expect(title).toMatch(exact)
    const moment = new Date((await begun?.getAttribute('datetime')) ?? '')
    const options = { dateStyle: 'long', timeStyle: 'short', timeZone: timezoneId } as const
    expect(title).toBe(moment.toLocaleString(locale, options))
    expect(await page.getByText('Times are in UTC').count()).toBe(0)
    const labels = await page
      .getByRole('button', { name: /^Sign out: / })
      .evaluateAll((buttons) => buttons.map((button) => button.getAttribute('aria-label')))
    for (const label of labels) expect(label).not.toContain('UTC')
    for (const name of ['Devices', 'Ways to sign in', 'Security', 'Overview']) {
      await page.getByRole('navigation').getByRole('link', { name }).click()
      const here = page.locator('[aria-current=page]')
      expect(await here.textContent()).toBe(name)
      await look(page, `account-${name.toLowerCase().replaceAll(' ', '-')}`)
    }
    expect(wrong).toEqual([])
    await context.close()
  },
)

test('twelve browsers fit on the page, and the last one ends all others at once', async () => {
  const pages: Page[] = []
  for (let count = 0; count < 12; count++) pages.push(await signIn(count % 2 ? IPHONE : FIREFOX))
  const last = pages.at(-1) as Page
  await last.reload()
  expect((await devices(last)).length).toBeGreaterThanOrEqual(12)
  await look(last, 'account-twelve')
  await last.getByRole('button', { name: 'Sign out everywhere else' }).click()
  await last.waitForURL(`${servers.workerUrl}/auth/account/sessions`)
  expect(await devices(last)).toHaveLength(1)
  for (const page of pages.slice(0, -1)) {
    await expect.poll(() => isSignedIn(page)).toBe(false)
  }
  expect(await isSignedIn(last)).toBe(true)
})
