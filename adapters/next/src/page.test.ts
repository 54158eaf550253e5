import { authjs } from '@latchkey/worker/migrate'
import { describe, expect, test } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { authjsCookies, OLD_SECRET } from '../../../test/support/old-cookies.js'
import NextAuth, {
  type NextAuthConfig,
  type PageSessionOptions,
  WorkerUnavailable,
} from './index.js'
import { Browser, binding, inProcess, modes, NAME, quiet, silent } from './test-app.js'

const { pass } = clock()

async function signedIn(config: NextAuthConfig, base = '/api/auth') {
  const app = NextAuth(config)
  const browser = new Browser(base)
  await browser.signIn(app.handlers)
  return { ...app, browser }
}

describe.each(modes)('%s', (_, config, base) => {
  test('a page reads the session, the same one however often in a request', async () => {
    const { auth, browser } = await signedIn(config(), base)
    const { value } = await browser.render(() =>
      Promise.all([auth(), auth(), auth({ maxAge: 300 })]),
    )
    expect(value?.map((session) => session?.user?.name)).toEqual(['ann', 'ann', 'ann'])
    expect(value?.[0]).toBe(value?.[1])
    expect((await new Browser(base).render(() => auth())).value).toBe(null)
  })

  test('a session that does not suffice is null, and a wrong need is named', async () => {
    const { auth, browser } = await signedIn(config(), base)
    pass(301)
    expect((await browser.render(() => auth({ maxAge: 300 }))).value).toBe(null)
    expect((await browser.render(() => auth({ acr: '2' }))).value).toBe(null)
    const wrong = browser.render(() => auth({ maxage: 1 } as never))
    await expect(wrong).rejects.toThrow('There is no option `maxage`.')
  })

  test('two people at once get their own sessions', async () => {
    const { auth, handlers, browser } = await signedIn(config(), base)
    const other = new Browser(base)
    await other.signIn(handlers, 'bob')
    let go = () => {}
    const both = new Promise<void>((resolve) => {
      go = resolve
    })
    const name = async () => {
      const pending = auth()
      await both
      return [(await pending)?.user?.name, (await auth())?.user?.name]
    }
    const pages = [browser.render(name), other.render(name)]
    go()
    const values = (await Promise.all(pages)).map(({ value }) => value)
    expect(values).toEqual([
      ['ann', 'ann'],
      ['bob', 'bob'],
    ])
  })

  test('a page renews an ended token and sets no cookie; an action sets it once', async () => {
    const { auth, browser } = await signedIn(config(), base)
    await browser.age()
    const page = await browser.render(() => auth())
    expect([page.value?.user?.name, page.lines]).toEqual(['ann', []])
    const { lines, value } = await browser.act(async () => [await auth(), await auth()])
    expect(value?.map((session) => session?.user?.name)).toEqual(['ann', 'ann'])
    expect(lines.map((line) => line.split('=')[0])).toEqual([NAME])
    expect(lines[0]).toContain('HttpOnly')
  })

  test('requireSession gives the session, or redirects to the sign-in page', async () => {
    const { requireSession, browser } = await signedIn(config(), base)
    expect((await browser.render(() => requireSession())).value?.user?.name).toBe('ann')
    const nobody = new Browser(base)
    const at = async (options?: PageSessionOptions) =>
      (await nobody.render(() => requireSession(options))).location
    const origin = 'http://localhost:3000'
    expect(await at()).toBe(`${origin}${base}/signin`)
    expect(await at({ redirectTo: '/login', callbackUrl: '/a?b=c' })).toBe(
      `${origin}/login?callbackUrl=%2Fa%3Fb%3Dc`,
    )
    pass(301)
    const { location } = await browser.render(() =>
      requireSession({ maxAge: 300, callbackUrl: '/pay' }),
    )
    expect(location).toBe(`${origin}${base}/signin?maxAge=300&callbackUrl=%2Fpay`)
  })
})

test.each([
  'https://evil.example/',
  '//evil.example/',
  '/\\evil.example',
  // A browser leaves a tab out, and the app's own sign-in page may follow it as it is.
  '/\t/evil.example',
  'javascript:alert(1)',
])(
  'requireSession leads to no other site by the header of the proxy that a client made up: %s',
  async (path) => {
    const { requireSession } = NextAuth(inProcess())
    const headers = { 'x-latchkey-path': path }
    const { location } = await new Browser().render(() => requireSession(), headers)
    expect(location).toBe('http://localhost:3000/api/auth/signin?callbackUrl=%2F')
  },
)

test('requireSession leads to pages.signIn', async () => {
  const { requireSession } = NextAuth({ worker: binding(), pages: { signIn: '/login' } })
  const { location } = await new Browser().render(() => requireSession())
  expect(location).toBe('http://localhost:3000/login')
})

test('a page reads a fresh session without a call, and rejects with WorkerUnavailable for an ended one', async () => {
  const asked: string[] = []
  let worker: { fetch: typeof silent.fetch } = binding({}, asked) as never
  const fetch = ((...all: []) => worker.fetch(...all)) as never
  const { auth, browser } = await signedIn({ worker: { fetch }, logger: quiet }, '/auth')
  expect((await browser.render(() => auth())).value?.user?.name).toBe('ann')
  asked.length = 0
  worker = silent
  expect((await browser.render(() => auth())).value?.user?.name).toBe('ann')
  expect(asked).toEqual([])
  await browser.age()
  await expect(browser.render(() => auth())).rejects.toThrow(WorkerUnavailable)
  // No cookie was touched.
  expect(browser.cookies.has(NAME)).toBe(true)
})

test('a mistake in the configuration rejects where a request has a cookie, and not at the build', async () => {
  const { auth } = NextAuth({ providers: [], secret: 'short' })
  expect((await new Browser().render(() => auth())).value).toBe(null)
  const browser = new Browser()
  browser.cookies.set(NAME, 'a.b.c')
  await expect(browser.render(() => auth())).rejects.toThrow('at least 32')
})

test('the error of Next for code outside a request is passed on', async () => {
  const { auth, requireSession } = NextAuth(inProcess())
  await expect(auth()).rejects.toThrow('outside a request scope')
  await expect(requireSession()).rejects.toThrow('outside a request scope')
})

test.each<[string, NodeJS.ProcessEnv, NextAuthConfig, boolean]>([
  ['by nothing', {}, {} as never, false],
  ['by AUTH_TRUST_HOST', {}, { trustHost: true } as never, true],
  ['by the platform of Vercel', { VERCEL: '1' }, {} as never, true],
  ['not by Vercel, if trustHost says no', { VERCEL: '1' }, { trustHost: false } as never, false],
])('a forwarded header of the host is believed %s', async (_, env, more, isBelieved) => {
  const { vi } = await import('vitest')
  for (const [name, value] of Object.entries({ NODE_ENV: 'production', ...env }))
    vi.stubEnv(name, value)
  try {
    const config = inProcess(more as never)
    const { auth, handlers } = NextAuth(config)
    const headers = { 'x-forwarded-host': 'shop.example', 'x-forwarded-proto': 'https' }
    const browser = new Browser('/api/auth', 'http://app.internal')
    const { status } = await browser.handle('/api/auth/csrf', handlers.GET, { headers })
    expect(status).toBe(isBelieved ? 200 : 400)
    expect((await browser.render(() => auth(), headers)).value).toBe(null)
  } finally {
    vi.unstubAllEnvs()
  }
})

describe.each<[string, (more: object) => NextAuthConfig, string]>([
  ['in process', (more) => inProcess(more), '/api/auth'],
  [
    'bound',
    (more) => ({ worker: binding(more), logger: quiet, ...more }) as NextAuthConfig,
    '/auth',
  ],
])('a session of Auth.js, %s,', (_, config, base) => {
  async function visitor() {
    const migrateFrom = [authjs({ secret: OLD_SECRET, until: new Date(Date.now() + 86_400_000) })]
    const app = NextAuth(config({ migrateFrom }))
    const browser = new Browser(base)
    for (const [name, value] of await authjsCookies({ secure: false }))
      browser.cookies.set(name, value)
    return { ...app, browser }
  }

  test('is not used up by a page, which cannot set the new cookie, and moves in by an action', async () => {
    const { auth, browser } = await visitor()
    const page = await browser.render(() => auth())
    expect([page.value, page.lines]).toEqual([null, []])
    const action = await browser.act(() => auth())
    expect(action.value?.user?.id).toBe('7')
    expect([...browser.cookies.keys()]).toEqual([NAME])
    expect((await browser.render(() => auth())).value?.user?.id).toBe('7')
  })

  test('moves in by the proxy, and the page behind has it', async () => {
    const { auth, browser } = await visitor()
    const answer = await browser.proxy('/', auth)
    const page = await new Browser(base).render(() => auth(), Browser.behind(answer) ?? {})
    expect(page.value?.user?.id).toBe('7')
  })

  test('moves in by a wrapped handler', async () => {
    const { auth, browser } = await visitor()
    const answer = await browser.handle(
      '/me',
      auth((request) => Response.json(request.auth?.user?.id)),
    )
    expect(await answer.json()).toBe('7')
    expect([...browser.cookies.keys()]).toEqual([NAME])
  })
})
