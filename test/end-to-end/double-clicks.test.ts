import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { MiddlewareAuth } from '@latchkey/express'
import express from 'express5'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { launchBrowser } from '../support/browser.ts'

const codes: string[] = []
const app = express()
app.use(
  '/auth',
  MiddlewareAuth({
    secret: 'a-secret-of-the-tests-0123456789abcdef',
    trustHost: true,
    logger: { error: () => {}, warn: () => {}, info: () => {} },
    providers: [
      {
        id: 'pw',
        name: 'Password',
        type: 'credentials',
        credentials: { username: { label: 'User name' } },
        authorize: () => ({ id: 'ada', name: 'Ada', email: 'ada@mail.example' }),
      },
      {
        id: 'email',
        name: 'Email',
        type: 'email',
        from: 'sign-in@mail.example',
        sendVerificationRequest: ({ code }) => void codes.push(code),
      },
    ],
  }),
)
app.get('/', (_request, response) => void response.send('the app'))

let server: Server
let browser: Browser
let at: string

beforeAll(async () => {
  server = createServer(app).listen(0)
  at = `http://localhost:${(server.address() as AddressInfo).port}`
  browser = await launchBrowser()
})

afterAll(async () => {
  await browser?.close()
  server?.close()
})

/** Two clicks as close as a nervous hand makes them, the second of which may come before the first is answered. */
async function clickTwice(page: Page, name: string, apart: number): Promise<void> {
  const box = await page.getByRole('button', { name, exact: true }).boundingBox()
  if (!box) throw new Error(`There is no button ${name}.`)
  const session = await page.context().newCDPSession(page)
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
  const click = (clickCount: number) =>
    (['mousePressed', 'mouseReleased'] as const).map((type) =>
      session.send('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount }),
    )
  const first = click(1)
  if (apart > 0) await new Promise((resolve) => setTimeout(resolve, apart))
  // The page may be gone by then.
  await Promise.allSettled([...first, ...click(2)])
}

const isSignedIn = async (page: Page) =>
  (await (await page.request.get(`${at}/auth/session`)).json()) !== null

describe.each([true, false])('two clicks, with scripts: %s', (javaScriptEnabled) => {
  test.each([0, 5, 40])('%d ms apart end where one does', async (apart) => {
    const context = await browser.newContext({ javaScriptEnabled })
    const page = await context.newPage()
    for (let round = 0; round < 3; round++) {
      await page.goto(`${at}/auth/signin?callbackUrl=/`)
      await page.getByLabel('User name').fill('ada')
      await clickTwice(page, 'Sign in', apart)
      await page.waitForURL(`${at}/`)
      expect(await isSignedIn(page)).toBe(true)
      await page.goto(`${at}/auth/signout?callbackUrl=/`)
      await clickTwice(page, 'Sign out', apart)
      await page.waitForURL(`${at}/`)
      expect(await isSignedIn(page)).toBe(false)
    }
    await page.goto(`${at}/auth/signin?callbackUrl=/`)
    await page.getByText('Sign in with Email').click()
    await page.getByLabel('Email address').fill(`ada-${javaScriptEnabled}-${apart}@mail.example`)
    const before = codes.length
    await clickTwice(page, 'Send me a sign-in link', apart)
    await page.waitForURL(/verify-request/)
    expect(codes).toHaveLength(before + 1)
    // As it is copied from a mail.
    const code = codes.at(-1) ?? ''
    await page.getByLabel('Six-digit code').fill(`${code.slice(0, 3)} ${code.slice(3)}`)
    await clickTwice(page, 'Sign in', apart)
    await page.waitForURL(`${at}/`)
    expect(await isSignedIn(page)).toBe(true)
    await context.close()
  })
})

test('the keyboard sends a form as often as it is pressed, and a later click counts', async () => {
  const page = await (await browser.newContext()).newPage()
  await page.goto(`${at}/auth/signout?callbackUrl=/`)
  const button = page.getByRole('button', { name: 'Sign out' })
  await button.focus()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Shift+Tab')
  await button.click()
  await page.waitForURL(`${at}/`)
})

test('two tabs: a form from before the sign-in offers to go on, and a form from before the sign-out goes on', async () => {
  const context = await browser.newContext()
  const [one, other] = [await context.newPage(), await context.newPage()]
  for (const page of [one, other]) await page.goto(`${at}/auth/signin?callbackUrl=/`)
  for (const page of [one, other]) {
    await page.getByLabel('User name').fill('ada')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  }
  await one.waitForURL(`${at}/`)
  await other.getByRole('link', { name: 'Continue as Ada' }).click()
  await other.waitForURL(`${at}/`)
  for (const page of [one, other]) await page.goto(`${at}/auth/signout?callbackUrl=/`)
  for (const page of [one, other]) {
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL(`${at}/`)
  }
  expect(await isSignedIn(one)).toBe(false)
})
