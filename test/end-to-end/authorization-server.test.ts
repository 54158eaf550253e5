import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { DevServers } from '../../scripts/dev-servers.ts'
import { readDevVars } from '../../scripts/dev-vars.ts'
import { rootDir } from '../../scripts/wrangler-dev.ts'
import { launchBrowser } from '../support/browser.ts'
import { startTestServers } from '../support/dev.ts'
import { freePort } from '../support/free-port.ts'
import { look } from '../support/look.ts'

/**
 * examples/spa, examples/cli and a SvelteKit app at the shipped Worker, which is an authorization server by variables
 * alone.
 */
const folder = (name: string) => join(rootDir, 'examples', name)
const run = promisify(execFile)

let servers: DevServers
let browser: Browser
/** The page of the app and its API: another origin than that of the service. */
let app: { readonly url: string; readonly process: ChildProcess }
/** A SvelteKit app as built, whose server has a secret and keeps the tokens. */
let kit: { readonly url: string; readonly variables: Readonly<Record<string, string>> }
let home: string

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'latchkey-cli-'))
  const port = await freePort()
  const url = `http://localhost:${port}`
  const vars = Object.entries(readDevVars(join(folder('spa'), 'service.vars')))
  const here = vars.map(([name, value]) => [name, value.replace('http://localhost:3000', url)])
  kit = await kitOn(await freePort())
  servers = await startTestServers({ ...Object.fromEntries(here), ...kit.variables })
  const env = { ...process.env, PORT: `${port}`, AUTH_WORKER_URL: `${servers.workerUrl}/auth` }
  const script = join(folder('spa'), 'dist/server.js')
  app = { url, process: spawn(process.execPath, [script], { env, stdio: 'ignore' }) }
  await vi.waitUntil(() => fetch(url).catch(() => undefined), { timeout: 60_000 })
  browser = await launchBrowser()
})

afterAll(async () => {
  await browser?.close()
  app?.process.kill()
  await servers?.stop()
  rmSync(home, { recursive: true, force: true })
})

const KIT_SECRET = 'a-secret-of-the-kit-app-0123456789abcdef'

async function kitOn(port: number): Promise<typeof kit> {
  const url = `http://localhost:${port}`
  return {
    url,
    variables: {
      AUTH_APP_KIT_NAME: 'Kit notes',
      AUTH_APP_KIT_REDIRECT_URIS: `${url}/callback`,
      AUTH_APP_KIT_SECRET: KIT_SECRET,
      AUTH_RESOURCE_KIT_NAME: 'Kit API',
      AUTH_RESOURCE_KIT_URI: `${url}/api`,
      AUTH_RESOURCE_KIT_SCOPES: '{"notes:read":"Read your notes"}',
    },
  }
}

/** A person comes from the sign-in page of the service, by the sandbox. */
async function signIn(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Continue with Video App' }).click()
  await page.getByLabel(/Ada/).check()
  await page.getByRole('button', { name: /Allow/ }).click()
}

const answerOn = (page: Page) => page.locator('#answer').textContent()

/** Clicks until the API answers with this status. The button is gone after a 401: each answer is awaited. */
async function untilAnswers(
  page: Page,
  status: number,
  url = `${app.url}/api/notes`,
): Promise<void> {
  await expect
    .poll(async () => {
      const answer = page.waitForResponse(url)
      await page.getByRole('button', { name: 'Call the API' }).click()
      return (await answer).status()
    })
    .toBe(status)
  await expect.poll(() => answerOn(page)).toMatch(new RegExp(`^${status} `))
}

/** A person ends the access of their only app, on the page of their apps. */
async function endAccess(context: BrowserContext): Promise<Page> {
  const apps = await context.newPage()
  await apps.goto(`${servers.workerUrl}/auth/account/apps`)
  await look(apps, 'account-apps')
  await apps.getByRole('button', { name: /^Remove access/ }).click()
  const ended = apps.waitForResponse((answer) => answer.url().endsWith('/apps/remove'))
  await apps
    .getByRole('dialog')
    .getByRole('button', { name: /^Remove access/ })
    .click()
  await ended
  return apps
}

async function openApp(context: BrowserContext): Promise<Page> {
  const page = await context.newPage()
  await page.goto(app.url)
  await page.getByRole('button', { name: 'Sign in' }).click()
  return page
}

test('a single-page app on another origin signs in, calls its API, is ended on the page of its apps, and signs out', async () => {
  const context = await browser.newContext()
  const page = await openApp(context)
  await signIn(page)
  await page.getByRole('heading', { name: /Notes/ }).waitFor()
  expect(await page.getByText('Read your notes').count()).toBe(1)
  await look(page, 'consent-spa')
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  await page.getByText('You are signed in.').waitFor()
  expect(page.url()).toBe(`${app.url}/`)
  await untilAnswers(page, 200)
  expect(await answerOn(page)).toMatch(/^200 \{"user":"[^"]+","app":"spa","notes":\[/)

  // A reload has lost the access token, and gets another one.
  await page.reload()
  await page.getByText('You are signed in.').waitFor()
  await untilAnswers(page, 200)

  const apps = await endAccess(context)
  // Within 15 s on a machine that is not busy, by the feed: the token itself lasts for five minutes.
  await untilAnswers(page, 401)
  expect(await answerOn(page)).toBe('401 {"error":"invalid_token"}')
  await page.getByText('You are signed out.').waitFor()

  // The session goes on: the app only asks for the access again. Then it signs out here and there.
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  await untilAnswers(page, 200)
  const signedOut = page.waitForResponse((answer) => answer.url().includes('/oauth/end-session?'))
  await page.getByRole('button', { name: 'Sign out' }).click()
  const answer = await signedOut
  expect([answer.status(), answer.headers().location]).toEqual([302, `${app.url}/`])
  await page.getByText('You are signed out.').waitFor()
  await apps.goto(`${servers.workerUrl}/auth/account`)
  expect(apps.url()).toContain('/auth/signin?callbackUrl=')
  await context.close()
})

test('a SvelteKit app with a secret signs in, its API answers, and refuses after the app is ended', async () => {
  const root = join(rootDir, 'test/sveltekit/oauth-app')
  const worker = `${servers.workerUrl}/auth`
  await run(process.execPath, [join(rootDir, 'node_modules/vite/bin/vite.js'), 'build'], {
    cwd: root,
    env: { PATH: process.env.PATH, AUTH_WORKER_URL: worker, ORIGIN: kit.url },
  })
  const child = spawn(process.execPath, [join(root, '.svelte-kit/build/index.js')], {
    env: {
      PATH: process.env.PATH,
      HOST: '127.0.0.1',
      PORT: new URL(kit.url).port,
      ORIGIN: kit.url,
      AUTH_WORKER_URL: worker,
      CLIENT_SECRET: KIT_SECRET,
    },
    stdio: 'ignore',
  })
  try {
    await vi.waitUntil(() => fetch(kit.url).catch(() => undefined), { timeout: 60_000 })
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(kit.url)
    await page.getByRole('link', { name: 'Sign in' }).click()
    await signIn(page)
    await page.getByRole('heading', { name: /Kit notes/ }).waitFor()
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await page.getByText('Signed in as Ada').waitFor()
    expect(page.url()).toBe(`${kit.url}/`)
    await untilAnswers(page, 200, `${kit.url}/call`)
    expect(await answerOn(page)).toMatch(/^200 \{"user":"[^"]+","app":"kit"\}$/)
    await endAccess(context)
    await untilAnswers(page, 401, `${kit.url}/call`)
    await context.close()
  } finally {
    child.kill()
  }
})

test('a person who does not allow the app stays signed out, and it says so', async () => {
  const context = await browser.newContext()
  const page = await openApp(context)
  await signIn(page)
  await page.getByRole('button', { name: 'Do not allow' }).click()
  await page.getByText('access_denied').waitFor()
  expect(await page.getByText('You are signed out.').count()).toBe(1)
  await context.close()
})

test('a command line signs in by the page for devices, and the next time without a question', async () => {
  const file = join(home, 'token')
  const env = {
    ...process.env,
    ISSUER: `${servers.workerUrl}/auth`,
    API: `${app.url}/api`,
    TOKEN_FILE: file,
  }
  const script = join(folder('cli'), 'dist/cli.js')
  const again = async (...args: string[]) =>
    (await run(process.execPath, [script, ...args], { env })).stdout
  const child = spawn(process.execPath, [script], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  let printed = ''
  child.stdout?.on('data', (text) => {
    printed += text
  })
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await expect.poll(() => printed).toMatch(/enter the code \S+/)
  const [, address = '', code = ''] = /Open (\S+) and enter the code (\S+)/.exec(printed) ?? []
  expect(code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
  await page.goto(address)
  await signIn(page)
  await page.getByLabel('Code').fill(code.toLowerCase())
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByText(code).waitFor()
  await look(page, 'consent-device')
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  await page.getByRole('heading', { name: 'Your device is connected' }).waitFor()

  await expect.poll(() => printed).toMatch(/^200 \{"user":"[^"]+","app":"cli"/m)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const first = readFileSync(file, 'utf8')
  expect(await again()).toMatch(/^200 /)
  const second = readFileSync(file, 'utf8')
  expect(second).not.toBe(first)
  expect(statSync(file).mode & 0o777).toBe(0o600)

  expect(await again('sign-out')).toBe('You are signed out.\n')
  expect(() => statSync(file)).toThrow('ENOENT')
  // A copy of the token does not work any more.
  const answer = await fetch(`${servers.workerUrl}/auth/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'refresh_token',
      client_id: 'cli',
      refresh_token: second,
    }),
  })
  expect(await answer.json()).toMatchObject({ error: 'invalid_grant' })
  await context.close()
})
