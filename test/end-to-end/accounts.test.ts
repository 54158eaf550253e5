import { createHash, randomBytes } from 'node:crypto'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { DevServers } from '../../scripts/dev-servers.ts'
import { launchBrowser } from '../support/browser.ts'
import { startTestServers } from '../support/dev.ts'
import { earlierSignIn } from '../support/ended-token.ts'
import { look } from '../support/look.ts'

/** Several ways to sign in, and posts of signed-out users: the Worker of examples/worker. */
const SECRET = 'a-secret-of-the-tests-0123456789abcdef'

let servers: DevServers
let browser: Browser

beforeAll(async () => {
  servers = await startTestServers({ AUTH_SECRET: SECRET }, 'examples/worker/wrangler.toml')
  browser = await launchBrowser()
})

afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()))
})

afterAll(async () => {
  await browser?.close()
  await servers?.stop()
})

const at = (path: string) => servers.workerUrl + path

/** Goes through the sandbox as one of its people, and allows all scopes. */
async function allow(page: Page, person: string): Promise<void> {
  await page.getByLabel(person).check()
  await page.getByRole('button', { name: 'Allow' }).click()
}

async function continueWithVideoApp(page: Page, person: string): Promise<void> {
  await page.getByRole('button', { name: 'Continue with Video App' }).click()
  await allow(page, person)
}

/** Asks for a mail on the sign-in page that is open, and opens its link. */
async function continueByMail(page: Page, address: string): Promise<void> {
  const known = new Set((await servers.readMails()).map(({ id }) => id))
  const folded = page.locator('details:not([open]) > summary', { hasText: 'Sign in with Email' })
  if (await folded.isVisible()) await folded.click()
  await page.getByLabel('Email address').fill(address)
  await page.getByRole('button', { name: 'Send me a sign-in link' }).click()
  await page.waitForURL('**/auth/verify-request?**')
  const arrived = async () =>
    (await servers.readMails()).find(({ id, to }) => to === address && !known.has(id))
  const mail = await expect.poll(arrived).toBeDefined().then(arrived)
  await page.goto(/http\S+/.exec(mail?.text ?? '')?.[0] ?? '')
}

/** @param section of the account page, which comes after the sign-in */
async function openSignIn(context: BrowserContext, section = 'ways'): Promise<Page> {
  const page = await context.newPage()
  await page.goto(at(`/auth/signin?callbackUrl=/auth/account/${section}`))
  return page
}

interface SignedIn {
  readonly user: { readonly id: string; readonly name?: string; readonly email?: string }
}

async function sessionIn(context: BrowserContext): Promise<SignedIn | null> {
  return (await context.request.get(at('/auth/session'))).json()
}

/** The ways on the page of the account, by their buttons. */
const ways = (page: Page) =>
  page
    .getByRole('button', { name: /^Remove: / })
    .evaluateAll((buttons) => buttons.map((button) => button.getAttribute('aria-label')))

/** Presses the button of a way, and the one of the box that asks whether it is meant. */
async function remove(page: Page, name: RegExp): Promise<void> {
  await page.getByRole('button', { name }).click()
  const box = page.getByRole('dialog', { name })
  await box.getByText('It can no longer be used to sign in to your account.').waitFor()
  await look(page, 'accounts-remove')
  await box.getByRole('button', { name }).click()
}

const subjects = async (address: string) =>
  (await servers.readMails())
    .filter(({ to, subject }) => to === address && /your account/.test(subject))
    .map(({ subject }) => subject)

/** The key-value store in which the example keeps the posts that wait. */
const posts = (path: string) => at(`/cdn-cgi/local/explorer/api/storage/kv/namespaces/POSTS${path}`)

async function waiting(): Promise<string[]> {
  const { result } = (await (await fetch(posts('/keys'))).json()) as { result: { name: string }[] }
  return result.map(({ name }) => name)
}

/** Schedules a post. @returns its key in KV */
async function plan(time: string, sub: string | undefined, title: string): Promise<string> {
  const key = `${time} ${sub}`
  const body = JSON.stringify({ title, url: 'https://videos.example/1.mp4' })
  await fetch(posts(`/values/${encodeURIComponent(key)}`), { method: 'PUT', body })
  expect(await waiting()).toContain(key)
  return key
}

/** The person's videos at the video app, as an app with their permission sees them. */
async function postedBy(person: string): Promise<string[]> {
  const verifier = randomBytes(32).toString('hex')
  const client = { client_key: 'sandbox-client-key', redirect_uri: at('/auth/callback/videoapp') }
  const asked = new URLSearchParams({
    ...client,
    response_type: 'code',
    state: 'any',
    scope: 'video.list',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  const decision = new URLSearchParams({ person, scope: 'video.list', decision: 'allow' })
  const consent = `${servers.sandboxUrl}/v2/auth/authorize/?${asked}`
  const decided = await fetch(consent, { method: 'POST', body: decision, redirect: 'manual' })
  const { searchParams } = new URL(decided.headers.get('location') ?? '')
  const exchange = new URLSearchParams({
    ...client,
    client_secret: 'sandbox-client-secret',
    grant_type: 'authorization_code',
    code: searchParams.get('code') ?? '',
    code_verifier: verifier,
  })
  const token = await fetch(`${servers.sandboxUrl}/v2/oauth/token/`, {
    method: 'POST',
    body: exchange,
  })
  const { access_token } = (await token.json()) as { access_token: string }
  const list = await fetch(`${servers.sandboxUrl}/v2/video/list/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${access_token}` },
  })
  const { data } = (await list.json()) as { data: { videos: { title: string }[] } }
  return data.videos.map(({ title }) => title)
}

describe.each([
  {
    scripts: 'without JavaScript',
    javaScriptEnabled: false,
    address: 'ada@example.com',
    id: 'ada',
    name: 'Ada Example',
  },
  {
    scripts: 'with JavaScript',
    javaScriptEnabled: true,
    address: 'grace@example.com',
    id: 'grace',
    name: 'Grace Sample',
  },
])('$scripts', ({ javaScriptEnabled, address, id, name }) => {
  const open = () => browser.newContext({ javaScriptEnabled })

  test('a person connects the video app and signs out, a job posts for them, and the video app signs the same person in', async () => {
    const first = await open()
    const page = await openSignIn(first)
    await continueByMail(page, address)
    await page.waitForURL(at('/auth/account/ways'))
    expect(await ways(page)).toEqual([expect.stringMatching(/^Remove: Email, .\S+@example\.com$/)])
    const before = await sessionIn(first)
    expect(before?.user.email).toBe(address)

    await page.getByRole('button', { name: 'Add Video App' }).click()
    await allow(page, name)
    await page.waitForURL(at('/auth/account/ways'))
    expect(await ways(page)).toEqual([
      expect.stringMatching('Remove: Email'),
      `Remove: Video App, ${name}`,
    ])
    await look(page, `accounts-two-ways-${id}`)
    expect(await sessionIn(first)).toMatchObject({ user: { ...before?.user } })
    await expect.poll(() => subjects(address)).toEqual(['Video App was added to your account'])

    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.waitForURL('**/auth/signin')
    expect(await sessionIn(first)).toBeNull()

    const post = await plan('2026-01-01T00:00:00Z', before?.user.id, `By ${id}`)
    await fetch(at('/cdn-cgi/local/scheduled?cron=*/5+*+*+*+*'))
    expect(await postedBy(id)).toEqual([`By ${id}`])
    expect(await waiting()).not.toContain(post)

    const second = await open()
    const later = await openSignIn(second)
    await continueWithVideoApp(later, name)
    await later.waitForURL(at('/auth/account/ways'))
    expect((await sessionIn(second))?.user).toMatchObject({ id: before?.user.id, name })

    const tab = await second.newPage()
    await tab.goto(at('/auth/account/ways'))
    await remove(later, /^Remove: Email/)
    await expect.poll(() => ways(later)).toEqual([`Remove: Video App, ${name}`])
    const last = later.getByRole('button', { name: /^Remove: Video App/ })
    expect(await last.isDisabled()).toBe(true)
    await later.getByText('This is your only way to sign in').waitFor()
    await look(later, `accounts-only-way-${id}`)
    await expect
      .poll(() => subjects(address))
      .toEqual(['Email was removed from your account', 'Video App was added to your account'])
    const told = (await servers.readMails()).find(({ to }) => to === address)
    const mailbox = await second.newPage()
    await mailbox.goto(`${servers.mailboxUrl}/${told?.id}/html`)
    await look(mailbox, `accounts-mail-${id}`)
    // A page that was opened before does not know that it is the last one.
    await remove(tab, /^Remove: Video App/)
    await tab.getByRole('heading', { name: 'This is your last way to sign in' }).waitFor()
    await look(tab, `accounts-last-way-${id}`)
    await tab.getByRole('link', { name: 'Go to your account' }).click()
    await tab.waitForURL(at('/auth/account'))
    expect(await ways(later)).toEqual([`Remove: Video App, ${name}`])

    // The former first method does not sign in, since its owner still exists.
    const third = await open()
    const refused = await openSignIn(third)
    await continueByMail(refused, address)
    await refused.waitForURL(/error=OAuthAccountNotLinked/)
    await look(refused, `accounts-removed-way-${id}`)
    expect(await sessionIn(third)).toBeNull()
  })

  test('more than five minutes after a sign-in a user signs in again, and comes back to the page', async () => {
    const own = `again-${address}`
    const context = await open()
    const page = await openSignIn(context)
    await continueByMail(page, own)
    await page.waitForURL(at('/auth/account/ways'))
    const user = (await sessionIn(context))?.user
    const cookies = await context.cookies()
    const token = cookies.find(({ name }) => name.endsWith('auth.session-token'))
    if (!token) throw new Error('There is no session')
    const old = await earlierSignIn(`${token.name}=${token.value}`, SECRET, 301)
    await context.addCookies([{ ...token, value: old.slice(token.name.length + 1) }])
    expect((await sessionIn(context))?.user.id).toBe(user?.id)

    await page.getByRole('button', { name: 'Add Video App' }).click()
    await page.waitForURL(/\/auth\/signin\?/)
    const asked = new URL(page.url()).searchParams
    expect(Object.fromEntries(asked)).toEqual({
      maxAge: '300',
      callbackUrl: at('/auth/account/ways'),
    })
    await page.getByRole('heading', { name: 'Sign in again' }).waitFor()
    await look(page, `accounts-sign-in-again-${id}`)
    await continueByMail(page, own)
    await page.waitForURL(at('/auth/account/ways'))
    expect(await ways(page)).toHaveLength(1)
    await page.getByRole('button', { name: 'Add Video App' }).click()
    await allow(page, javaScriptEnabled ? 'Nemo' : 'Zoë')
    await page.waitForURL(at('/auth/account/ways'))
    expect(await ways(page)).toHaveLength(2)
    expect((await sessionIn(context))?.user.id).toBe(user?.id)
  })

  test('a deleted account: the user is signed out, sees a confirmation, and leaves no waiting post', async () => {
    const own = `gone-${address}`
    const context = await open()
    const page = await openSignIn(context, 'security')
    await continueByMail(page, own)
    await page.waitForURL(at('/auth/account/security'))
    const post = await plan('2099-01-01T00:00:00Z', (await sessionIn(context))?.user.id, 'Never')
    const button = page.getByRole('button', { name: 'Delete my account', exact: true })
    expect(await button.isVisible()).toBe(false)
    await look(page, `accounts-before-deletion-${id}`)
    await page.getByText('Delete my account…').click()
    await look(page, `accounts-deletion-${id}`)
    await button.click()
    await page.waitForURL(at('/auth/signin'))
    expect(await sessionIn(context)).toBeNull()
    expect(await waiting()).not.toContain(post)
    const told = async () =>
      (await servers.readMails()).find(
        ({ to, subject }) => to === own && subject === 'Your account is deleted',
      )
    const mail = await expect.poll(told).toBeDefined().then(told)
    expect(mail?.text).not.toContain('http')
    const mailbox = await context.newPage()
    await mailbox.goto(`${servers.mailboxUrl}/${mail?.id}/html`)
    await look(mailbox, `accounts-deletion-mail-${id}`)
  })
})
