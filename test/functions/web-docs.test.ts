import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { webAuth } from '@latchkey/web'
import credentials from '@latchkey/web/providers/credentials'
import * as h3 from 'h3'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { rootDir } from '../../scripts/wrangler-dev.ts'
import { ask } from '../express/support.ts'
import { endedToken } from '../support/ended-token.ts'

/** The files of docs/web.md and docs/web-nuxt.md, each with as much of its framework around it as a request meets. */
const folder = join(rootDir, 'test/.docs-examples/web')
const pages = ['docs/web.md', 'docs/web-nuxt.md'].map((name) =>
  readFileSync(join(rootDir, name), 'utf8'),
)
const AUTH_SECRET = 'a-secret-of-the-tests-0123456789abcdef'
const origin = 'http://localhost:3000'

type App = (request: Request) => Promise<Response>
type Auth = () => Promise<{ readonly user?: { readonly name?: string } } | null>
const sayName = async (auth: Auth) => new Response((await auth())?.user?.name ?? 'nobody')

/** A fresh session, and the same one with a token that has ended. */
let cookies: { readonly fresh: string; readonly ended: string }

beforeAll(async () => {
  mkdirSync(folder, { recursive: true })
  setVariables()
  // All apps of a process share the store that AUTH_STORE names.
  const { signIn } = webAuth({
    providers: [credentials({ authorize: () => ({ id: 'ada', name: 'Ada' }) })],
  })
  const headers = { 'sec-fetch-site': 'same-origin' }
  const answer = await signIn(new Request(origin, { method: 'POST', headers }), 'credentials')
  const fresh = answer.headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0])
    .join('; ')
  cookies = { fresh, ended: await endedToken(fresh, AUTH_SECRET) }
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))
beforeEach(setVariables)
afterEach(() => {
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
})

function setVariables(): void {
  const github = { AUTH_GITHUB_ID: 'id', AUTH_GITHUB_SECRET: 'secret' }
  const variables = { AUTH_SECRET, AUTH_STORE: `file:${join(folder, 'sessions.db')}`, ...github }
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value)
}

/** A file of a section, by its first words. @param replaced what only the platform or a build has */
async function fileOf<Module>(
  heading: string,
  start: string,
  replaced: Readonly<Record<string, string>> = {},
): Promise<Module> {
  const section =
    pages
      .join('\n')
      .split(/^## /m)
      .find((text) => text.startsWith(`${heading}\n`)) ?? ''
  const codes = [...section.matchAll(/```[jt]s\n([\s\S]*?)```/g)].map(([, code = '']) => code)
  const code = codes.find((code) => code.startsWith(start))
  if (code === undefined) throw new Error(`No example below "${heading}" begins with "${start}".`)
  const text = Object.entries(replaced).reduce((text, [from, to]) => {
    expect(text).toContain(from)
    return text.replaceAll(from, to)
  }, code)
  const file = join(folder, `${heading.replaceAll(/\W+/g, '-')}-${codes.indexOf(code)}.ts`)
  writeFileSync(file, text)
  return import(/* @vite-ignore */ file)
}

function moduleOf(name: string, code: string): string {
  writeFileSync(join(folder, name), code)
  return `./${name}`
}

const frameworks: Record<string, () => Promise<App>> = {
  Workers: async () => {
    const ledger = "export { Ledger } from '@latchkey/worker/ledger'\n"
    const worker = await fileOf<{ default: { fetch: (...given: unknown[]) => Promise<Response> } }>(
      'Workers',
      'import { webAuth } from',
      { [ledger]: '' },
    )
    const ctx = { waitUntil() {} }
    return (request) => worker.default.fetch(request, process.env, ctx)
  },
  Astro: async () => {
    type Context = { locals: { auth?: Auth }; [member: string]: unknown }
    type Middleware = (context: Context, next: () => Promise<Response>) => Promise<Response>
    const { onRequest } = await fileOf<{ onRequest: Middleware }>('Astro', '// src/middleware.js')
    return (request) => {
      const context: Context = { request, locals: {}, clientAddress: '192.0.2.1' }
      return onRequest(context, async () => sayName(context.locals.auth as Auth))
    }
  },
  Nuxt: async () => {
    // Nitro imports them by itself.
    for (const [name, value] of Object.entries(h3)) vi.stubGlobal(name, value)
    const file = await fileOf<{ default: h3.EventHandler }>(
      'From an empty folder',
      '// server/middleware/auth.js',
      {
        "import { sqliteStore } from '@latchkey/worker/stores/sqlite'\n": '',
        ", store: sqliteStore('auth.db')": '',
        videoapp: 'github',
      },
    )
    const handler = h3.eventHandler((event) => event.context.session?.user?.name ?? 'nobody')
    const app = h3.createApp().use(file.default).use(handler)
    return async (request) => {
      const server = createServer(h3.toNodeListener(app)).listen(0, '127.0.0.1')
      await once(server, 'listening')
      const { port } = server.address() as AddressInfo
      const headers = { ...Object.fromEntries(request.headers), host: 'localhost:3000' }
      const answer = await ask(port, new URL(request.url).pathname, { headers })
      server.close()
      const kept = new Headers({ 'cache-control': answer.headers['cache-control'] ?? '' })
      for (const line of answer.cookies) kept.append('set-cookie', line)
      return new Response(answer.text, { status: answer.status, headers: kept })
    }
  },
  'React Router': async () => {
    type Context = { get(key: unknown): Auth; set(key: unknown, value: unknown): void }
    type Middleware = (given: object, next: () => Promise<Response>) => Promise<Response>
    const { authMiddleware, authContext } = await fileOf<Record<string, unknown>>(
      'React Router',
      '// app/auth.server.js',
    )
    const { RouterContextProvider } = await import('react-router')
    return (request) => {
      const context = new RouterContextProvider() as unknown as Context
      const next = () => sayName(context.get(authContext))
      return (authMiddleware as Middleware)({ request, context }, next)
    }
  },
  'React Router on Workers': async () => {
    const build = `
      export * from 'react-router'
      import { RouterContextProvider } from 'react-router'
      export const createRequestHandler = () => async (request, context) => {
        if (!(context instanceof RouterContextProvider)) throw new TypeError('context')
        const { authContext } = await import('./React-Router-3.ts')
        const session = await context.get(authContext)()
        return new Response(session?.user?.name ?? 'nobody')
      }`
    const { default: worker } = await fileOf<{
      default: { fetch: (...given: unknown[]) => Promise<Response> }
    }>('React Router', '// workers/app.js', {
      "'react-router'": `'${moduleOf('react-router.js', build)}'`,
      'virtual:react-router/server-build': 'react-router',
    })
    return (request) => worker.fetch(request, process.env, { waitUntil() {} })
  },
  'TanStack Start': async () => {
    const entry = `
      export const createServerEntry = (entry) => entry
      export default {
        fetch: async (request, { context }) =>
          new Response((await context.auth())?.user?.name ?? 'nobody'),
      }`
    const file = await fileOf<{ default: { fetch: App } }>('TanStack Start', '// src/server.js', {
      '@tanstack/react-start/server-entry': moduleOf('server-entry.js', entry),
    })
    return file.default.fetch
  },
  Bun: async () => {
    const serve = vi.fn<(options: { fetch: (...given: unknown[]) => Promise<Response> }) => void>()
    vi.stubGlobal('Bun', { serve })
    await fileOf('Bun', 'import')
    const server = { requestIP: () => ({ address: '192.0.2.1' }) }
    return async (request) => (await serve.mock.lastCall?.[0].fetch(request, server)) as Response
  },
  Deno: async () => {
    const serve = vi.fn<(handler: (...given: unknown[]) => Promise<Response>) => void>()
    vi.stubGlobal('Deno', { serve })
    await fileOf('Deno', 'import', { 'npm:': '' })
    const info = { remoteAddr: { hostname: '192.0.2.1' } }
    return async (request) => (await serve.mock.lastCall?.[0](request, info)) as Response
  },
}

describe.each(Object.entries(frameworks))('the file for %s', (_, start) => {
  test('answers the routes, reads a session, and passes a cookie on', async () => {
    const app = await start()
    const go = (path: string, headers: Record<string, string> = {}) =>
      app(new Request(origin + path, { headers }))

    expect(await (await go('/auth/csrf')).text()).toContain('csrfToken')
    const known = await go('/', { cookie: cookies.fresh })
    expect([known.status, known.headers.get('cache-control')]).toEqual([200, 'private, no-store'])
    expect(await known.text()).toContain('Ada')
    const renewed = await go('/', { cookie: cookies.ended })
    expect(await renewed.text()).toContain('Ada')
    expect(renewed.headers.get('cache-control')).toBe('private, no-store')
    expect(renewed.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^auth[.]session-token=e/),
    ])
  })
})

test('attack: Astro’s own cache of a route keeps no renewed cookie, and no answer with a name', async () => {
  const { AstroCache, applyCacheHeaders } = await import(
    join(rootDir, 'node_modules/astro/dist/core/cache/runtime/cache.js')
  )
  type Middleware = (context: object, next: () => Promise<Response>) => Promise<Response>
  const { onRequest } = await fileOf<{ onRequest: Middleware }>('Astro', '// src/middleware.js')
  /** As Astro does, around the app's middleware. @param reads does the page ask for the session? */
  async function cachedFor(cookie: string, reads: boolean): Promise<string | null> {
    const cache = new AstroCache()
    cache.set({ maxAge: 300 })
    const request = new Request(origin, { headers: { cookie } })
    const locals: { auth?: Auth } = {}
    const answer = await onRequest({ request, locals, cache }, async () => {
      if (reads) await locals.auth?.()
      return new Response()
    })
    applyCacheHeaders(cache, answer, request)
    return answer.headers.get('cdn-cache-control')
  }
  expect(await cachedFor(cookies.ended, true)).toBe(null)
  expect(await cachedFor(cookies.fresh, true)).toBe(null)
  expect(await cachedFor(cookies.fresh, false)).toBe('max-age=300')
})

test('attack: no renewed cookie is sent beside what Nuxt itself serves, and makes public', async () => {
  const app = await frameworks.Nuxt?.()
  const headers = { cookie: cookies.ended }
  const answer = await app?.(new Request(`${origin}/_ipx/s_64/a.png`, { headers }))
  expect([answer?.status, answer?.headers.getSetCookie()]).toEqual([200, []])
})
