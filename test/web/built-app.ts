import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { serve } from '@hono/node-server'
import { createSandbox, defaultClient } from '@latchkey/sandbox'
import { createAuth } from '@latchkey/worker'
import videoapp from '@latchkey/worker/providers/videoapp'
import { memoryStore } from '@latchkey/worker/stores/memory'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { sandboxSettings } from '../../scripts/dev-servers.ts'
import { rootDir } from '../../scripts/wrangler-dev.ts'
import { ask } from '../express/support.ts'
import { launchBrowser } from '../support/browser.ts'
import { endedToken } from '../support/ended-token.ts'
import { freePort } from '../support/free-port.ts'

/** An example of `@latchkey/web`, and the arguments of Node that build and start it. */
interface BuiltExample {
  /** Its folder below `examples`. */
  readonly name: string
  readonly build: readonly string[]
  readonly start: readonly string[]
}

const AUTH_SECRET = 'a-secret-of-the-built-apps-0123456789ab'

/** Each example as it is built: with the auth routes in its process, and by a variable from a Worker. */
export function testBuiltApp({ name, build, start }: BuiltExample): void {
  const example = join(rootDir, 'examples', name)
  const stops: (() => unknown)[] = []
  const variables = { PATH: process.env.PATH, HOME: process.env.HOME }
  let browser: Browser
  let inProcess: App
  let forwarded: App

  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), `latchkey-${name}-`))
    stops.push(() => rm(folder, { recursive: true, force: true }))
    const [own, other] = [await freePort(), await freePort()]
    const [sandboxPort, workerPort] = [await freePort(), await freePort()]
    const redirectUris = [own, other].map(
      (port) => `http://localhost:${port}/auth/callback/videoapp`,
    )
    const sandbox = createSandbox({ clients: [{ ...defaultClient, redirectUris }] })
    const worker = createAuth({
      basePath: '/auth',
      store: memoryStore(),
      providers: [videoapp()],
      trustedOrigins: [`http://localhost:${other}`],
      logger: { error() {}, warn() {} },
    })
    const env = { ...sandboxSettings(sandboxPort), AUTH_SECRET }
    const services = [
      [sandbox.fetch, sandboxPort],
      [(request: Request) => worker.fetch(request, env), workerPort],
    ] as const
    for (const [fetch, port] of services) {
      const server = serve({ fetch, port })
      stops.push(() => server.close())
    }
    // As a build server has it: without a secret.
    const building = { ...variables, ASTRO_TELEMETRY_DISABLED: '1' }
    await promisify(execFile)(process.execPath, [...build], { cwd: example, env: building })
    inProcess = await startApp(own, { ...env, AUTH_STORE: `file:${join(folder, 'auth.db')}` })
    const AUTH_WORKER_URL = `http://localhost:${workerPort}/auth`
    forwarded = await startApp(other, { AUTH_WORKER_URL })
    browser = await launchBrowser()
    stops.push(() => browser.close())
  })
  afterAll(async () => {
    for (const stop of stops.reverse()) await stop()
  })

  async function startApp(port: number, settings: Record<string, string>): Promise<App> {
    const deployed = { ...variables, NODE_ENV: 'production', HOST: '127.0.0.1', PORT: `${port}` }
    const url = `http://localhost:${port}`
    const begin = async () => {
      const env = { ...deployed, ...settings }
      const child = spawn(process.execPath, [...start], { cwd: example, env, stdio: 'ignore' })
      const answers = () => child.exitCode !== null || fetch(url).catch(() => false)
      await vi.waitUntil(answers, { timeout: 60_000 })
      expect(child.exitCode).toBe(null)
      return async () => {
        if (child.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit')
      }
    }
    let end = await begin()
    stops.push(() => end())
    const restart = async () => {
      await end()
      end = await begin()
    }
    return { url, port, restart }
  }

  test('without JavaScript a person goes from the guarded page to the sign-in, is known after a restart, renewed by one cookie, and signs out', async () => {
    const { url, restart } = inProcess
    const page = await openPage(browser, false)
    await page.goto(`${url}/members?from=mail`)
    expect(page.url()).toBe(`${url}/auth/signin?callbackUrl=%2Fmembers%3Ffrom%3Dmail`)
    await page.getByRole('button', { name: 'Continue with Video App' }).click()
    await allow(page)
    await page.waitForURL(`${url}/members?from=mail`)
    await page.getByText('Hello Ada Example').waitFor()
    await restart()
    await page.goto(url)
    await page.getByText('Signed in as Ada Example').waitFor()
    const [kept] = (await page.context().cookies()).filter(({ name }) => /session-token/.test(name))
    const cookie = await endedToken(`${kept?.name}=${kept?.value}`, AUTH_SECRET)
    const renewed = await fetch(`${url}/members`, { headers: { cookie } })
    expect(await renewed.text()).toContain('Ada Example')
    expect(renewed.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^auth[.]session-token=e/),
    ])
    expect(renewed.headers.get('cache-control')).toBe('private, no-store')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('Nobody is signed in').waitFor()
    await page.goto(`${url}/members`)
    expect(page.url()).toBe(`${url}/auth/signin?callbackUrl=%2Fmembers`)
  })

  test('by a Worker a person signs in and out with the app’s own forms, and nothing guarded is left', async () => {
    const { url } = forwarded
    const page = await openPage(browser, true)
    await page.goto(url)
    await page.getByRole('button', { name: 'Continue with Video App' }).click()
    await allow(page)
    await page.waitForURL(`${url}/members`)
    await page.getByText('Hello Ada Example').waitFor()
    await page.getByRole('link', { name: 'Home' }).click()
    await page.getByText('Signed in as Ada Example').waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('Nobody is signed in').waitFor()
    await page.goBack()
    await page.reload()
    expect(await page.locator('body').textContent()).not.toContain('Ada')
    await page.getByRole('link', { name: 'Members' }).click()
    await page.waitForURL(`${url}/auth/signin?callbackUrl=%2Fmembers`)
    const refused = await fetch(`${url}/me`, { headers: { accept: 'application/json' } })
    expect([refused.status, await refused.json()]).toEqual([401, { error: 'SessionRequired' }])
    expect(refused.headers.get('cache-control')).toBe('private, no-store')
  })

  test('attack: forms of other sites, and a Host that nothing vouches for, are refused', async () => {
    const { url, port } = inProcess
    const body = 'provider=videoapp'
    const form = { 'content-type': 'application/x-www-form-urlencoded', host: `localhost:${port}` }
    for (const path of ['/enter', '/leave']) {
      for (const site of [
        { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
        { origin: url, 'sec-fetch-site': 'same-site' },
        { origin: 'null' },
        {},
      ]) {
        const headers = { ...form, ...site }
        const answer = await ask(port, path, { method: 'POST', headers, body })
        expect([path, site, answer.status, answer.cookies]).toEqual([path, site, 403, []])
      }
    }
    const headers = { host: 'evil.example' }
    expect((await ask(port, '/auth/csrf', { headers })).status).toBe(400)
  })
}

interface App {
  readonly url: string
  readonly port: number
  restart(): Promise<void>
}

async function openPage(browser: Browser, javaScriptEnabled: boolean): Promise<Page> {
  return (await browser.newContext({ javaScriptEnabled })).newPage()
}

/** On the provider's page. */
async function allow(page: Page): Promise<void> {
  await page.getByLabel(/Ada/).check()
  await page.getByRole('button', { name: /Allow/ }).click()
}
