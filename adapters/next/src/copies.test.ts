// Before the modules of Next.
import '../../../test/support/next-stores.js'

import { createAuth } from '@latchkey/worker'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import NextAuth, { type NextAuthConfig } from './index.js'
import { Browser, binding, inProcess, NAME, quiet, SECRET, silent } from './test-app.js'

const { pass } = clock()

/** Another copy of all our modules, as Next makes one for its routes and one for its pages. */
async function copyOf(config: () => Promise<NextAuthConfig>) {
  vi.resetModules()
  const { default: NextAuth, WorkerUnavailable } = await import('./index.js')
  return { ...NextAuth(await config()), WorkerUnavailable }
}

/** Each copy evaluates the app's own file again. */
async function inMemory(): Promise<NextAuthConfig> {
  const { default: credentials } = await import('@latchkey/worker/providers/credentials')
  const authorize = ({ username }: { username?: unknown }) => ({
    id: String(username),
    name: String(username),
  })
  return {
    providers: [credentials({ authorize: authorize as never })],
    secret: SECRET,
    logger: quiet,
  }
}

beforeEach(() => void Reflect.deleteProperty(globalThis, Symbol.for('latchkey.process-state.1')))

describe('the copies of the modules in one process', () => {
  test('have one memory, and know at once what one of them ends', async () => {
    const routes = await copyOf(inMemory)
    const pages = await copyOf(inMemory)
    const proxy = await copyOf(inMemory)
    const browser = new Browser()
    await browser.signIn(routes.handlers)
    const { cookie } = browser
    const read = ({ auth }: typeof pages) => browser.render(() => auth(), { cookie })
    expect((await read(pages)).value?.user?.name).toBe('ann')
    expect((await read(proxy)).value?.user?.name).toBe('ann')
    await browser.age()
    expect((await browser.render(() => pages.auth())).value?.user?.name).toBe('ann')
    await browser.post(routes.handlers.GET, routes.handlers.POST, '/signout')
    for (const copy of [routes, pages, proxy]) expect((await read(copy)).value).toBe(null)
  })

  test('ask about a session once, and about its end once', async () => {
    const asked: string[] = []
    const worker = binding({}, asked)
    const config = async () => ({ worker, logger: quiet })
    const copies = [await copyOf(config), await copyOf(config), await copyOf(config)]
    const browser = new Browser('/auth')
    await browser.signIn((copies[0] as (typeof copies)[0]).handlers)
    await browser.render(() => (copies[0] as (typeof copies)[0]).auth())
    asked.length = 0
    for (const { auth } of copies) await browser.render(() => auth())
    expect(asked).toEqual([])
    pass(16)
    for (const { auth } of copies) await browser.render(() => auth())
    await Promise.resolve()
    expect(asked.filter((path) => path.endsWith('/revocations')).length).toBeLessThan(2)
  })

  test('throw a WorkerUnavailable that each of them knows', async () => {
    const copies = [
      await copyOf(async () => ({ worker: silent, secret: SECRET, logger: quiet })),
      await copyOf(async () => ({ worker: silent, secret: SECRET, logger: quiet })),
    ]
    const browser = new Browser('/auth')
    await browser.signIn(
      (await copyOf(async () => ({ worker: binding(), logger: quiet }))).handlers,
    )
    await browser.age()
    for (const { auth, WorkerUnavailable } of copies) {
      await expect(browser.render(() => auth())).rejects.toThrow(WorkerUnavailable)
      const answer = await browser.handle(
        '/me',
        auth(() => new Response()),
      )
      expect(answer.status).toBe(503)
    }
    expect(browser.cookies.has(NAME)).toBe(true)
  })

  test('each know a browser that could not renew its bound session', async () => {
    const config = async () => ({ worker: binding(), logger: quiet })
    const headers = { 'secure-session-skipped': 'unreachable;session_identifier="lk.1"' }
    for (const { auth } of [await copyOf(config), await copyOf(config)]) {
      const guarded = auth(() => new Response())
      const answer = await new Browser('/auth').handle('/me', guarded, { headers })
      expect(answer.status).toBe(503)
    }
  })
})

test('attack: an app in process beside one that forwards accepts no session that another process has ended', async () => {
  const config = inProcess()
  const { default: Forwarding } = await import('./forward.js')
  const forwards = Forwarding({ worker: silent, secret: SECRET, logger: quiet })
  await new Browser('/auth').render(() => forwards.auth())
  const { auth, handlers } = NextAuth(config)
  const browser = new Browser()
  await browser.signIn(handlers)
  const { cookie } = browser
  expect((await browser.render(() => auth())).value?.user?.name).toBe('ann')
  await new Browser().render(() => forwards.auth())
  const { fetch } = createAuth({ ...config, basePath: '/api/auth', trustHost: true } as never)
  await endedBy(fetch as never, cookie)
  pass(16)
  await browser.render(() => auth())
  await vi.waitFor(async () =>
    expect((await browser.render(() => auth(), { cookie })).value).toBe(null),
  )
})

/** Signs out at a service of the same store, as another process is. */
async function endedBy(
  ask: (request: Request, env: object) => Promise<Response>,
  cookie: string,
): Promise<void> {
  const call = (path: string, init: RequestInit) =>
    ask(new Request(`http://localhost:3000/api/auth${path}`, init), {})
  const csrf = await call('/csrf', { headers: { cookie } })
  const { csrfToken } = (await csrf.json()) as { csrfToken: string }
  const own = csrf.headers.getSetCookie().map((line) => line.split(';', 1)[0])
  const answer = await call('/signout', {
    method: 'POST',
    headers: { cookie: [cookie, ...own].join('; '), origin: 'http://localhost:3000' },
    body: new URLSearchParams({ csrfToken }),
  })
  expect(answer.status).toBe(302)
}

describe('the log', () => {
  async function logOf(env: Record<string, string>, count = 0): Promise<string[]> {
    const said: string[] = []
    const logger = {
      error: ({ message }: Error) => void said.push(`error ${message}`),
      warn: (code: string, text?: string) => void said.push(`${code} ${text}`),
    }
    const all = { AUTH_TRUST_HOST: 'true', ...env }
    for (const [name, value] of Object.entries(all)) vi.stubEnv(name, value)
    for (let copies = 0; copies < 2; copies++) {
      const { auth } = await copyOf(async () => ({ ...(await inMemory()), logger }) as never)
      await new Browser().render(() => auth())
    }
    // The service is loaded meanwhile.
    await vi.waitFor(() => expect(said).toHaveLength(count))
    vi.unstubAllEnvs()
    return said
  }
  const forgets =
    'Everything is kept in the memory of this process. A restart loses it: sessions, and the passwords, passkeys, second factors, added ways to sign in and blocks that there are. Set AUTH_STORE, or `worker`.'

  test.each<[string, Record<string, string>, string[]]>([
    ['nothing in development', { NODE_ENV: 'development' }, []],
    [
      'once that sessions end with the process in production',
      { NODE_ENV: 'production' },
      [`memory-store ${forgets}`],
    ],
    ['it as an error on Vercel', { NODE_ENV: 'production', VERCEL: '1' }, [`error ${forgets}`]],
    [
      'an old variable without its twin, and no value',
      {
        NODE_ENV: 'development',
        NEXTAUTH_SECRET: 'old-value',
        NEXTAUTH_URL: 'u',
        AUTH_URL: 'http://a.example',
      },
      ['env-nextauth NEXTAUTH_SECRET is not read: set AUTH_SECRET.'],
    ],
  ])('says %s', async (_, env, lines) => {
    expect(await logOf(env, lines.length)).toEqual(lines)
  })

  test('says nothing while the app is built', async () => {
    const env = { NODE_ENV: 'production', NEXT_PHASE: 'phase-production-build' }
    expect(await logOf(env)).toEqual([])
  })
})

test('the edge runtime refuses to serve in process, and the log says what to do', async () => {
  vi.stubEnv('NEXT_RUNTIME', 'edge')
  const error = vi.spyOn(console, 'error').mockReturnValue()
  const { auth } = await copyOf(inMemory)
  const browser = new Browser()
  browser.cookies.set(NAME, 'a.b.c')
  const answer = await browser.proxy('/a', auth)
  vi.unstubAllEnvs()
  expect([answer.status, Browser.behind(answer)]).toEqual([500, undefined])
  expect(error.mock.calls.flat().join()).toContain("runtime: 'nodejs'")
  error.mockRestore()
})

test.each([
  ['on Workers its platform names', 'Cloudflare-Workers', '192.0.2.1'],
  ['elsewhere nothing does, whatever a client claims:', 'Node.js/24', null],
])('%s the client', async (_, userAgent, address) => {
  vi.stubGlobal('navigator', { userAgent })
  const seen: unknown[] = []
  const service = binding()
  const worker = {
    fetch: (url: string, init?: RequestInit) => {
      seen.push(new Headers(init?.headers).get('x-forwarded-for'))
      return service.fetch(url, init)
    },
  }
  const { handlers, signIn } = await copyOf(async () => ({ worker, logger: quiet }))
  vi.unstubAllGlobals()
  const browser = new Browser('/auth')
  const headers = { 'cf-connecting-ip': '192.0.2.1', 'x-forwarded-for': '6.6.6.6' }
  await browser.handle('/auth/providers', handlers.GET, { headers })
  await browser.act(() => signIn('credentials', { username: 'ann', password: 'right' }), headers)
  expect(new Set(seen)).toEqual(new Set([address]))
})

test('a route file at another path than the routes is named once', async () => {
  const said: string[] = []
  const warn = (code: string, text?: string) => void said.push(`${code}: ${text}`)
  const { handlers } = await copyOf(async () => ({ worker: binding(), logger: { ...quiet, warn } }))
  const browser = new Browser('/auth')
  for (let count = 0; count < 2; count++)
    expect((await browser.handle('/api/auth/session', handlers.GET)).status).toBe(404)
  expect((await browser.handle('/auth/nothing', handlers.GET)).status).toBe(404)
  expect(said).toEqual([
    'base-path: The routes are below /auth, and the route file is not: it belongs into app/auth/[...latchkey]. `basePath` or AUTH_URL names another path.',
  ])
})
