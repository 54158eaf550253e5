import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type AuthConfig, createAuth } from '@latchkey/worker'
import credentials from '@latchkey/worker/providers/credentials'
import { memoryStore } from '@latchkey/worker/stores/memory'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { rootDir } from '../../scripts/wrangler-dev.ts'
import { browser, stored } from '../expo/stand-in.ts'
import { clock } from '../support/clock.ts'
import { Person } from '../support/mcp-client.ts'

/** The app of docs/expo.md at the service of the page. Only the packages of Expo are others: test/expo. */
const page = readFileSync(join(rootDir, 'docs/expo.md'), 'utf8')
const folder = join(rootDir, 'test/.docs-examples/expo')
const [service = '', app = ''] = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code)
beforeAll(() => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'service.ts'), service)
  writeFileSync(
    join(folder, 'app.ts'),
    app.replaceAll(/'expo-[\w-]+'/g, "'../../expo/stand-in.ts'"),
  )
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface App {
  signIn(): Promise<boolean>
  accessToken(): Promise<string | undefined>
  signOut(): Promise<void>
}

const origin = 'https://auth.example.com'
const env = { AUTH_SECRET: 'a-secret-of-the-tests-0123456789abcdef', AUTH_URL: origin }
const { pass } = clock({ start: 'now' })
/** What the service answers in the place of itself. */
let instead: ((url: URL) => Response | undefined) | undefined
const asked: string[] = []
let auth: ReturnType<typeof createAuth>
let phone: App

beforeEach(async () => {
  const { config } = (await import(/* @vite-ignore */ join(folder, 'service.ts'))) as {
    config: AuthConfig
  }
  auth = createAuth({
    ...config,
    store: memoryStore(),
    logger: { error() {}, warn() {}, info() {} },
    providers: [
      credentials({
        credentials: { username: {}, password: {} },
        authorize: ({ username }) => ({ id: String(username), name: String(username) }),
      }),
    ],
  })
  phone = (await import(/* @vite-ignore */ join(folder, 'app.ts'))) as App
  instead = undefined
  asked.length = 0
  stored.clear()
  vi.stubGlobal('fetch', async (input: string | URL, init?: RequestInit) => {
    const url = new URL(input)
    asked.push(url.pathname)
    return instead?.(url) ?? auth.request(url, init, env)
  })
  const ada = new Person(origin)
  await ada.signIn('ada')
  browser.open = async (url) => (await ada.allow(new URL(url))).href
})
afterEach(() => void vi.unstubAllGlobals())

const claims = (token = '') => JSON.parse(atob(token.split('.')[1] ?? '')) as { sub: string }

test('a user signs in, calls the API for a day, and signs out', async () => {
  expect(await phone.accessToken()).toBeUndefined()
  expect(await phone.signIn()).toBe(true)
  const first = await phone.accessToken()
  expect(claims(first)).toMatchObject({ aud: 'https://api.example.com/', client_id: 'phone' })
  expect(claims(first)).toMatchObject({ scope: expect.stringContaining('notes:read') })
  // What the phone keeps fits into its secure store.
  expect([...stored.values()].join('').length).toBeLessThan(2_000)
  const before = asked.length
  pass(4 * 60)
  expect(await phone.accessToken()).toBe(first)
  expect(asked.length).toBe(before)
  let last = first
  for (let hours = 0; hours < 24; hours++) {
    pass(3_600)
    const next = await phone.accessToken()
    expect(next).not.toBe(last)
    last = next
  }
  const refreshToken = JSON.parse([...stored.values()].join('')).refreshToken as string
  await phone.signOut()
  expect(stored.size).toBe(0)
  expect(await phone.accessToken()).toBeUndefined()
  const answer = await fetch(`${origin}/auth/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'refresh_token',
      client_id: 'phone',
      refresh_token: refreshToken,
    }),
  })
  expect([answer.status, await answer.json()]).toMatchObject([400, { error: 'invalid_grant' }])
})

test('two screens that ask at once make one refresh', async () => {
  await phone.signIn()
  pass(3_600)
  asked.length = 0
  const [one, other] = await Promise.all([phone.accessToken(), phone.accessToken()])
  expect(one).toBe(other)
  expect(asked.filter((path) => path.endsWith('/token'))).toHaveLength(1)
})

test.each([
  ['the user closes the browser', async () => undefined],
  [
    'the user refuses',
    async (url: string) => {
      const { searchParams } = new URL(url)
      return `com.example.notes:/callback?error=access_denied&state=${searchParams.get('state')}`
    },
  ],
  [
    'attack: another app brings an answer of its own',
    async () => 'com.example.notes:/callback?code=c&state=x',
  ],
])('nobody is signed in if %s', async (_, open) => {
  browser.open = open
  expect(await phone.signIn()).toBe(false)
  expect(stored.size).toBe(0)
})

test('attack: a mix-up, in which the code belongs to another server', async () => {
  const open = browser.open
  browser.open = async (url) => {
    const answer = new URL((await open(url)) ?? '')
    answer.searchParams.set('iss', 'https://evil.example/auth')
    return answer.href
  }
  await expect(phone.signIn()).rejects.toThrow('not from the service')
  expect(stored.size).toBe(0)
})

test('attack: the code that another app on the phone has caught is worth nothing without the verifier', async () => {
  let caught = ''
  const open = browser.open
  browser.open = async (url) => {
    caught = (await open(url)) ?? ''
    return undefined
  }
  expect(await phone.signIn()).toBe(false)
  const code = new URL(caught).searchParams.get('code') ?? ''
  const ask = (more: Record<string, string>) =>
    fetch(`${origin}/auth/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: 'phone',
        redirect_uri: 'com.example.notes:/callback',
        code,
        ...more,
      }),
    })
  expect((await ask({ code_verifier: 'x'.repeat(64) })).status).toBe(400)
  expect((await ask({})).status).toBe(400)
})

test.each([
  ['a proxy answers in HTML', () => new Response('<html>', { status: 502 })],
  [
    'the service answers 503',
    () => Response.json({ error: 'temporarily_unavailable' }, { status: 503 }),
  ],
  ['a portal answers JSON of its own', () => Response.json({ message: 'Sign in to the Wi-Fi' })],
])('a refresh fails, and the user stays signed in: %s', async (_, answer) => {
  await phone.signIn()
  pass(3_600)
  instead = ({ pathname }) => (pathname.endsWith('/token') ? answer() : undefined)
  await expect(phone.accessToken()).rejects.toThrow()
  instead = undefined
  expect(await phone.accessToken()).toBeDefined()
})

test('a sign-out that does not reach the service keeps the tokens, to be tried again', async () => {
  await phone.signIn()
  instead = ({ pathname }) =>
    pathname.endsWith('/revoke') ? new Response(null, { status: 503 }) : undefined
  await expect(phone.signOut()).rejects.toThrow('503')
  expect(stored.size).toBe(1)
  instead = undefined
  await phone.signOut()
  expect(stored.size).toBe(0)
})

test('a block by the operator signs a user out of the phone at the next refresh', async () => {
  await phone.signIn()
  const { sub } = claims(await phone.accessToken())
  await auth.blockPerson({ sub }, env)
  pass(3_600)
  expect(await phone.accessToken()).toBeUndefined()
  expect(stored.size).toBe(0)
})
