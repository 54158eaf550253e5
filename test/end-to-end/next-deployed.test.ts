import { once } from 'node:events'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import type { Browser, BrowserContext } from 'playwright-core'
import { generate } from 'selfsigned'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rootDir } from '../../scripts/wrangler-dev.ts'
import { signIn, signOut } from '../express/support.ts'
import { buildNextApp, type NextApp, startNextApp } from '../next/apps.ts'
import { launchBrowser } from '../support/browser.ts'
import { endedToken } from '../support/ended-token.ts'

/**
 * An app of Next with `output: 'standalone'`, without anything around it: in a container behind a proxy that ends TLS, and
 * as a platform runs it whose processes come and go.
 */
const SECRET = 'a-secret-of-the-next-tests-0123456789ab'
const WORD = 'swordfish'
const base = '/api/auth'
/** As docs/next-deployment.md has it. */
const CONFIG = `output: 'standalone',
  outputFileTracingIncludes: { '/**': ['./node_modules/@latchkey/**', './node_modules/jose/**'] },
  typescript: { ignoreBuildErrors: true },`

/** What a container has. */
let container: string
/** The app in it. */
let folder: string
let browser: Browser

beforeAll(async () => {
  container = await mkdtemp(join(tmpdir(), 'latchkey-container-'))
  ;[folder, browser] = await Promise.all([build(), launchBrowser()])
})
afterAll(async () => {
  await browser?.close()
  await rm(container, { recursive: true, force: true })
})

async function build(): Promise<string> {
  const built = await buildNextApp({ source: 'app', config: CONFIG })
  const app = join(container, relative(rootDir, built.folder))
  await cp(join(built.folder, '.next/standalone'), container, { recursive: true })
  await cp(join(built.folder, '.next/static'), join(app, '.next/static'), { recursive: true })
  await built.remove()
  return app
}

const start = (variables: Record<string, string>) =>
  startNextApp(folder, { AUTH_SECRET: SECRET, ...variables }, 'standalone')

/** What a proxy tells the app instead of what the browser has sent. */
type Told = (host: string) => Readonly<Record<string, string>>

/** A proxy that ends TLS. The app behind it may be started later. */
async function startProxy(told: Told) {
  const made = await generate([{ name: 'commonName', value: 'localhost' }], { algorithm: 'sha256' })
  let port = 0
  const server: Server = createServer({ key: made.private, cert: made.cert }, (req, res) => {
    const { method, url = '/', headers } = req
    const sent = { ...headers, ...told(headers.host ?? '') }
    const passed = request({ host: '127.0.0.1', port, method, path: url, headers: sent })
    passed.on('response', (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
      answer.pipe(res)
    })
    passed.on('error', () => res.writeHead(502).end())
    req.pipe(passed)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    passTo(app: NextApp): void {
      port = app.port
    },
    stop(): void {
      server.closeAllConnections()
      server.close()
    },
  }
}

const sessionCookie = async (context: BrowserContext) =>
  (await context.cookies()).find(({ name }) => name.endsWith('session-token'))

describe.each<[string, Told, (url: string) => Record<string, string>]>([
  [
    'AUTH_URL, and a proxy that keeps the scheme and the host to itself',
    (host) => ({ host: 'app.internal:3000', 'x-forwarded-host': host }),
    (url) => ({ AUTH_URL: url }),
  ],
  [
    'AUTH_TRUST_HOST, and a proxy that replaces what a client claims',
    (host) => ({
      host: 'app.internal:3000',
      'x-forwarded-host': host,
      'x-forwarded-proto': 'https',
      'x-forwarded-for': '203.0.113.7',
    }),
    () => ({ AUTH_TRUST_HOST: 'true' }),
  ],
])('in a container, with %s', (_, told, variables) => {
  let proxy: Awaited<ReturnType<typeof startProxy>>
  let app: NextApp

  beforeAll(async () => {
    proxy = await startProxy(told)
    app = await start(variables(proxy.url))
    proxy.passTo(app)
  })
  afterAll(async () => {
    await app?.stop()
    proxy?.stop()
  })

  test('a user signs in over TLS, is renewed, and signs out', async () => {
    const context = await browser.newContext({ ignoreHTTPSErrors: true })
    const page = await context.newPage()
    await page.goto(`${proxy.url}/members`)
    expect(page.url()).toBe(`${proxy.url}${base}/signin?callbackUrl=%2Fmembers`)
    await page.goto(`${proxy.url}/unproxied`)
    await page.getByLabel('User name').fill('ada')
    await page.getByLabel('Password').fill('right')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(`${proxy.url}/members`)
    await page.getByText(`Members, ada: ${WORD}`).first().waitFor()

    const cookie = await sessionCookie(context)
    expect(cookie).toMatchObject({
      name: '__Host-auth.session-token',
      secure: true,
      httpOnly: true,
      domain: 'localhost',
      path: '/',
    })
    const old = await endedToken(`${cookie?.name}=${cookie?.value}`, SECRET)
    const [name = '', value = ''] = old.split('=')
    await context.addCookies([{ name, value, url: proxy.url, httpOnly: true, secure: true }])
    await page.getByRole('link', { name: 'Home' }).click()
    await page.getByText('Home of ada').first().waitFor()
    await expect.poll(async () => (await sessionCookie(context))?.value).not.toBe(value)
    expect(await sessionCookie(context)).toMatchObject({ name, secure: true })

    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL(`${proxy.url}/unproxied`)
    expect(await sessionCookie(context)).toBe(undefined)
    const { videoapp } = await (await page.request.get(`${proxy.url}${base}/providers`)).json()
    expect(videoapp.callbackUrl).toBe(`${proxy.url}${base}/callback/videoapp`)
    await context.close()
  })
})

describe('on Vercel, as far as its variable and its headers go', () => {
  const HOST = 'shop-git-main.vercel.app'
  const headers = {
    host: HOST,
    'x-forwarded-host': HOST,
    'x-forwarded-proto': 'https',
    'x-forwarded-for': '203.0.113.7',
    'x-real-ip': '203.0.113.7',
    'x-vercel-forwarded-for': '203.0.113.7',
    'x-vercel-deployment-url': HOST,
    'x-vercel-id': 'fra1::iad1::abcde-1700000000000-0123456789ab',
  }

  /** A few requests, as the platform hands them on, to a process that ends after them. */
  async function briefly<Result>(
    variables: Record<string, string>,
    work: (app: NextApp) => Promise<Result>,
  ): Promise<Result> {
    const app = await start({ VERCEL: '1', ...variables })
    const ask: NextApp['ask'] = (path, options = {}) =>
      app.ask(path, { ...options, headers: { ...options.headers, ...headers } })
    try {
      return await work({ ...app, ask })
    } finally {
      await app.stop()
    }
  }
  const see = (app: NextApp, path: string, cookie: string) => app.ask(path, { headers: { cookie } })

  test('sessions of a store outlive the processes, and end in all of them', async () => {
    const store = { AUTH_STORE: `file:${join(container, 'sessions.db')}` }
    const { cookie, answer } = await briefly(store, (app) => signIn(app, { base }))
    expect(answer.headers.location).toBe(`https://${HOST}/`)
    expect(cookie).toContain('__Host-auth.session-token=')
    const old = await endedToken(cookie, SECRET)
    await briefly(store, async (app) => {
      const page = await see(app, '/members', cookie)
      expect([page.status, page.text.includes(WORD), page.cookies]).toEqual([200, true, []])
      const renewed = await see(app, '/members', old)
      expect(renewed.text).toContain(WORD)
      expect(renewed.cookies).toEqual([
        expect.stringMatching(/^__Host-auth\.session-token=[^;].*; Secure/),
      ])
      expect(app.printed.join('\n')).not.toContain('AUTH_STORE')
    })
    await briefly(store, (app) => signOut(app, cookie, base))
    await briefly(store, async (app) => {
      for (const sent of [cookie, old]) {
        expect((await see(app, '/who', sent)).text).toBe('{"name":null}')
      }
    })
  })

  test('without a store the log says as an error what to set', async () => {
    await briefly({}, async (app) => {
      await see(app, '/who', '')
      const said = app.printed.filter((line) => line.includes('AUTH_STORE'))
      expect(said).toEqual([expect.stringMatching(/AUTH_STORE, or `worker`/)])
    })
  })
})
