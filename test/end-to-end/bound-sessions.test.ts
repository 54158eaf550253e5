import { createHash, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { getRequestListener } from '@hono/node-server'
import { type AuthHandlerConfig, authHandler, getSession } from '@latchkey/hono'
import credentials from '@latchkey/hono/providers/credentials'
import { memoryStore } from '@latchkey/worker/stores/memory'
import { Hono } from 'hono'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { generate } from 'selfsigned'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { findPrograms } from '../support/database-programs.ts'

/** A site of its own: the browser binds sessions over https alone. */
const HOST = 'app.bound.example'
const COOKIE = '__Host-auth.session-token'

/** The life of a token: the test waits for its end. Chromium signs six times in nine minutes. Seconds. */
const LIFE = 30

/**
 * Without a TPM Chromium takes keys in software, and with a certificate of ours only if it is named by its key: a session is not bound
 * where errors of certificates are ignored.
 */
const SWITCHES = [
  '--enable-features=DeviceBoundSessions,EnableBoundSessionCredentialsSoftwareKeysForManualTesting',
  `--host-resolver-rules=MAP ${HOST} 127.0.0.1`,
]

const found = await findPrograms('Chromium')

let browser: Browser
let server: Server
let origin: string
/** The requests that the service got, with what it answered. */
const seen: string[] = []

function app(): Hono {
  const config: AuthHandlerConfig = {
    secret: 'a-secret-of-the-bound-app-0123456789abcd',
    trustHost: true,
    logger: { error() {}, warn() {}, info() {} },
    boundSessions: true,
    session: { tokenMaxAge: LIFE },
    store: memoryStore(),
    providers: [
      credentials({
        credentials: { username: { label: 'Name' } },
        authorize: ({ username }) => ({ id: String(username), name: String(username) }),
      }),
    ],
  }
  const made = new Hono()
  made.use(async (c, next) => {
    await next()
    seen.push(`${c.req.method} ${c.req.path} ${c.res.status}`)
  })
  made.all('/auth/*', authHandler(config))
  made.get('/', async (c) => {
    const session = await getSession(c, config)
    const bound = session?.bound ? ' in a bound session' : ''
    return c.html(
      `<link rel="icon" href="data:,"><p>You are ${session?.user?.name ?? 'nobody'}${bound}.</p>`,
    )
  })
  return made
}

beforeAll(async () => {
  const made = await generate([{ name: 'commonName', value: HOST }], { algorithm: 'sha256' })
  const listener = getRequestListener((request) => served.fetch(request))
  const served = app()
  server = createServer({ key: made.private, cert: made.cert }, listener).listen(0)
  await once(server, 'listening')
  origin = `https://${HOST}:${(server.address() as AddressInfo).port}`
  const spki = new X509Certificate(made.cert).publicKey.export({ type: 'spki', format: 'der' })
  const hash = createHash('sha256').update(spki).digest('base64')
  if ('why' in found) return
  const { bin, env } = found
  const known = Object.entries(env).flatMap(([name, value]) => (value ? [[name, value]] : []))
  browser = await launchBrowser([...SWITCHES, `--ignore-certificate-errors-spki-list=${hash}`], {
    executablePath: join(bin, 'chromium'),
    env: Object.fromEntries(known),
  })
})

afterAll(async () => {
  await browser?.close()
  server?.close()
})

const count = (line: string) => seen.filter((one) => one === line).length

async function tokenOf(context: BrowserContext): Promise<string | undefined> {
  const cookies = await context.cookies(origin)
  return cookies.find(({ name }) => name === COOKIE)?.value
}

const isBound = (token = '..') => {
  const payload = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString() || '{}'
  return JSON.parse(payload).cnf !== undefined
}

/** A second profile with a copy of a cookie. */
async function thiefWith(token: string): Promise<Page> {
  const context = await browser.newContext()
  const cookie = { name: COOKIE, value: token, url: origin, secure: true, httpOnly: true }
  await context.addCookies([{ ...cookie, sameSite: 'Lax' }])
  return context.newPage()
}

const textOf = async (page: Page) => {
  await page.goto(`${origin}/`)
  return page.locator('p').textContent()
}

const until = (time: number) =>
  new Promise((resolve) => setTimeout(resolve, Math.max(0, time - Date.now())))

test.skipIf('why' in found)(
  'Chromium binds a session and renews it by proof, and copies of its cookie end with their tokens',
  async () => {
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(`${origin}/auth/signin`)
    await page.fill('input[name=username]', 'ada')
    const signedIn = page.waitForResponse((one) => one.url().endsWith('/auth/callback/credentials'))
    await page.locator('form button[type=submit]').first().click()
    const lines = await (await signedIn).headersArray()
    const set = lines.find(
      ({ name, value }) => /^set-cookie$/i.test(name) && value.includes(COOKIE),
    )
    const first = /session-token=([^;]+)/.exec(set?.value ?? '')?.[1] ?? ''
    expect(isBound(first)).toBe(false)
    const begun = Date.now()

    await expect.poll(async () => isBound(await tokenOf(context)), { timeout: 20_000 }).toBe(true)
    expect(count('POST /auth/bound/register 200')).toBe(1)
    const copied = (await tokenOf(context)) ?? ''

    const early = await thiefWith(first)
    const late = await thiefWith(copied)
    expect(await textOf(early)).toBe('You are ada.')
    expect(await textOf(late)).toBe('You are ada in a bound session.')

    // Its owner makes no request, so that there is no proof yet: the copy of the first second is renewed.
    await until(begun + (LIFE + 2) * 1000)
    expect(await textOf(late)).toBe('You are nobody.')
    expect(await textOf(early)).toBe('You are ada.')
    const renewed = (await tokenOf(early.context())) ?? ''
    expect(renewed).not.toBe(first)
    expect(isBound(renewed)).toBe(false)

    // The browser's cookie has ended with its token: the request waits for the proof.
    expect(count('POST /auth/bound/refresh 200')).toBe(0)
    expect(await textOf(page)).toBe('You are ada in a bound session.')
    expect(count('POST /auth/bound/refresh 200')).toBeGreaterThan(0)
    const proved = Date.now()

    await until(proved + (LIFE + 2) * 1000)
    expect(await textOf(early)).toBe('You are nobody.')
    expect(await textOf(page)).toBe('You are ada in a bound session.')
    expect(seen.filter((one) => /^POST .auth.bound.refresh [45]/.test(one))).toEqual([])
  },
  180_000,
)

test.skipIf('why' in found)(
  'a sign-out ends a bound session, and its page in Chromium knows nobody',
  async () => {
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(`${origin}/auth/signin`)
    await page.fill('input[name=username]', 'grace')
    await page.locator('form button[type=submit]').first().click()
    await expect.poll(async () => isBound(await tokenOf(context)), { timeout: 20_000 }).toBe(true)
    await page.goto(`${origin}/auth/signout`)
    await page.locator('form button[type=submit]').first().click()
    await page.waitForURL((url) => url.pathname === '/')
    expect(await page.locator('p').textContent()).toBe('You are nobody.')
    expect(await tokenOf(context)).toBeUndefined()
  },
  120_000,
)
