import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DevServers } from '../../scripts/dev-servers.ts'
import { launchBrowser } from '../support/browser.ts'
import { startTestServers } from '../support/dev.ts'
import { picture } from '../support/look.ts'
import { type OidcProvider, startOidcProvider } from '../support/oidc-provider.ts'

let acme: OidcProvider
let bolt: OidcProvider
let browser: Browser
let servers: DevServers

beforeAll(async () => {
  ;[acme, bolt] = await Promise.all([
    startOidcProvider(undefined, true),
    startOidcProvider(undefined, true),
  ])
  browser = await launchBrowser()
  const of = (id: string, provider: OidcProvider, domains: string, more = {}) =>
    Object.entries({
      DOMAINS: domains,
      ISSUER: provider.issuer,
      ID: provider.clients.basic.id,
      SECRET: provider.clients.basic.secret,
      NAME: `${id} Inc.`,
      ...more,
    }).map(([name, value]) => [`AUTH_COMPANY_${id}_${name}`, value] as const)
  servers = await startTestServers(
    Object.fromEntries([
      ...of('ACME', acme, 'example.com', { ONLY: 'true' }),
      ...of('BOLT', bolt, 'bolt.example'),
    ]),
  )
  await acme.registerApp(servers.workerUrl, 'company-acme')
  await bolt.registerApp(servers.workerUrl, 'company-bolt')
})

afterAll(async () => {
  await servers?.stop()
  await browser?.close()
  await Promise.all([acme?.stop(), bolt?.stop()])
})

async function typed(address: string, options = {}): Promise<Page> {
  const page = await (await browser.newContext(options)).newPage()
  await page.goto(`${servers.workerUrl}/auth/signin?callbackUrl=/auth/account`)
  await picture(page, 'companies-sign-in')
  await page.locator('input[name=email]').fill(address)
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  return page
}

async function sessionOf(page: Page): Promise<unknown> {
  return (await page.request.get(`${servers.workerUrl}/auth/session`)).json()
}

test('two companies and a private person sign in at one Worker, without a script', async () => {
  const ada = await typed('ada@example.com', { javaScriptEnabled: false })
  await ada.waitForURL(`${acme.issuer}/interaction/**`)
  await ada.getByRole('button', { name: 'Continue as Ada Example' }).click()
  await ada.waitForURL(`${servers.workerUrl}/auth/account`)
  await picture(ada, 'companies-account')
  expect(await ada.locator('main').textContent()).toContain('ACME Inc. manages how you sign in')
  expect(await sessionOf(ada)).toMatchObject({
    company: 'acme',
    user: { email: 'ada@example.com', emailVerified: true },
  })

  const bob = await typed('bob@bolt.example')
  await bob.waitForURL(`${bolt.issuer}/interaction/**`)
  await bob.getByRole('button', { name: 'Continue as Bob Example' }).click()
  await bob.waitForURL(`${servers.workerUrl}/auth/account`)
  expect(await sessionOf(bob)).toMatchObject({ company: 'bolt' })

  // The provider of one company signs in nobody of the other one.
  const eve = await typed('eve@bolt.example')
  await eve.waitForURL(`${bolt.issuer}/interaction/**`)
  await eve.getByRole('button', { name: 'Continue as Ada Example' }).click()
  await eve.waitForURL(/error=AccessDenied&code=company_domain/)
  await picture(eve, 'companies-other-domain')
  expect(await sessionOf(eve)).toBeNull()

  const carol = await typed('carol@private.example')
  await picture(carol, 'companies-other-ways')
  expect(carol.url()).not.toContain('private')
  await carol.getByRole('button', { name: /video/i }).first().click()
  await carol.waitForURL((url) => url.origin === servers.sandboxUrl)
})

test('the pages in the dark, on a phone and in Arabic', async () => {
  for (const [name, options] of [
    ['dark', { colorScheme: 'dark' }],
    ['phone', { viewport: { width: 360, height: 740 } }],
    ['arabic', { locale: 'ar' }],
  ] as const) {
    const page = await (await browser.newContext(options)).newPage()
    await page.goto(`${servers.workerUrl}/auth/signin`)
    await picture(page, `companies-sign-in-${name}`)
    expect(await page.locator('form').count()).toBe(1)
  }
})
