import type { SandboxMail } from '@latchkey/sandbox'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { Example } from './example.ts'
import { look, openPage } from './person.ts'

/**
 * Sign-in by email through the example as its README starts it: its own form, the Worker's mails.
 */
export function testByMail(exampleOf: () => Example, browserOf: () => Browser): void {
  async function askForMail(page: Page, address: string): Promise<void> {
    await page.goto(`${exampleOf().url}/members`)
    await page.getByLabel('Email address').fill(address)
    await page.getByRole('button', { name: 'Continue with Email' }).click()
    await page.waitForURL(`${exampleOf().url}/auth/verify-request?**`)
  }

  async function readMail(address: string): Promise<{ link: string; code: string }> {
    const arrived = async () => {
      const mails = await fetch(`${exampleOf().sandboxUrl}/mailbox.json`)
      return ((await mails.json()) as SandboxMail[]).find(({ to }) => to.includes(address))
    }
    const mail = await expect.poll(arrived).toBeDefined().then(arrived)
    const text = mail?.text ?? ''
    return { link: /http\S+/.exec(text)?.[0] ?? '', code: /^\d{6}$/m.exec(text)?.[0] ?? '' }
  }

  async function addressOf(context: BrowserContext): Promise<string | undefined> {
    const answer = await context.request.get(`${exampleOf().url}/auth/session`)
    return ((await answer.json()) as { user: { email: string } } | null)?.user.email
  }

  test.each([
    { withScripts: true, how: 'with scripts' },
    { withScripts: false, how: 'without scripts' },
  ])(
    'the link of a mail leads back to the page that was asked for, $how',
    async ({ withScripts }) => {
      const page = await openPage(browserOf(), { withScripts })
      const address = `link-${withScripts}@example.com`
      await askForMail(page, address)
      const { link } = await readMail(address)
      expect(new URL(link).origin).toBe(exampleOf().url)
      await page.goto(link)
      await page.waitForURL(`${exampleOf().url}/members`)
      expect(await page.locator('main').textContent()).toContain('swordfish')
      expect(await addressOf(page.context())).toBe(address)
      if (withScripts) await look(page, 'email-members')
    },
  )

  test('the code does too, and the link in another browser makes no session without a confirmation', async () => {
    const page = await openPage(browserOf())
    await askForMail(page, 'code@example.com')
    const { link, code } = await readMail('code@example.com')
    const stranger = await openPage(browserOf())
    await stranger.goto(link)
    expect(await addressOf(stranger.context())).toBeUndefined()
    await page.getByLabel('Six-digit code').fill(code)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(`${exampleOf().url}/members`)
    expect(await addressOf(page.context())).toBe('code@example.com')
  })

  test('the terminal prints the address of the mailbox, and neither link nor code', async () => {
    const page = await openPage(browserOf())
    await askForMail(page, 'mailbox@example.com')
    // A mailbox that already holds mails does not reload itself.
    const { link, code } = await readMail('mailbox@example.com')
    const said = exampleOf().printed.flatMap((line) => /Mailbox +(\S+)/.exec(line)?.[1] ?? [])
    expect(said).toEqual([`${exampleOf().sandboxUrl}/mailbox`])
    const mailbox = await page.context().newPage()
    await mailbox.goto(said[0] ?? '')
    await mailbox.getByRole('link', { name: /mailbox@example\.com/ }).click()
    await look(mailbox, 'email-mailbox')
    await mailbox.getByRole('link', { name: 'Open the link' }).click()
    await mailbox.waitForURL(`${exampleOf().url}/members`)
    await mailbox.getByText('Signed in as mailbox@example.com').waitFor()
    await look(mailbox, 'email-signed-in')
    const told = () => exampleOf().printed.join('\n')
    await expect.poll(told).toContain('Mail to mailbox@example.com: ')
    expect(told()).not.toContain(code)
    expect(told()).not.toContain(new URL(link).searchParams.get('token'))
  })

  test('the app’s own page refuses a text that is not an address, and no user is signed in', async () => {
    const page = await openPage(browserOf())
    await page.goto(`${exampleOf().url}/signin`)
    await look(page, 'email-sign-in')
    await page.getByLabel('Email address').fill('nobody@localhost')
    await page.getByRole('button', { name: 'Continue with Email' }).click()
    const alert = page.getByRole('alert')
    await alert.waitFor()
    expect(await alert.textContent()).toContain('This is not a valid email address.')
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
      const page = await openPage(browserOf(), { withScripts })
      const address = `often-${withScripts}@example.com`
      for (let count = 0; count < 5; count++) await askForMail(page, address)
      await page.goto(`${exampleOf().url}/signin`)
      await page.getByLabel('Email address').fill(address)
      const answer = page.waitForResponse((it) => it.request().method() === 'POST')
      await page.getByRole('button', { name: 'Continue with Email' }).click()
      expect((await answer).status()).toBe(429)
      const alert = page.getByRole('alert')
      await alert.waitFor()
      expect(await alert.textContent()).toMatch(
        /Too many attempts.*You can try again in \d+ min\./s,
      )
      if (withScripts) await look(page, 'email-too-many')
    },
  )
}
