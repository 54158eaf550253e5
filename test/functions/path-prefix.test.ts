import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import * as onExpress from '@latchkey/express'
import credentials from '@latchkey/express/providers/credentials'
import * as onHono from '@latchkey/hono'
import { ComponentKitAuth } from '@latchkey/sveltekit'
import { webAuth } from '@latchkey/web'
import { memoryStore } from '@latchkey/worker/stores/memory'
import express from 'express5'
import { Hono } from 'hono'
import { afterEach, describe, expect, test } from 'vitest'
import { listen, SECRET } from '../express/support.js'

/** Apps behind a proxy that takes `/app` off each path, as `location /app/ { proxy_pass http://app/; }` of nginx does. */
const stops: (() => unknown)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

const PREFIX = '/app'

/** @param tells does it say what it takes off? */
async function startProxy(to: number, tells: boolean) {
  const server = createServer((req, res) => {
    const { method, headers, url = '' } = req
    if (!url.startsWith(`${PREFIX}/`)) return res.writeHead(404).end('Not here.')
    const more = {
      'x-forwarded-host': headers.host,
      'x-forwarded-proto': 'http',
      ...(tells ? { 'x-forwarded-prefix': PREFIX } : {}),
    }
    const options = { host: '127.0.0.1', port: to, method, path: url.slice(PREFIX.length) }
    const passed = request({ ...options, headers: { ...headers, ...more } })
    passed.on('response', (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
      answer.pipe(res)
    })
    passed.on('error', () => res.writeHead(502).end())
    return req.pipe(passed)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  stops.push(() => server.close())
  return `http://localhost:${(server.address() as AddressInfo).port}`
}

const configOf = (trustHost: boolean) => ({
  secret: SECRET,
  store: memoryStore(),
  basePath: `${PREFIX}/auth`,
  trustHost,
  logger: { error() {}, warn() {} },
  providers: [
    credentials({
      credentials: { password: { type: 'password' } },
      authorize: ({ password }) => (password === 'right' ? { id: 'ann', name: 'ann' } : null),
    }),
  ],
})

const LOGIN = { redirectTo: '/auth/signin' }

async function serving(fetch: (request: Request) => Response | Promise<Response>) {
  const server = serve({ fetch, port: 0 })
  await once(server, 'listening')
  stops.push(() => server.close())
  return (server.address() as AddressInfo).port
}

/** Each gives the port of an app whose page `/members` is for signed-in users. */
const apps = {
  async express(trustHost: boolean) {
    const config = configOf(trustHost)
    const app = express()
    app.use('/auth', onExpress.MiddlewareAuth(config))
    app.use('/members', onExpress.requireSession(LOGIN, config), (_, res) => {
      res.send(`Hello ${res.locals.session?.user?.name}`)
    })
    const running = await listen(app)
    stops.push(running.stop)
    return running.port
  },
  hono(trustHost: boolean) {
    const config = configOf(trustHost)
    const app = new Hono()
    app.all('/auth/*', onHono.authHandler(config))
    app.get('/members', onHono.requireSession(LOGIN, config), (c) =>
      c.text(`Hello ${c.var.session?.user?.name}`),
    )
    return serving(app.fetch)
  },
  web(trustHost: boolean) {
    const { handle } = webAuth(configOf(trustHost))
    return serving((request) =>
      handle(request, async (auth) => {
        const session = await auth.requireSession(LOGIN)
        return new Response(`Hello ${session.user?.name}`)
      }),
    )
  },
}

/** A browser: it keeps cookies, and follows redirects until a page is there. */
class Browser {
  readonly #jar = new Map<string, string>()

  async go(url: string, init: RequestInit = {}): Promise<{ at: string; text: string }> {
    let next = { url, init }
    for (let steps = 0; steps < 10; steps++) {
      const cookie = [...this.#jar].map((pair) => pair.join('=')).join('; ')
      const headers = { ...next.init.headers, accept: 'text/html', cookie }
      const answer = await fetch(next.url, { ...next.init, headers, redirect: 'manual' })
      for (const line of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
        this.#jar.set(name, value)
      }
      const location = answer.headers.get('location')
      const text = await answer.text()
      if (location === null) return { at: next.url, text: `${answer.status} ${text}` }
      next = { url: new URL(location, next.url).href, init: {} }
    }
    throw new Error('It is redirected forever.')
  }
}

/** From a page that is guarded to the sign-in and back. */
async function signInFrom(url: string): Promise<void> {
  const browser = new Browser()
  const members = `${url}${PREFIX}/members?a=1`
  const { at, text } = await browser.go(members)
  expect(new URL(at).pathname).toBe(`${PREFIX}/auth/signin`)
  expect(text).toMatch(/^200/)
  const [, csrfToken = ''] = /name="csrfToken" value="([^"]+)"/.exec(text) ?? []
  const [, callbackUrl = ''] = /name="callbackUrl" value="([^"]+)"/.exec(text) ?? []
  const back = await browser.go(`${url}${PREFIX}/auth/callback/credentials`, {
    method: 'POST',
    body: new URLSearchParams({ csrfToken, callbackUrl, password: 'right' }),
    headers: { origin: url },
  })
  expect(back).toEqual({ at: members, text: '200 Hello ann' })
}

describe.each(Object.entries(apps))('%s', (name, start) => {
  test('a guard leads through the proxy to the sign-in and back, by X-Forwarded-Prefix', async () => {
    await signInFrom(await startProxy(await start(true), true))
  })

  // A handler without a mount is not asked at the path that the proxy has shortened.
  test.skipIf(name === 'web')('the same by the base path of the configuration alone', async () => {
    const url = await startProxy(await start(true), false)
    // The first request for an auth route tells the path of the mount.
    await fetch(`${url}${PREFIX}/auth/csrf`)
    await signInFrom(url)
  })

  test('attack: the prefix that a client claims does not count without a trusted proxy', async () => {
    const port = await start(false)
    const headers = { 'x-forwarded-prefix': '/evil', accept: 'text/html' }
    const ask = { headers, redirect: 'manual' } as const
    const answer = await fetch(`http://localhost:${port}/members`, ask)
    expect(answer.headers.get('location') ?? '').not.toContain('evil')
  })

  test.each([
    '//evil.example',
    '/a/../..',
    '/\\evil.example',
    'https://evil.example',
    'app',
    '/a b',
  ])('attack: a prefix that is not a path is not written: %s', async (prefix) => {
    const port = await start(true)
    const headers = { 'x-forwarded-prefix': prefix, accept: 'text/html' }
    const ask = { headers, redirect: 'manual' } as const
    const answer = await fetch(`http://localhost:${port}/members`, ask)
    expect(answer.headers.get('location')).toMatch(/^(?:\/app)?\/auth\/signin\?callbackUrl=/)
  })
})

test('sveltekit: its own redirect to the one spelling of a path has the prefix, and the routes are found', async () => {
  const { handle } = ComponentKitAuth(configOf(true))
  const port = await serving((request) => {
    const event = {
      request,
      url: new URL(request.url),
      locals: {} as App.Locals,
      isDataRequest: false,
      getClientAddress: () => '192.0.2.7',
      cookies: { set() {} },
    }
    return handle({ event, resolve: async () => new Response(event.url.pathname) })
  })
  const url = await startProxy(port, true)
  const browser = new Browser()
  expect(await browser.go(`${url}/app/%61dmin?a=1`)).toEqual({
    at: `${url}/app/admin?a=1`,
    text: '200 /admin',
  })
  expect((await browser.go(`${url}/app/auth/signin`)).text).toContain('name="csrfToken"')
})

test('attack: a prefix that a client claims stays in no shared cache', async () => {
  const { handle } = ComponentKitAuth(configOf(true))
  const cacheControl = async (headers: Record<string, string>) => {
    const request = new Request('http://localhost/%61dmin', { headers })
    const answer = await handle({
      event: {
        request,
        url: new URL(request.url),
        locals: {} as App.Locals,
        isDataRequest: false,
        getClientAddress: () => '192.0.2.7',
        cookies: { set() {} },
      },
      resolve: async () => new Response(),
    })
    return [answer.headers.get('location'), answer.headers.get('cache-control')]
  }
  const claimed = await cacheControl({ 'x-forwarded-prefix': '/elsewhere' })
  expect(claimed).toEqual(['/elsewhere/admin', 'private, no-store'])
  expect(await cacheControl({})).toEqual(['/admin', null])
})
