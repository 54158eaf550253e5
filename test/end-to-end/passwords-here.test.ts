import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MiddlewareAuth } from '@latchkey/express'
import { passwords } from '@latchkey/worker/features/passwords'
import email from '@latchkey/worker/providers/email'
import passkey from '@latchkey/worker/providers/passkey'
import password from '@latchkey/worker/providers/password'
import { sqliteStore } from '@latchkey/worker/stores/sqlite'
import express from 'express5'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { look } from '../support/look.ts'
import { addAuthenticator } from '../support/virtual-authenticator.ts'

// A person with a password in Chromium, in front of Express over a file.

const ADA = 'ada@mail.example'
const links: string[] = []
const notices: string[] = []
let folder: string
let server: Server
let browser: Browser
let at: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'passwords-here-'))
  const app = express()
  app.use(
    '/auth',
    MiddlewareAuth({
      secret: 'a-secret-of-the-tests-0123456789abcdef',
      trustHost: true,
      store: sqliteStore(join(folder, 'auth.db')),
      logger: { error: () => {}, warn: () => {}, info: () => {} },
      theme: { name: 'Acme' },
      features: [passwords],
      providers: [
        password(),
        email({
          from: 'sign-in@mail.example',
          sendVerificationRequest: ({ purpose, url, mail }) =>
            void (purpose === 'notice' ? notices.push(mail.subject) : links.push(url)),
        }),
        passkey({ rpName: 'Acme' }),
      ],
    }),
  )
  app.get('/', (_request, response) => void response.send('the app'))
  server = createServer(app).listen(0)
  at = `http://localhost:${(server.address() as AddressInfo).port}`
  browser = await launchBrowser()
})

afterAll(async () => {
  await browser?.close()
  server?.close()
  await rm(folder, { recursive: true, force: true })
})

const newPage = async (javaScriptEnabled = true) =>
  (await browser.newContext({ javaScriptEnabled, locale: 'en-US' })).newPage()

/** Asks for a mail, and opens its link. */
async function askForMail(page: Page): Promise<void> {
  await page.goto(`${at}/auth/signin?callbackUrl=/`)
  page.setDefaultTimeout(20_000)
  await page.getByRole('link', { name: 'Create an account, or reset your password' }).click()
  await look(page, 'password-ask')
  await page.getByLabel('Email address').fill(ADA)
  await page.getByRole('button', { name: 'Send me a sign-in link' }).click()
  await page.waitForURL(/verify-request/)
  await page.goto(links.at(-1) ?? '')
}

async function save(page: Page, text: string): Promise<void> {
  await page.getByLabel('New password').fill(text)
  await page.getByRole('button', { name: 'Save password' }).click()
}

/** The form of the sign-in page, which is folded if another one was used last. */
async function signIn(page: Page, text: string): Promise<void> {
  await page.goto(`${at}/auth/signin?callbackUrl=/`)
  const field = page.locator('input[autocomplete=current-password]')
  if (!(await field.isVisible())) {
    await page.getByText('Sign in with Password').click()
  }
  await page.locator('form[action$="/callback/password"] input[name=email]').fill(ADA)
  await field.fill(text)
  await page.locator('form[action$="/callback/password"] button').click()
}

test.each([true, false])(
  'a person signs up, signs out, mistypes, and resets the password (script: %s)',
  async (isScripted) => {
    const page = await newPage(isScripted)
    await askForMail(page)
    await expect.poll(() => new URL(page.url()).pathname).toBe('/auth/account/password')
    await look(page, `password-new-${isScripted}`)
    const input = page.getByLabel('New password')
    // What password managers read (https://www.chromium.org/developers/design-documents/create-amazing-password-forms).
    expect(await input.getAttribute('autocomplete')).toBe('new-password')
    expect(await input.getAttribute('passwordrules')).toBe('minlength: 15;')
    expect(await input.getAttribute('maxlength')).toBeNull()
    const name = page.locator('form[action$="/password/set"] [autocomplete=username]')
    expect([await name.inputValue(), await name.isEditable()]).toEqual([ADA, false])
    await input.fill('iloveyouiloveyouiloveyou')
    await page.getByRole('button', { name: 'Save password' }).click()
    expect(await page.getByRole('alert').textContent()).toMatch(/too easy to guess/)
    await look(page, `password-refused-${isScripted}`)
    expect(await page.getByLabel('New password').inputValue()).toBe('')
    await save(page, `the phrase of ada ${isScripted}`)
    await page.waitForURL(`${at}/`)

    await page.context().clearCookies()
    await signIn(page, 'not the phrase of ada')
    expect(await page.getByRole('alert').textContent()).toMatch(/Sign-in failed/)
    await look(page, `password-wrong-${isScripted}`)
    await signIn(page, `the phrase of ada ${isScripted}`)
    if (isScripted) {
      await page.waitForURL(/passkey\/offer/)
      await page.getByRole('link', { name: 'Not now' }).click()
    }
    await page.waitForURL(`${at}/`)

    await page.context().clearCookies()
    await askForMail(page)
    await save(page, `another phrase of ada ${isScripted}`)
    await page.waitForURL(`${at}/`)
    await page.context().clearCookies()
    await signIn(page, `another phrase of ada ${isScripted}`)
    await page.waitForURL(`${at}/`)
    await page.goto(`${at}/.well-known/change-password`)
    await page.goto(`${at}/auth/account/password`)
    await look(page, `password-change-${isScripted}`)
    expect(await page.getByLabel('Current password').first().isVisible()).toBe(true)
    await page.close()
  },
)

test('a passkey is offered after a password, once in 30 days', async () => {
  const page = await newPage()
  const authenticator = await addAuthenticator(page)
  await authenticator.answer(false)
  await signIn(page, 'another phrase of ada false')
  await page.waitForURL(/passkey\/offer/)
  await look(page, 'password-offer')
  await authenticator.answer(true)
  if (page.url().includes('/passkey/offer')) {
    const add = page.getByRole('button', { name: 'Add a passkey' })
    await add.click().catch(() => {})
  }
  await page.waitForURL(`${at}/`)
  expect(await authenticator.passkeys()).toHaveLength(1)
  expect(notices.length).toBeGreaterThan(0)
})
