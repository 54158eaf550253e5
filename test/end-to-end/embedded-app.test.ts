import { once } from 'node:events'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { type AuthHandlerConfig, authHandler, getSession } from '@latchkey/hono'
import credentials from '@latchkey/hono/providers/credentials'
import { Hono } from 'hono'
import type { Browser, Frame, Page } from 'playwright-core'
import { generate } from 'selfsigned'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { launchBrowser } from '../support/browser.ts'

/** An app in the frame of another site: hosts below `localhost` are sites of their own. */
let browser: Browser
let page: Page
const servers: Server[] = []

const config = (sameSite: 'lax' | 'none'): AuthHandlerConfig => ({
  secret: 'a-secret-of-the-embedded-app-0123456789',
  trustHost: true,
  logger: { error() {}, warn() {} },
  cookies: { sessionToken: { options: { sameSite } } },
  providers: [
    credentials({
      authorize: ({ username }) => ({ id: String(username), name: String(username) }),
    }),
  ],
})

/** A page of the app's own: our pages are in no frame. */
const form = `
  <form method="post" action="/auth/callback/credentials">
    <input name="csrfToken"><input name="username"><input name="callbackUrl" value="/">
    <button>Sign in</button>
  </form>
  <form method="post" action="/auth/signout">
    <input name="csrfToken"><input name="callbackUrl" value="/"><button>Sign out</button>
  </form>
  <script type="module">
    const { csrfToken } = await (await fetch('/auth/csrf')).json()
    for (const input of document.getElementsByName('csrfToken')) input.value = csrfToken
    document.body.append('ready')
  </script>`

function appWith(sameSite: 'lax' | 'none'): Hono {
  const app = new Hono()
  const own = config(sameSite)
  app.all('/auth/*', authHandler(own))
  app.get('/portal', (c) => c.html(`<iframe src="${c.req.query('of')}"></iframe>`))
  app.get('/', async (c) => {
    const session = await getSession(c, own)
    return c.html(`<body><p>You are ${session?.user?.name ?? 'nobody'}.</p>${form}`)
  })
  return app
}

/** @returns the app's port */
async function serve(app: Hono): Promise<number> {
  const made = await generate([{ name: 'commonName', value: 'localhost' }], { algorithm: 'sha256' })
  const listener = getRequestListener((request) => app.fetch(request))
  const server = createServer({ key: made.private, cert: made.cert }, listener).listen(0)
  servers.push(server)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

beforeAll(async () => {
  browser = await launchBrowser()
})

// A cookie belongs to a host, whatever its port.
beforeEach(async () => {
  page = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage()
})

afterAll(async () => {
  await browser?.close()
  for (const server of servers) server.close()
})

/** The app in the frame of a portal. */
async function frameIn(portal: string, port: number): Promise<Frame> {
  const of = encodeURIComponent(`https://app.localhost:${port}/`)
  await page.goto(`https://${portal}.localhost:${port}/portal?of=${of}`)
  const frame = page.frames().find((one) => one.url().includes('//app.'))
  if (!frame) throw new Error('The portal has no frame.')
  await frame.getByText('ready').waitFor()
  return frame
}

async function signIn(frame: Frame): Promise<void> {
  await frame.locator('[name=username]').fill('ada')
  await frame.getByRole('button', { name: 'Sign in' }).click()
}

const who = (frame: Frame) => frame.getByText('You are').textContent()

test('with sameSite "none" a user signs in within the frame, for that site alone', async () => {
  const port = await serve(appWith('none'))
  const frame = await frameIn('portal', port)
  await signIn(frame)
  await frame.getByText('You are ada.').waitFor()
  expect(await who(await frameIn('portal', port))).toBe('You are ada.')
  // Another site, and the app itself, have cookies of their own.
  expect(await who(await frameIn('another', port))).toBe('You are nobody.')
  await page.goto(`https://app.localhost:${port}/`)
  expect(await who(page.mainFrame())).toBe('You are nobody.')

  const again = await frameIn('portal', port)
  await again.getByRole('button', { name: 'Sign out' }).click()
  await again.getByText('You are nobody.').waitFor()
})

test('our own pages are in no frame', async () => {
  const port = await serve(appWith('none'))
  const frame = await frameIn('portal', port)
  await frame.goto(`https://app.localhost:${port}/auth/signin`).catch(() => undefined)
  expect(await page.frames()[1]?.getByRole('button').count()).toBe(0)
})

test('by default no user is signed in within the frame of another site', async () => {
  const port = await serve(appWith('lax'))
  const frame = await frameIn('portal', port)
  const answered = page.waitForResponse((answer) => answer.url().includes('/callback/'))
  await signIn(frame)
  expect((await answered).headers().location).toContain('error=MissingCSRF')
  expect(await who(await frameIn('portal', port))).toBe('You are nobody.')
})
