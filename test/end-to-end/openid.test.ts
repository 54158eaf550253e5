import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, Page, Request } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DevServers } from '../../scripts/dev-servers.ts'
import { launchBrowser } from '../support/browser.ts'
import { startTestServers } from '../support/dev.ts'
import { picture } from '../support/look.ts'
import { type OidcProvider, startOidcProvider } from '../support/oidc-provider.ts'

/** A Worker of the tests. Named by its entry, so that it is seen to be in use. */
const formPostWorker = fileURLToPath(import.meta.resolve('./form-post-worker/worker.ts'))

let provider: OidcProvider
let browser: Browser
let servers: DevServers

beforeAll(async () => {
  provider = await startOidcProvider()
  browser = await launchBrowser()
})

afterAll(async () => {
  await browser?.close()
  await provider?.stop()
})

/** A Worker with the provider that runs here as `id`, by environment variables alone. */
async function start(id: string, client: 'basic' | 'form', config?: string): Promise<void> {
  const settings = {
    ID: provider.clients[client].id,
    SECRET: provider.clients[client].secret,
    ISSUER: provider.issuer,
    NAME: 'Example Login',
  }
  const vars = Object.entries(settings).map(([name, value]) => [`AUTH_${id}_${name}`, value])
  servers = await startTestServers(Object.fromEntries(vars), config)
  await provider.registerApp(servers.workerUrl)
}

async function openSignIn(): Promise<Page> {
  const page = await (await browser.newContext()).newPage()
  await page.goto(`${servers.workerUrl}/auth/signin?callbackUrl=/auth/signin`)
  return page
}

async function goToProvider(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Continue with Example Login' }).click()
  await page.waitForURL(`${provider.issuer}/interaction/**`)
}

async function sessionOf(page: Page): Promise<unknown> {
  return (await page.request.get(`${servers.workerUrl}/auth/session`)).json()
}

const look = (page: Page, name: string) => picture(page, `openid-${name}`)

async function cancel(page: Page): Promise<string> {
  await goToProvider(page)
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.waitForURL(/error=OAuthCallbackError&code=access_denied/)
  expect(await sessionOf(page)).toBeNull()
  return (await page.getByRole('status').textContent()) ?? ''
}

describe('the shipped Worker with a provider from environment variables alone', () => {
  beforeAll(() => start('OIDC', 'basic'))
  afterAll(() => servers?.stop())

  test('a person signs in at the provider, sees their name, and signs out', async () => {
    const page = await openSignIn()
    await look(page, 'sign-in')
    await goToProvider(page)
    await look(page, 'provider')
    await page.getByRole('button', { name: 'Continue as Ada Example' }).click()

    await page.waitForURL(`${servers.workerUrl}/auth/signin`)
    expect(await page.locator('main').textContent()).toContain('Ada Example')
    await look(page, 'signed-in')
    expect(await sessionOf(page)).toMatchObject({
      user: { name: 'Ada Example', email: 'ada@example.com' },
    })
    const token = provider.seen.findLast(({ route }) => route === 'token')
    expect(token).toMatchObject({ status: 200, authentication: 'client_secret_basic' })

    await page.goto(`${servers.workerUrl}/auth/signout?callbackUrl=/auth/signin`)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL(`${servers.workerUrl}/auth/signin`)
    expect(await sessionOf(page)).toBeNull()
  })

  test('after a cancel at the provider the user sees a message, and can start again', async () => {
    const page = await openSignIn()
    expect(await cancel(page)).toMatch(/you canceled.*again/i)
    await look(page, 'cancelled')
    await goToProvider(page)
  })
})

describe('a provider that posts its answer from another site', () => {
  // The browser knows the app as `localhost` and the provider as `127.0.0.1`: two sites.
  beforeAll(() => start('FORM', 'form', join(formPostWorker, '../wrangler.toml')))
  afterAll(() => servers?.stop())

  const isCallback = (request: Request) => new URL(request.url()).pathname === '/auth/callback/form'

  test('signs a person in, and no code is ever in a URL of the app', async () => {
    const page = await openSignIn()
    const requests: Request[] = []
    page.on('request', (request) => requests.push(request))
    await goToProvider(page)
    await page.getByRole('button', { name: 'Continue as Grace Example' }).click()
    await page.waitForURL(`${servers.workerUrl}/auth/signin`)
    await look(page, 'form-post-signed-in')
    // An address that the provider does not call verified is left out.
    expect(await sessionOf(page)).toMatchObject({ user: { name: 'Grace Example', email: null } })

    const callbacks = requests.filter(isCallback)
    expect(callbacks.map((request) => request.method())).toEqual(['POST', 'GET'])
    const [posted, brought] = await Promise.all(callbacks.map((request) => request.allHeaders()))
    expect(posted?.['sec-fetch-site']).toBe('cross-site')
    expect(posted?.cookie ?? '').not.toContain('auth.flow')
    expect(brought?.cookie).toContain('auth.flow')

    const code = new URLSearchParams(callbacks[0]?.postData() ?? '').get('code') ?? ''
    expect(code).not.toBe('')
    const urls = requests.map((request) => request.url())
    expect(urls.filter((url) => /[?&#]code=/.test(url) || url.includes(code))).toEqual([])
  })

  test('after a cancel the user sees a message too', async () => {
    const page = await openSignIn()
    expect(await cancel(page)).toMatch(/you canceled.*again/i)
    await look(page, 'form-post-cancelled')
  })

  test('a posted answer without a flow asks to start again', async () => {
    const page = await openSignIn()
    await goToProvider(page)
    // The person took longer than the flow lasts, or cleared the cookies meanwhile.
    await page.context().clearCookies({ name: /auth\.flow/ })
    await page.getByRole('button', { name: 'Continue as Ada Example' }).click()
    await page.waitForURL(/error=InvalidCheck/)
    expect(await page.getByRole('alert').textContent()).toMatch(/start again/i)
    expect(await sessionOf(page)).toBeNull()
    await look(page, 'form-post-lost')
  })
})
