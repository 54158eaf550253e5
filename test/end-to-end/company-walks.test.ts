import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { DevServers } from '../../scripts/dev-servers.ts'
import { launchBrowser } from '../support/browser.ts'
import { type ClaimsApps, startClaimsApps } from '../support/claims-apps.ts'
import { startTestServers } from '../support/dev.ts'
import { look } from '../support/look.ts'
import { type OidcProvider, startOidcProvider } from '../support/oidc-provider.ts'

/**
 * People of companies in Chromium, whose provider is `oidc-provider`: somebody who was here before, a start at the provider's own
 * page, and, by the clock, the end of a sign-in at the provider.
 */
let acme: OidcProvider
let bolt: OidcProvider
let browser: Browser
let servers: DevServers

beforeAll(async () => {
  acme = await startOidcProvider(undefined, true)
  bolt = await startOidcProvider(undefined, true)
  browser = await launchBrowser()
  const of = (id: string, { issuer, clients }: OidcProvider, domain: string) => ({
    [`AUTH_COMPANY_${id}_DOMAINS`]: domain,
    [`AUTH_COMPANY_${id}_ISSUER`]: issuer,
    [`AUTH_COMPANY_${id}_ID`]: clients.basic.id,
    [`AUTH_COMPANY_${id}_SECRET`]: clients.basic.secret,
  })
  servers = await startTestServers({
    ...of('ACME', acme, 'example.com'),
    AUTH_COMPANY_ACME_JOIN: 'true',
    ...of('BOLT', bolt, 'bolt.example'),
  })
  await acme.registerApp(servers.workerUrl, 'company-acme')
  await bolt.registerApp(servers.workerUrl, 'company-bolt')
})

afterAll(async () => {
  await servers?.stop()
  await browser?.close()
  await acme?.stop()
  await bolt?.stop()
})

/** A browser without scripts: every page must work without. */
async function visitor(): Promise<Page> {
  const context = await browser.newContext({ javaScriptEnabled: false })
  return context.newPage()
}

interface Session {
  readonly company?: string
  readonly user: { readonly id: string }
}

async function sessionOf(context: BrowserContext): Promise<Session | null> {
  const answer = await context.request.get(`${servers.workerUrl}/auth/session`)
  return (await answer.json()) as Session | null
}

/** The first person on the sandbox's page. */
async function allow(page: Page): Promise<void> {
  await page.waitForURL(`${servers.sandboxUrl}/**`)
  await page.getByLabel(/Ada/).check()
  await page.getByRole('button', { name: /Allow/ }).click()
}

/** At the page of a company's provider. */
async function passAs(page: Page, name: string, { issuer }: OidcProvider): Promise<void> {
  await page.waitForURL(`${issuer}/interaction/**`)
  await page.getByRole('button', { name: `Continue as ${name}` }).click()
}

async function typeAddress(page: Page, address: string): Promise<void> {
  await page.goto(`${servers.workerUrl}/auth/signin?callbackUrl=/auth/account`)
  await page.locator('input[name=email]').fill(address)
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
}

test('somebody who was here before proves the old way once, keeps the account, and is not asked again', async () => {
  const page = await visitor()
  await page.goto(`${servers.workerUrl}/auth/signin?callbackUrl=/auth/account`)
  await page.getByRole('link', { name: 'Other ways to sign in' }).click()
  await page.getByRole('button', { name: /Video App/ }).click()
  await allow(page)
  await page.waitForURL(`${servers.workerUrl}/auth/account`)
  const before = await sessionOf(page.context())
  expect(before?.user.id).toMatch(/./)
  await page.context().clearCookies()

  await typeAddress(page, 'ada@example.com')
  await passAs(page, 'Ada Example', acme)
  await page.getByText('ada@example.com').waitFor()
  await look(page, 'companies-join')
  expect(await sessionOf(page.context())).toBeNull()
  await page.getByRole('button', { name: /Video App/ }).click()
  await allow(page)
  await page.waitForURL(`${servers.workerUrl}/auth/account`)
  await look(page, 'companies-joined')
  expect(await sessionOf(page.context())).toMatchObject({
    company: 'acme',
    user: { id: before?.user.id },
  })

  const again = await visitor()
  await typeAddress(again, 'ada@example.com')
  await passAs(again, 'Ada Example', acme)
  await again.waitForURL(`${servers.workerUrl}/auth/account`)
  expect(await sessionOf(again.context())).toMatchObject({ user: { id: before?.user.id } })
})

test('a tile on a page of the company begins a sign-in, and a page of somebody else does not', async () => {
  const page = await visitor()
  const start = (issuer: string) => {
    const query = new URLSearchParams({
      iss: issuer,
      login_hint: 'bob@bolt.example',
      target_link_uri: `${servers.workerUrl}/auth/account`,
    })
    return `${servers.workerUrl}/auth/initiate/company-bolt?${query}`
  }
  await page.setContent(`<a href="${start('https://somebody.example')}">Somebody else</a>`)
  await page.getByRole('link').click()
  await page.waitForURL(`${servers.workerUrl}/**`)
  await look(page, 'companies-not-initiated')
  expect(bolt.issuer).not.toBe(new URL(page.url()).origin)
  expect(await sessionOf(page.context())).toBeNull()

  await page.setContent(`<a href="${start(bolt.issuer).replaceAll('&', '&amp;')}">Our app</a>`)
  await page.getByRole('link').click()
  await passAs(page, 'Bob Example', bolt)
  await page.waitForURL(`${servers.workerUrl}/auth/account`)
  expect(await sessionOf(page.context())).toMatchObject({ company: 'bolt' })
})

const VERIFIERS = ['express', 'hono', 'sveltekit', 'worker'] as const

test('by the clock: a sign-in that ends at the provider is over in every app within 15 seconds', async () => {
  const service = `${servers.workerUrl}/auth`
  vi.stubEnv('AUTH_URL', service)
  const apps: ClaimsApps = await startClaimsApps(service, 'https://api.example/')
  try {
    const page = await visitor()
    await typeAddress(page, 'bob@bolt.example')
    await passAs(page, 'Bob Example', bolt)
    await page.waitForURL(`${servers.workerUrl}/auth/account`)
    const cookies = await page.context().cookies(servers.workerUrl)
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
    const isIn = async (name: (typeof VERIFIERS)[number]) => {
      const answer = await fetch(apps[name], { headers: { cookie } })
      return (await answer.json()) !== null
    }
    expect(await Promise.all(VERIFIERS.map(isIn))).toEqual(VERIFIERS.map(() => true))

    await page.goto(`${bolt.issuer}/session/end`)
    const begun = performance.now()
    await page.getByRole('button', { name: /Yes/ }).click()
    const delays = await Promise.all(
      VERIFIERS.map(async (name) => {
        while (await isIn(name)) {
          if (performance.now() - begun > 60_000) throw new Error(`${name} has not heard of it.`)
          await sleep(100)
        }
        return performance.now() - begun
      }),
    )
    expect(await sessionOf(page.context())).toBeNull()
    const shown = VERIFIERS.map((name, at) => `${name} ${((delays[at] ?? 0) / 1000).toFixed(1)} s`)
    console.log(`A sign-in that ended at the provider was over at ${shown.join(', ')}.`)
    // The contract's bound: `revocation.maxDelay`.
    expect(Math.max(...delays)).toBeLessThan(15_000)
  } finally {
    await apps.stop()
    vi.unstubAllEnvs()
  }
})
