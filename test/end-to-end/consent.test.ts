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
/** An app on this machine, and what it was asked. */
let local: Server
const called: string[] = []
/** Where the app's callback may redirect to. */
let elsewhere: Server

const portOf = (server: Server) => (server.address() as AddressInfo).port

beforeAll(async () => {
  browser = await launchBrowser()
  elsewhere = createServer((_, answer) => answer.end('Arrived')).listen(0, '127.0.0.1')
  local = createServer(({ url = '' }, answer) => {
    const path = /^\/onwards\/(\d)/.exec(url)?.[1]
    if (path === undefined) return answer.end('Welcome on this machine')
    called.push(url)
    answer.writeHead(302, { location: targetOf(ONWARDS[Number(path)] ?? '') }).end()
  }).listen(0, '127.0.0.1')
  const onwards = ONWARDS.map((_, path) => `http://127.0.0.1/onwards/${path}`)
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
            redirectUris: [`${APP}/callback?tenant=1`, 'http://127.0.0.1/callback', ...onwards],
          },
          own: {
            redirectUris: onwards,
            firstParty: true,
            // Nobody is asked for a confidential app.
            secret: 'the-secret-of-a-confidential-app-0123',
            resources: {},
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
  for (const server of [service, local, elsewhere]) server?.close()
})

/** Where an app sends a browser. */
function addressFor(client_id: string, redirect_uri: string, scope: string): string {
  const parameters = new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri,
    code_challenge: 'A'.repeat(43),
    code_challenge_method: 'S256',
    scope,
    state: 'the-state',
  })
  return `http://localhost:${portOf(service)}/auth/oauth/authorize?${parameters}`
}

/** A browser at the page of a consent, by a sign-in, without a script. */
async function open(redirectUri: string, javaScriptEnabled = false): Promise<Page> {
  const context = await browser.newContext({ javaScriptEnabled })
  const name = `person ${++people}`
  const page = await context.newPage()
  await page.goto(addressFor('notes', redirectUri, 'openid offline_access notes:read'))
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

/** The kinds of targets to which the app's callback redirects. */
const ONWARDS = ['another origin', 'another host', 'a scheme', 'a scheme without a dot'] as const

/** Where the callback of the app at this path redirects to. */
function targetOf(kind: string): string {
  if (kind === 'another origin') return `http://127.0.0.1:${portOf(elsewhere)}/arrived`
  if (kind === 'another host') return 'https://app.example/arrived'
  return kind === 'a scheme' ? 'com.example.notes:/arrived' : 'cursor://arrived'
}

/** The addresses at which a browser has asked, and what its policies have stopped. */
function watch(page: Page) {
  const asked: string[] = []
  const stopped: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  page.on('console', (message) => {
    if (/Content Security Policy|form-action/.test(message.text())) stopped.push(message.text())
  })
  return { asked, stopped }
}

test.each(ONWARDS)(
  'bug report: an app whose callback redirects to %s gets its code from the page',
  async (kind) => {
    const path = ONWARDS.indexOf(kind)
    const page = await open(`http://127.0.0.1:${portOf(local)}/onwards/${path}`)
    const { asked, stopped } = watch(page)
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await expect.poll(() => asked.at(-1)).toBe(targetOf(kind))
    expect(stopped).toEqual([])
    expect(called.at(-1)).toMatch(/^\/onwards\/\d\?code=/)
    await page.context().close()
  },
)

test.each(ONWARDS)(
  'bug report: a sign-in for an app whose callback redirects to %s gets there, without a question',
  async (kind) => {
    const path = ONWARDS.indexOf(kind)
    const context = await browser.newContext()
    const page = await context.newPage()
    const { asked, stopped } = watch(page)
    const uri = `http://127.0.0.1:${portOf(local)}/onwards/${path}`
    await page.goto(addressFor('own', uri, 'openid'))
    await page.getByLabel('User name').fill(`person ${++people}`)
    await page.getByLabel('User name').press('Enter')
    await expect.poll(() => asked.at(-1)).toBe(targetOf(kind))
    expect(stopped).toEqual([])
    await context.close()
  },
)

test.each(ONWARDS)(
  'bug report: a sign-out by an app whose address redirects to %s gets there',
  async (kind) => {
    const path = ONWARDS.indexOf(kind)
    const uri = `http://127.0.0.1:${portOf(local)}/onwards/${path}`
    const page = await open(uri)
    const parameters = new URLSearchParams({ client_id: 'notes', post_logout_redirect_uri: uri })
    await page.goto(`http://localhost:${portOf(service)}/auth/oauth/end-session?${parameters}`)
    const { asked, stopped } = watch(page)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await expect.poll(() => asked.at(-1)).toBe(targetOf(kind))
    expect(stopped).toEqual([])
    await page.context().close()
  },
)
