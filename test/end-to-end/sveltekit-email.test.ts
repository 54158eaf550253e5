import type { SandboxMail } from '@latchkey/sandbox'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { type Example, startExample } from '../sveltekit/example.ts'
import { look, openPage } from '../sveltekit/person.ts'

/** Sign-in by e-mail through examples/sveltekit as its reader starts it: its own form, the Worker's mails. */
let app: Example
let browser: Browser

beforeAll(async () => {
  app = await startExample('worker')
  browser = await launchBrowser()
})

afterAll(async () => {
  await browser?.close()
  await app?.stop()
})

async function askForMail(page: Page, address: string): Promise<void> {
  await page.goto(`${app.url}/members`)
  await page.getByLabel('E-mail address').fill(address)
  await page.getByRole('button', { name: 'Continue with E-mail' }).click()
  await page.waitForURL(`${app.url}/auth/verify-request?**`)
}

async function readMail(address: string): Promise<{ link: string; code: string }> {
  const arrived = async () => {
    const mails = await fetch(`${app.sandboxUrl}/mailbox.json`)
    return ((await mails.json()) as SandboxMail[]).find(({ to }) => to.includes(address))
  }
  const mail = await expect.poll(arrived).toBeDefined().then(arrived)
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
  await askForMail(page, address)
  const { link } = await readMail(address)
  expect(new URL(link).origin).toBe(app.url)
  await page.goto(link)
  await page.waitForURL(`${app.url}/members`)
  expect(await page.locator('main').textContent()).toContain('swordfish')
  expect(await addressOf(page.context())).toBe(address)
  if (withScripts) await look(page, 'email-members')
})

test('so does the code, and a stranger with the link gets no session unasked', async () => {
  const page = await openPage(browser)
  await askForMail(page, 'code@example.com')
  const { link, code } = await readMail('code@example.com')
  const stranger = await openPage(browser)
  await stranger.goto(link)
  expect(await addressOf(stranger.context())).toBeUndefined()
  await page.getByLabel('Six-digit code').fill(code)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`${app.url}/members`)
  expect(await addressOf(page.context())).toBe('code@example.com')
})

test('the mailbox is where the terminal says, and neither link nor code is in the terminal', async () => {
  const page = await openPage(browser)
  await askForMail(page, 'mailbox@example.com')
  // With mails of others in it the mailbox does not look again by itself.
  const { link, code } = await readMail('mailbox@example.com')
  const said = app.printed.flatMap((line) => /Mailbox +(\S+)/.exec(line)?.[1] ?? [])
  expect(said).toEqual([`${app.sandboxUrl}/mailbox`])
  const mailbox = await page.context().newPage()
  await mailbox.goto(said[0] ?? '')
  await mailbox.getByRole('link', { name: /mailbox@example\.com/ }).click()
  await look(mailbox, 'email-mailbox')
  await mailbox.getByRole('link', { name: 'Open the link' }).click()
  await mailbox.waitForURL(`${app.url}/members`)
  await mailbox.getByText('Signed in as mailbox@example.com').waitFor()
  await look(mailbox, 'email-signed-in')
  const told = () => app.printed.join('\n')
  await expect.poll(told).toContain('Mail to mailbox@example.com: ')
  expect(told()).not.toContain(code)
  expect(told()).not.toContain(new URL(link).searchParams.get('token'))
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

test.each([
  { withScripts: true, how: 'with scripts' },
  { withScripts: false, how: 'without scripts' },
])(
  'the sixth mail in an hour is refused, and the page says for how long, $how',
  async ({ withScripts }) => {
    const page = await openPage(browser, { withScripts })
    const address = `often-${withScripts}@example.com`
    for (let count = 0; count < 5; count++) await askForMail(page, address)
    await page.goto(`${app.url}/signin`)
    await page.getByLabel('E-mail address').fill(address)
    const answer = page.waitForResponse((it) => it.request().method() === 'POST')
    await page.getByRole('button', { name: 'Continue with E-mail' }).click()
    expect((await answer).status()).toBe(429)
    const alert = page.getByRole('alert')
    await alert.waitFor()
    expect(await alert.textContent()).toMatch(/Too many attempts.*You can try again in \d+ min\./s)
    if (withScripts) await look(page, 'email-too-many')
  },
)
