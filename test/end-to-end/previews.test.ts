import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import videoapp from '@latchkey/worker/providers/videoapp'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { type DevServers, sandboxAddresses } from '../../scripts/dev-servers.ts'
import { startWranglerDev, type WranglerDev } from '../../scripts/wrangler-dev.ts'
import { type Running, startApp, versions } from '../express/support.ts'
import { launchBrowser } from '../support/browser.ts'
import { startTestServers } from '../support/dev.ts'
import { freePort } from '../support/free-port.ts'

/**
 * The Worker is the proxy, at the one address that the video app knows. Previews are another Worker with the
 * same environment, and an app that serves the auth routes itself.
 */
let browser: Browser
let servers: DevServers
let preview: WranglerDev
let express: Running
let proxyUrl: string
let shared: Record<string, string>
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchkey-preview-'))
  servers = await startTestServers((port) => {
    // Cookies know no port, so that proxy and previews are at two hosts.
    proxyUrl = `http://127.0.0.1:${port}`
    shared = {
      AUTH_SECRET: 'a-secret-of-proxy-and-previews-0123456789',
      AUTH_REDIRECT_PROXY_URL: `${proxyUrl}/auth`,
      AUTH_TRUSTED_ORIGINS: 'http://localhost:*',
    }
    return shared
  })
  const addresses = sandboxAddresses(Number(new URL(servers.sandboxUrl).port))
  const client = { AUTH_VIDEO_ID: 'sandbox-client-key', AUTH_VIDEO_SECRET: 'sandbox-client-secret' }
  preview = await startWranglerDev({
    name: 'preview',
    port: await freePort(),
    config: 'wrangler.toml',
    persistTo: folder,
    envFile: '/dev/null',
    vars: { ...client, ...addresses, ...shared },
  })
  for (const [name, value] of Object.entries({ ...client, ...addresses, ...shared })) {
    vi.stubEnv(name, value)
  }
  const [version] = versions.slice(-1)
  if (version) express = await startApp(version, { providers: [videoapp()] })
  browser = await launchBrowser()
})
afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()))
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await browser?.close()
  await Promise.all([express?.stop(), preview?.stop(), servers?.stop()])
  await rm(folder, { recursive: true, force: true })
})

/** A page without scripts, and every address that it has asked for since. */
async function opened(origin: string): Promise<{ page: Page; asked: URL[] }> {
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  const asked: URL[] = []
  page.on('request', (request) => asked.push(new URL(request.url())))
  await page.goto(`${origin}/auth/signin?callbackUrl=/auth/account`)
  await page.getByRole('button', { name: 'Continue with Video App' }).click()
  await page.waitForURL(`${servers.sandboxUrl}/**`)
  return { page, asked }
}

const previews: Record<string, () => string> = {
  'a Worker': () => preview.url,
  'an Express app': () => `http://localhost:${express.port}`,
}

test.each(Object.entries(previews))(
  '%s at another port signs in through the Worker',
  async (_, at) => {
    const origin = at()
    const { page, asked } = await opened(origin)
    await page.getByLabel(/Ada/).check()
    await page.getByRole('button', { name: /Allow/ }).click()
    await page.waitForURL(`${origin}/auth/account`)
    expect(await page.locator('main').textContent()).toContain('Ada')

    const [toProxy, toPreview] = asked.filter(({ pathname }) =>
      pathname.endsWith('/callback/videoapp'),
    )
    expect(toProxy?.origin).toBe(proxyUrl)
    expect(toPreview?.origin).toBe(origin)
    const code = toProxy?.searchParams.get('code') ?? ''
    expect(code.length).toBeGreaterThan(10)
    expect([...(toPreview?.searchParams.keys() ?? [])]).toEqual(['flow', 'passed'])
    expect(decodeURIComponent(toPreview?.href ?? '')).not.toContain(code)
    expect((await page.context().cookies(proxyUrl)).map(({ name }) => name)).toEqual([])
    const session = await page.request.get(`${origin}/auth/session`)
    expect(((await session.json()) as { user: { name: string } }).user.name).toContain('Ada')
  },
)

test('if a person cancels at the video app, the preview says so', async () => {
  const { page } = await opened(preview.url)
  await page.getByRole('button', { name: /Cancel/ }).click()
  await page.waitForURL(/error=OAuthCallbackError&code=access_denied/)
  expect(new URL(page.url()).origin).toBe(preview.url)
  expect(await page.getByRole('status').textContent()).toMatch(/cancel/i)
})

test('a stolen answer does not sign in in another browser', async () => {
  const { page, asked } = await opened(preview.url)
  await page.getByLabel(/Ada/).check()
  await page.getByRole('button', { name: /Allow/ }).click()
  await page.waitForURL(`${preview.url}/auth/account`)
  const passed = asked.find(({ searchParams }) => searchParams.has('passed'))
  const other = await browser.newContext({ javaScriptEnabled: false })
  const victim = await other.newPage()
  await victim.goto(passed?.href ?? '')
  expect(new URL(victim.url()).searchParams.get('error')).toBe('InvalidCheck')
  expect((await other.cookies()).map(({ name }) => name)).not.toContain('auth.session-token')
})

test('the Worker’s own sign-ins are its own', async () => {
  const { page, asked } = await opened(proxyUrl)
  await page.getByLabel(/Ada/).check()
  await page.getByRole('button', { name: /Allow/ }).click()
  await page.waitForURL(`${proxyUrl}/auth/account`)
  expect(asked.filter(({ searchParams }) => searchParams.has('passed'))).toEqual([])
})
