import type { BrowserContext, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { look } from '../support/look.ts'
import { browser, servers } from './servers.ts'

/** With scripts off: every page must work without. */
function openBrowser(): Promise<BrowserContext> {
  return browser.newContext({ javaScriptEnabled: false })
}

async function askForMail(context: BrowserContext, address: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(`${servers.workerUrl}/auth/signin?callbackUrl=/auth/account`)
  await page.getByLabel('Email address').fill(address)
  await page.getByRole('button', { name: /sign-in/ }).click()
  await page.waitForURL('**/auth/verify-request?**')
  return page
}

async function mailTo(address: string): Promise<{ link: string; code: string }> {
  const arrived = async () => (await servers.readMails()).find(({ to }) => to.includes(address))
  const mail = await expect.poll(arrived).toBeDefined().then(arrived)
  const text = mail?.text ?? ''
  return { link: /http\S+/.exec(text)?.[0] ?? '', code: /^\d{6}$/m.exec(text)?.[0] ?? '' }
}

async function addressOf(context: BrowserContext): Promise<string | undefined> {
  const answer = await context.request.get(`${servers.workerUrl}/auth/session`)
  return ((await answer.json()) as { user: { email: string } } | null)?.user.email
}

test('the link signs in with one click in the browser that asked for it', async () => {
  const context = await openBrowser()
  const asked = await askForMail(context, 'Ada@Example.com')
  expect(await asked.locator('main').textContent()).toContain('ada@example.com')
  await look(asked, 'email-asked')
  const { link } = await mailTo('ada@example.com')
  const tab = await context.newPage()
  await tab.goto(link)
  await tab.waitForURL('**/auth/account')
  expect(await tab.locator('main').textContent()).toContain('ada@example.com')
  expect(await addressOf(context)).toBe('ada@example.com')
  await look(tab, 'email-account')
  await tab.goto(link)
  expect(await tab.locator('h1').textContent()).toBe('This link no longer works')
})

test('the link is one click away in the mailbox', async () => {
  const context = await openBrowser()
  await askForMail(context, 'mia@example.com')
  await mailTo('mia@example.com')
  const mailbox = await context.newPage()
  await mailbox.goto(servers.mailboxUrl)
  await mailbox
    .getByRole('link', { name: /mia@example.com/ })
    .first()
    .click()
  await mailbox.getByRole('link', { name: /link/i }).first().click()
  await mailbox.waitForURL('**/auth/account')
  expect(await addressOf(context)).toBe('mia@example.com')
})

test('another device asks first, a mail scanner uses nothing up, and another site cannot confirm', async () => {
  const asking = await openBrowser()
  await askForMail(asking, 'bea@example.com')
  const { link } = await mailTo('bea@example.com')
  for (let count = 0; count < 5; count++) {
    expect((await fetch(link)).status).toBe(200)
    expect((await fetch(link, { method: 'HEAD' })).status).toBe(200)
  }
  const telephone = await openBrowser()
  const page = await telephone.newPage()
  await page.goto(link)
  expect(await page.locator('main').textContent()).toContain('bea@example.com')
  await look(page, 'email-confirm')
  expect(await addressOf(telephone)).toBeUndefined()
  const token = new URL(link).searchParams.get('token') ?? ''
  const forged = await telephone.request.post(`${servers.workerUrl}/auth/callback/email`, {
    form: { token, csrfToken: 'made-up' },
    headers: { origin: 'https://evil.example' },
    maxRedirects: 0,
  })
  expect(forged.headers().location).toContain('error=MissingCSRF')
  const referers: Promise<string | null>[] = []
  page.on('request', (request) => referers.push(request.headerValue('referer')))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL('**/auth/account')
  // The URL with the link's secret does not reach the next page's log by `Referer`.
  expect(new Set(await Promise.all(referers))).toEqual(new Set([`${servers.workerUrl}/`]))
  expect(await addressOf(telephone)).toBe('bea@example.com')
  expect(await addressOf(asking)).toBeUndefined()
})

test('the code signs in in the browser that requested it, after a wrong one, and nowhere else', async () => {
  const context = await openBrowser()
  const page = await askForMail(context, 'eve@example.com')
  const { code } = await mailTo('eve@example.com')
  const wrong = code === '111111' ? '222222' : '111111'
  await page.getByLabel('Six-digit code').fill(wrong)
  await page.getByRole('button', { name: 'Sign in' }).click()
  expect(await page.getByRole('alert').textContent()).toContain('code is wrong')
  await look(page, 'email-wrong-code')
  const elsewhere = await openBrowser()
  const stranger = await elsewhere.newPage()
  await stranger.goto(page.url())
  expect(await stranger.getByLabel('Six-digit code').count()).toBe(0)
  expect(await stranger.locator('main').textContent()).not.toContain('eve@example.com')
  await page.getByLabel('Six-digit code').fill(`${code.slice(0, 3)} ${code.slice(3)}`)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL('**/auth/account')
  expect(await addressOf(context)).toBe('eve@example.com')
})

test('wrong codes are limited, and the link still works', async () => {
  const context = await openBrowser()
  const page = await askForMail(context, 'kim@example.com')
  const { link, code } = await mailTo('kim@example.com')
  const wrong = code === '111111' ? '222222' : '111111'
  const enter = async (digits: string) => {
    await page.getByLabel('Six-digit code').fill(digits)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }
  for (let count = 0; count < 5; count++) await enter(wrong)
  await enter(code)
  expect(await page.getByRole('alert').textContent()).toContain('Too many wrong codes')
  expect(await addressOf(context)).toBeUndefined()
  await page.goto(link)
  await page.waitForURL('**/auth/account')
  expect(await addressOf(context)).toBe('kim@example.com')
})

test('over the limit the same page comes back with 429, and no mail goes out', async () => {
  const context = await openBrowser()
  for (let count = 0; count < 5; count++) await askForMail(context, 'max@example.com')
  const page = await context.newPage()
  await page.goto(`${servers.workerUrl}/auth/signin`)
  await page.getByLabel('Email address').fill('max@example.com')
  const [answer] = await Promise.all([
    page.waitForResponse('**/auth/signin/email'),
    page.getByRole('button', { name: /sign-in/ }).click(),
  ])
  expect(answer.status()).toBe(429)
  expect(Number(answer.headers()['retry-after'])).toBeGreaterThan(0)
  expect(await page.getByRole('alert').textContent()).toContain('Too many attempts')
  expect(await page.getByLabel('Email address').count()).toBe(1)
  await look(page, 'email-limited')
  const mails = async () =>
    (await servers.readMails()).filter(({ to }) => to.includes('max@example.com')).length
  await expect.poll(mails).toBe(5)
})

test('a text that is not an address gets a clear answer, and no mail', async () => {
  const context = await openBrowser()
  const before = (await servers.readMails()).length
  const { csrfToken } = await (await context.request.get(`${servers.workerUrl}/auth/csrf`)).json()
  for (const email of [
    'a@example.com,b@example.com',
    '"e@x"@example.com',
    'a@b',
    '',
    'a\r\nb@c.de',
  ]) {
    const answer = await context.request.post(`${servers.workerUrl}/auth/signin/email`, {
      form: { csrfToken, email },
    })
    expect(answer.status()).toBe(200)
    expect(await answer.text()).toContain('This is not a valid email address')
  }
  expect((await servers.readMails()).length).toBe(before)
})
