import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { authHandler } from '@latchkey/hono'
import { createAuth } from '@latchkey/worker'
import credentials from '@latchkey/worker/providers/credentials'
import { memoryStore } from '@latchkey/worker/stores/memory'
import { Hono } from 'hono'
import { afterEach, expect, test, vi } from 'vitest'
import { rootDir } from '../../scripts/wrangler-dev.ts'
import { startApp, versions } from '../express/support.ts'
import { siteverify } from '../support/siteverify.ts'

/** The form of docs/turnstile.md, sent to each way of serving it. */
const page = readFileSync(join(rootDir, 'docs', 'turnstile.md'), 'utf8')
const form = /```html\n([\s\S]*?)```/.exec(page)?.[1] ?? ''

const turnstile = siteverify()
const stops: (() => Promise<void>)[] = []

afterEach(async () => {
  vi.unstubAllEnvs()
  for (const stop of stops.splice(0)) await stop()
})

const quiet = { error() {}, warn() {} }
const secret = 'a-secret-of-the-tests-0123456789abcdef'
const providers = [
  credentials({
    authorize: ({ username, password }) =>
      password === 'lovelace' ? { id: String(username), name: String(username) } : null,
  }),
]
const config = { basePath: '/auth', secret, providers, logger: quiet, store: memoryStore() }

type Ask = (path: string, init?: RequestInit) => Promise<Response>

/** Sends the form as a browser does, with the response that a widget would have added. */
async function send(ask: Ask, response: string | undefined): Promise<string> {
  const csrf = await ask('/auth/csrf')
  const { csrfToken } = (await csrf.json()) as { csrfToken: string }
  const [cookie = ''] = csrf.headers.getSetCookie().map((line) => line.split(';')[0] ?? '')
  const names = [...form.matchAll(/<input [^>]*name="([^"]+)"/g)].map(([, name = '']) => name)
  const values: Record<string, string> = {
    csrfToken,
    callbackUrl: '/inbox',
    username: 'ada',
    password: 'lovelace',
  }
  const body = new URLSearchParams(names.map((name) => [name, values[name] ?? '']))
  if (form.includes('class="cf-turnstile"') && response) {
    body.set('cf-turnstile-response', response)
  }
  const action = /<form [^>]*action="([^"]+)"/.exec(form)?.[1] ?? ''
  const answer = await ask(action, {
    method: 'POST',
    headers: { cookie },
    body,
    redirect: 'manual',
  })
  const to = new URL(answer.headers.get('location') ?? '', 'http://localhost')
  return [to.pathname, to.searchParams.get('code')].filter(Boolean).join(' ')
}

function stubEnvironment(): void {
  for (const [name, value] of Object.entries(turnstile.env)) vi.stubEnv(name, value)
}

const services: Record<string, () => Promise<Ask>> = {
  createAuth: async () => {
    const auth = createAuth(config)
    return (path, init) => auth.request(path, init, { ...turnstile.env })
  },
  'Hono, in process': async () => {
    stubEnvironment()
    const app = new Hono()
    app.all('/auth/*', authHandler(config))
    return async (path, init) => app.request(`http://localhost${path}`, init)
  },
  ...Object.fromEntries(
    versions.map((version) => [
      `${version.name}, in process`,
      async () => {
        stubEnvironment()
        const { url } = await startApp(version, config, undefined, stops)
        return (path: string, init?: RequestInit) => fetch(url + path, init)
      },
    ]),
  ),
}

test.each(Object.entries(services))('the form of the documentation, by %s', async (_, start) => {
  const ask = await start()
  expect(await send(ask, undefined)).toBe('/auth/error turnstile')
  expect(await send(ask, 'made-up')).toBe('/auth/error turnstile')
  expect(await send(ask, turnstile.issue())).toBe('/inbox')
  expect(turnstile.asked).toHaveLength(2)
})
