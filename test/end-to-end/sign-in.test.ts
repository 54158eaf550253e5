import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DevServers } from '../../scripts/dev-servers.ts'
import { launchBrowser } from '../support/browser.ts'
import { startTestServers } from '../support/dev.ts'
import { look } from '../support/look.ts'

let servers: DevServers
let browser: Browser

beforeAll(async () => {
  servers = await startTestServers({}, 'examples/worker/wrangler.toml')
  browser = await launchBrowser()
})

afterAll(async () => {
  await browser?.close()
  await servers?.stop()
})

/** A browser of its own, with scripts off: every page must work without. */
async function openSignIn(path = '/auth/signin'): Promise<Page> {
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(servers.workerUrl + path)
  return page
}

async function sessionOf(page: Page): Promise<{ user: { name: string; email: string } } | null> {
  const response = await page.request.get(`${servers.workerUrl}/auth/session`)
  return response.json()
}

test('a user signs in through the sandbox, sees their name, and signs out', async () => {
  const page = await openSignIn('/auth/signin?callbackUrl=/auth/signin')
  await look(page, 'sign-in')
  await page.getByRole('button', { name: 'Continue with Video App' }).click()
  await page.waitForURL(`${servers.sandboxUrl}/**`)
  await look(page, 'consent')
  await page.getByLabel(/Ada/).check()
  await page.getByRole('button', { name: /Allow/ }).click()

  await page.waitForURL(`${servers.workerUrl}/auth/signin`)
  expect(await page.locator('main').textContent()).toContain('Ada')
  await look(page, 'signed-in')
  expect((await sessionOf(page))?.user.name).toContain('Ada')
  const [cookie] = (await page.context().cookies()).filter(
    ({ name }) => name === 'auth.session-token',
  )
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Lax', path: '/' })

  await page.goto(`${servers.workerUrl}/auth/signout?callbackUrl=/auth/signin`)
  await look(page, 'sign-out')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL(`${servers.workerUrl}/auth/signin`)
  expect(await sessionOf(page)).toBeNull()
})

test('after a cancel at the video app the user sees a message, and can start again', async () => {
  const page = await openSignIn()
  await page.getByRole('button', { name: 'Continue with Video App' }).click()
  await page.getByRole('button', { name: /Cancel/ }).click()

  await page.waitForURL(/error=OAuthCallbackError&code=access_denied/)
  expect(await page.getByRole('status').textContent()).toMatch(/cancel/i)
  await look(page, 'cancelled')
  expect(await sessionOf(page)).toBeNull()
  await page.getByRole('button', { name: 'Continue with Video App' }).click()
  await page.waitForURL(`${servers.sandboxUrl}/**`)
})

test('a wrong password and an unknown user get the same answer, the right one signs in', async () => {
  const answers: (string | null)[] = []
  const page = await openSignIn()
  for (const [name, password] of [
    ['ada', 'wrong'],
    ['nobody', 'wrong'],
  ] as const) {
    await page.goto(`${servers.workerUrl}/auth/signin?callbackUrl=/auth/signin`)
    await page.getByLabel('User name').fill(name)
    await page.getByRole('textbox', { name: 'Password' }).fill(password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.waitForURL(/error=CredentialsSignin&code=credentials/)
    answers.push(await page.locator('main').textContent())
  }
  expect(answers[0]).toBe(answers[1])
  await look(page, 'wrong-password')

  await page.getByLabel('User name').fill('ada')
  await page.getByRole('textbox', { name: 'Password' }).fill('correct horse battery')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  // The failed attempts have kept the callbackUrl.
  await page.waitForURL(`${servers.workerUrl}/auth/signin`)
  expect((await sessionOf(page))?.user.name).toBe('Ada Example')
})

test('the Worker’s root leads to the sign-in page, which shows the signed-in person afterwards', async () => {
  const page = await openSignIn('/')
  expect(page.url()).toBe(`${servers.workerUrl}/auth/signin`)
  await page.getByLabel('User name').fill('ada')
  await page.getByRole('textbox', { name: 'Password' }).fill('correct horse battery')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL(`${servers.workerUrl}/auth/signin`)
  expect(await page.locator('main').textContent()).toContain('Ada Example')
})

test('two tabs that sign in at once both finish', async () => {
  const first = await openSignIn()
  const second = await first.context().newPage()
  await second.goto(`${servers.workerUrl}/auth/signin`)
  for (const tab of [first, second]) {
    await tab.getByRole('button', { name: 'Continue with Video App' }).click()
    await tab.waitForURL(`${servers.sandboxUrl}/**`)
  }
  for (const [tab, person] of [
    [first, /Ada/],
    [second, /Grace/],
  ] as const) {
    await tab.getByLabel(person).check()
    await tab.getByRole('button', { name: /Allow/ }).click()
    await tab.waitForURL((url) => url.port === new URL(servers.workerUrl).port)
    expect((await sessionOf(tab))?.user.name).toMatch(person)
  }
})

test('the error page says what happened in plain words', async () => {
  const page = await openSignIn('/auth/error?error=Configuration')
  await look(page, 'error')
  expect(await page.locator('main').textContent()).not.toContain('undefined')
})
