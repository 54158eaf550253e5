import { describe, expect, test, vi } from 'vitest'
import NextAuth, { AuthError, CredentialsSignin } from './index.js'
import { Browser, binding, inProcess, modes, NAME, quiet, SECRET, silent } from './test-app.js'

const right = { username: 'ann', password: 'right' }

function formOf(fields: Record<string, string | File>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  return form
}

describe.each(modes)('%s', (_, config, base) => {
  const open = () => ({ ...NextAuth(config()), browser: new Browser(base) })

  test('an action signs in by a form, and the session is there at once', async () => {
    const { signIn, auth, browser } = open()
    const seen: unknown[] = []
    const { location, lines } = await browser.act(async () => {
      seen.push(await auth())
      const form = formOf({ ...right, redirectTo: '/inbox', $ACTION_ID_1: 'x', redirect: 'x' })
      await signIn('credentials', form).catch(async (thrown) => {
        seen.push((await auth())?.user?.name)
        throw thrown
      })
    })
    expect(location).toBe('http://localhost:3000/inbox')
    expect(seen).toEqual([null, 'ann'])
    expect(lines.some((line) => line.startsWith(NAME))).toBe(true)
    expect((await browser.render(() => auth())).value?.user?.name).toBe('ann')
  })

  test('an action signs out, and the copied cookie is over', async () => {
    const { signIn, signOut, auth, browser } = open()
    await browser.act(() => signIn('credentials', right))
    const { cookie } = browser
    const { location } = await browser.act(() => signOut({ redirectTo: '/bye' }))
    expect(location).toBe('http://localhost:3000/bye')
    expect(browser.cookies.has(NAME)).toBe(false)
    expect((await browser.render(() => auth(), { cookie })).value).toBe(null)
  })

  test('`redirect: false` gives the address and redirects nowhere', async () => {
    const { signIn, signOut, browser } = open()
    const options = { ...right, redirect: false, redirectTo: '/inbox' } as const
    const { value } = await browser.act(() => signIn('credentials', options))
    expect(value).toBe('http://localhost:3000/inbox')
    expect((await browser.act(() => signOut({ redirect: false }))).value).toBe(
      'http://localhost:3000/',
    )
  })

  test('a provider of OAuth is opened, with the parameters of the app', async () => {
    const { signIn, browser } = open()
    const { location = '' } = await browser.act(() => signIn('github', {}, { login: 'ann' }))
    const url = new URL(location)
    expect([url.origin, url.searchParams.get('login')]).toEqual(['https://github.com', 'ann'])
  })

  test('wrong credentials throw CredentialsSignin with their code', async () => {
    const { signIn, browser } = open()
    const wrong = browser.act(() => signIn('credentials', { ...right, password: 'wrong' }))
    await expect(wrong).rejects.toThrow(CredentialsSignin)
    await expect(wrong).rejects.toMatchObject({ code: 'credentials' })
    // Next logs what an action throws: a line, and no stack for each guess.
    const { stack } = (await wrong.catch((error: unknown) => error)) as Error
    expect(stack).toBe('CredentialsSignin: The credentials were refused.')
    expect(browser.cookies.has(NAME)).toBe(false)
  })

  test.each([undefined, 'nobody', '__proto__'])(
    'the provider %s leads to the sign-in page',
    async (provider) => {
      const { signIn, browser } = open()
      const { location } = await browser.act(() => signIn(provider, { redirectTo: '/inbox' }))
      expect(location).toBe(`http://localhost:3000${base}/signin?callbackUrl=%2Finbox`)
    },
  )

  test('a route handler answers 303, so that no password is sent on', async () => {
    const { signIn, browser } = open()
    const init = { method: 'POST', headers: { 'sec-fetch-site': 'same-origin' } }
    const answer = await browser.handle('/in', () => signIn('credentials', right), init)
    expect([answer.status, answer.headers.get('location')]).toEqual([303, 'http://localhost:3000/'])
    expect(browser.cookies.has(NAME)).toBe(true)
  })

  test.each([
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    'javascript:alert(1)',
    // Next makes an address of its own host relative, and two slashes are another host then.
    '/..//evil.example',
    '/.//evil.example',
    '/x/..//evil.example',
    '/%2e%2e//evil.example',
    './/evil.example',
    'http://localhost:3000//evil.example',
    'http://localhost:3000/%2E//evil.example',
    '/\t/evil.example',
  ])('redirectTo leads to no other site: %s is an open redirect', async (redirectTo) => {
    const { signIn, browser } = open()
    const { location } = await browser.act(() => signIn('credentials', { ...right, redirectTo }))
    expect(location).toBe('http://localhost:3000/')
  })

  test('without redirectTo it leads to the page that sent the form', async () => {
    const { signIn, browser } = open()
    const go = async (referer: string) =>
      (await browser.act(() => signIn('credentials', right), { referer })).location
    expect(await go('http://localhost:3000/shop?a=1')).toBe('http://localhost:3000/shop?a=1')
    expect(await go('https://evil.example/')).toBe('http://localhost:3000/')
    expect(await go('http://localhost:3000//evil.example')).toBe('http://localhost:3000/')
  })

  test.each<[string, Record<string, string>]>([
    ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['a sub-domain', { origin: 'http://sub.localhost:3000', 'sec-fetch-site': 'same-site' }],
    ['another site, by an old browser', { origin: 'https://evil.example', 'sec-fetch-site': '' }],
    ['a sandbox', { origin: 'null', 'sec-fetch-site': '' }],
    ['an address bar', { 'sec-fetch-site': 'none' }],
    ['no site, which Next lets pass', { 'sec-fetch-site': '' }],
    [
      'a site that claims our origin',
      { origin: 'http://localhost:3000', 'sec-fetch-site': 'cross-site' },
    ],
  ])('an action of %s changes nothing: login csrf', async (_from, headers) => {
    const { signIn, signOut, update, browser } = open()
    for (const work of [() => signIn('credentials', right), () => signOut(), () => update({})]) {
      const act = browser.act(work as () => Promise<unknown>, headers)
      await expect(act).rejects.toThrow(AuthError)
      await expect(act).rejects.toThrow('another site')
    }
    expect(browser.cookies.size).toBe(0)
  })

  test('an old browser is known by its Origin', async () => {
    const { signIn, browser } = open()
    const headers = { origin: 'http://localhost:3000', 'sec-fetch-site': '' }
    const { location } = await browser.act(() => signIn('credentials', right), headers)
    expect(location).toBe('http://localhost:3000/')
  })

  test('a file is refused, and a field that was sent twice', async () => {
    const { signIn, browser } = open()
    const file = formOf({ ...right, password: new File(['right'], 'password.txt') })
    await expect(browser.act(() => signIn('credentials', file))).rejects.toThrow('A file')
    const twice = formOf(right)
    twice.append('username', 'eve')
    await expect(browser.act(() => signIn('credentials', twice))).rejects.toThrow('twice')
    expect(browser.cookies.has(NAME)).toBe(false)
  })

  test('a component cannot sign in or out, and says so before anything is asked', async () => {
    const { signIn, signOut, update, browser } = open()
    for (const work of [() => signIn('credentials', right), () => signOut(), () => update({})]) {
      await expect(browser.render(work as () => Promise<unknown>)).rejects.toThrow(
        'server actions and route handlers alone',
      )
    }
  })

  test('the route handlers and other apps of the same session see what an action did', async () => {
    const { signIn, handlers, browser } = open()
    await browser.act(() => signIn('credentials', right))
    const answer = await browser.handle(`${base}/session`, handlers.GET)
    expect(((await answer.json()) as { user: { name: string } }).user.name).toBe('ann')
  })
})

const callbacks = {
  jwt: ({ token, trigger, session }: { token: object; trigger?: string; session?: unknown }) =>
    trigger === 'update' ? { ...token, theme: (session as { theme?: string }).theme } : token,
  session: ({ session, token }: { session: object; token: object }) => ({
    ...session,
    theme: (token as { theme?: string }).theme,
  }),
} as never

test.each([
  ['in process', () => inProcess({ callbacks })],
  ['bound', () => ({ worker: binding({ callbacks }), logger: quiet })],
])('update changes what the callbacks keep, and gives the session, %s', async (_, config) => {
  const { signIn, update, auth } = NextAuth(config())
  const browser = new Browser()
  await browser.act(() => signIn('credentials', right))
  const { value } = await browser.act(() => update({ theme: 'dark', user: { name: 'root' } }))
  expect(value).toMatchObject({ theme: 'dark', user: { name: 'ann' } })
  expect((await browser.render(() => auth())).value).toMatchObject({ theme: 'dark' })
  expect((await new Browser().act(() => update({ theme: 'dark' }))).value).toBe(null)
})

test('attack: a renewal that is slower than a sign-in does not bring the old user back', async () => {
  const worker = binding()
  let renewed = Promise.resolve()
  const fetch: typeof worker.fetch = async (url, init) => {
    const answer = await worker.fetch(url, init)
    if (url.endsWith('/session')) await renewed
    return answer
  }
  const { auth, signIn, handlers } = NextAuth({ worker: { fetch }, logger: quiet })
  const browser = new Browser('/auth')
  await browser.signIn(handlers)
  await browser.age()
  await browser.act(async () => {
    let resolve = () => {}
    renewed = new Promise((done) => {
      resolve = done
    })
    const early = auth()
    await signIn('credentials', { ...right, username: 'bea', redirect: false })
    resolve()
    await early
  })
  expect((await browser.render(() => auth())).value?.user?.name).toBe('bea')
})

test('while the service is silent an action throws WorkerUnavailable, and sets nothing', async () => {
  const { signIn, update } = NextAuth({ worker: silent, secret: SECRET, logger: quiet })
  const browser = new Browser()
  await expect(browser.act(() => signIn('credentials', right))).rejects.toMatchObject({
    status: 503,
  })
  await expect(browser.act(() => update({}))).rejects.toMatchObject({ status: 503 })
  expect(browser.cookies.size).toBe(0)
})

test.each([
  ['', 'http://localhost:3000//evil.example/x', 'http://localhost:3000/'],
  ['/shop', 'http://localhost:3000//evil.example', 'http://localhost:3000/shop/'],
  ['/shop', 'http://localhost:3000/shop//evil.example', 'http://localhost:3000/shop/'],
  ['/shop', 'http://localhost:3000/shop/a//b', 'http://localhost:3000/shop/a//b'],
  ['', 'https://id.example//authorize', 'https://id.example//authorize'],
])(
  'attack: below "%s", %s from a service of an earlier version is an open redirect by its path',
  async (root, url, led) => {
    vi.stubEnv('__NEXT_ROUTER_BASEPATH', root)
    const base = `${root}/auth`
    const service = binding({ basePath: base })
    const worker = {
      fetch: async (address: string, init?: RequestInit) => {
        const answer = await service.fetch(address, init)
        return address.endsWith('/signout') && init?.method === 'POST'
          ? Response.json({ url })
          : answer
      },
    }
    const { signOut } = NextAuth({ worker, basePath: base, logger: { ...quiet } })
    vi.unstubAllEnvs()
    const { location } = await new Browser(base).act(() => signOut())
    expect(location).toBe(led)
  },
)
