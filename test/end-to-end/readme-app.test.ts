import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createAuth } from '@latchkey/worker'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { DevServers } from '../../scripts/dev-servers.ts'
import { rootDir } from '../../scripts/wrangler-dev.ts'
import { launchBrowser } from '../support/browser.ts'
import { startTestServers } from '../support/dev.ts'
import { endedToken } from '../support/ended-token.ts'

const AUTH_SECRET = 'a-secret-of-the-tests-0123456789abcdef'

let servers: DevServers
let browser: Browser
let app: Server
const folder = join(rootDir, 'test', '.readme-app')

beforeAll(async () => {
  servers = await startTestServers({ AUTH_SECRET })
  browser = await launchBrowser()
  mkdirSync(folder, { recursive: true })
  process.env.AUTH_ISSUER = `${servers.workerUrl}/auth`
  app = (await example<{ server: Server }>('docs/how-it-works.md', 'createServer(')).server
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve))
})

afterAll(async () => {
  app?.close()
  await browser?.close()
  await servers?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** The example of a page that contains this text, as a module. */
async function example<Module>(page: string, words: string): Promise<Module> {
  const text = readFileSync(join(rootDir, page), 'utf8')
  const codes = [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code)
  const file = join(folder, `${page.replaceAll(/\W/g, '-')}.ts`)
  writeFileSync(file, codes.find((code) => code.includes(words)) ?? '')
  return import(/* @vite-ignore */ file)
}

test('a test signs in by email with what docs/providers.md reads from the mailbox', async () => {
  type Example = {
    mailTo(address: string, sandbox: string): Promise<{ link: string; code: string }>
  }
  const { mailTo } = await example<Example>('docs/providers.md', 'mailbox.json')
  const page = await (await browser.newContext()).newPage()
  await page.goto(`${servers.workerUrl}/auth/signin`)
  await page.getByLabel('Email address').fill('ada@example.com')
  await page.getByRole('button', { name: /sign-in/ }).click()
  const { link, code } = await mailTo('ada@example.com', servers.sandboxUrl)
  expect(code).toMatch(/^\d{6}$/)
  await page.goto(link)
  const session = await page.request.get(`${servers.workerUrl}/auth/session`)
  expect(await session.json()).toMatchObject({ user: { email: 'ada@example.com' } })
})

test('the checks of docs/deploy.md are answered as it says, the last one only with the bindings', async () => {
  const page = readFileSync(join(rootDir, 'docs/deploy.md'), 'utf8')
  const checks = [
    ...page.matchAll(/^curl (-\w+) "?https:\/\/example[.]com([^\s"]+(?: [+]%s[)])?)/gm),
  ]
  const paths = checks.map(([, , path = '']) =>
    path.replace('$(date +%s)', String(Math.floor(Date.now() / 1000))),
  )
  expect(paths).toHaveLength(4)
  const ask = async (fetchFrom: (path: string, init: RequestInit) => Promise<Response>) =>
    Promise.all(
      paths.map(async (path, index) => {
        const method = checks[index]?.[1]?.includes('I') ? 'HEAD' : 'GET'
        return (await fetchFrom(path, { method })).status
      }),
    )
  expect(await ask((path, init) => fetch(servers.workerUrl + path, init))).toEqual([
    200, 200, 200, 200,
  ])
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const config = { basePath: '/auth', secret: AUTH_SECRET, providers: [] }
  const bare = createAuth(config)
  expect(await ask((path, init) => bare.request(servers.workerUrl + path, init, {}))).toEqual([
    200, 200, 200, 503,
  ])
})

test('the app of docs/how-it-works.md greets a user after a sign-in at the shipped Worker, and survives its outage', async () => {
  const address = `http://localhost:${(app.address() as AddressInfo).port}/`
  const page = await (await browser.newContext()).newPage()
  const before = await page.request.get(address, { maxRedirects: 0 })
  expect(before.status()).toBe(302)
  expect(before.headers().location).toContain('/auth/signin')

  // Cookies are shared between ports, so the app on the same host gets the Worker's.
  await page.goto(`${servers.workerUrl}/auth/signin`)
  await page.getByRole('button', { name: 'Continue with Video App' }).click()
  await page.getByLabel(/Grace/).check()
  await page.getByRole('button', { name: /Allow/ }).click()
  await page.waitForURL(`${servers.workerUrl}/auth/signin`)
  expect(await (await page.request.get(address)).text()).toMatch(/^Hello Grace/)

  // The Worker is down: a person with a live token is still signed in, and others get a 503.
  const [kept] = (await page.context().cookies()).filter(({ name }) => /session-token/.test(name))
  const cookie = `${kept?.name}=${kept?.value}`
  const ended = await endedToken(cookie, AUTH_SECRET)
  await servers.stop()
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
  const refused = await fetch(address, { headers: { cookie: ended } })
  expect(refused.status).toBe(503)
  expect(refused.headers.get('retry-after')).toBe('5')
  expect(refused.headers.getSetCookie()).toEqual([])
  expect(String(logged.mock.calls)).toContain('WorkerUnavailable')
  expect(await (await fetch(address, { headers: { cookie } })).text()).toMatch(/^Hello Grace/)
})
