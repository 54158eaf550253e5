import { mintSession } from '@latchkey/session/testing'
import { describe, expect, test } from 'vitest'
import * as forward from './forward.js'
import * as whole from './index.js'
import {
  CredentialsSignin,
  type RequestAuth,
  type WebAuth,
  type WebAuthConfig,
  webAuth,
} from './index.js'
import {
  Browser,
  binding,
  inProcess,
  modes,
  NAME,
  OFFER,
  ORIGIN,
  offering,
  ofSession,
  SECRET,
} from './test-app.js'

/** An app with forms of its own. @param copy what its framework hands on */
function appOf(auth: WebAuth, copy = (request: Request) => request): Browser {
  return new Browser((given) =>
    auth.handle(given, async (own) => {
      const request = copy(given)
      const { pathname, searchParams } = new URL(request.url)
      if (searchParams.has('read')) await own()
      if (pathname === '/in') {
        const form = await request.clone().formData()
        const provider = form.get('provider') as string | null
        form.delete('provider')
        return auth.signIn(request, provider, form, 'login_hint=ann')
      }
      if (pathname === '/out') return auth.signOut(request)
      return new Response((await own())?.user?.name ?? 'nobody')
    }),
  )
}

const right = { provider: 'credentials', username: 'ann', password: 'right' }
const to = (answer: Response) => answer.headers.get('location')

describe('the offer to bind a session', () => {
  const offers = (answer: Response) => answer.headers.get('secure-session-registration')

  test.each([
    ['the request itself', (request: Request) => request],
    ['a copy of it', (request: Request) => new Request(request)],
  ])('is in the answer to a form that signs in, by %s, and in no other', async (_, copy) => {
    const browser = appOf(webAuth({ worker: offering() }), copy)
    const answer = await browser.submit('/in', right)
    expect([answer.status, ofSession(answer).length, offers(answer)]).toEqual([303, 1, OFFER])
    const others = [await browser.go('/'), await browser.submit('/out'), await browser.go('/')]
    expect(others.map(offers)).toEqual([null, null, null])
    const failed = browser.submit('/in', { ...right, password: 'wrong' })
    await expect(failed).rejects.toThrow(CredentialsSignin)
  })
})

describe.each(modes)('a form of the app, %s', (_, config) => {
  test('leads to the provider, with the flow’s cookie and the parameters', async () => {
    const answer = await appOf(webAuth(config())).submit('/in', { provider: 'github' })
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([303, 'private, no-store'])
    const url = new URL(to(answer) ?? '')
    expect([url.hostname, url.searchParams.get('login_hint')]).toEqual(['github.com', 'ann'])
    expect(answer.headers.getSetCookie().join()).toContain('auth.flow.')
  })

  test('leads to the sign-in page without a provider, and with one that is not configured', async () => {
    const browser = appOf(webAuth(config()))
    for (const fields of [{ redirectTo: '/a' }, { provider: 'nothing', redirectTo: '/a' }]) {
      const answer = await browser.submit('/in', fields)
      expect([answer.status, to(answer)]).toEqual([303, `${ORIGIN}/auth/signin?callbackUrl=%2Fa`])
    }
  })

  test('wrong credentials throw, with their code', async () => {
    const fault = await appOf(webAuth(config()))
      .submit('/in', { ...right, password: 'wrong' })
      .catch((error: unknown) => error)
    expect(fault).toBeInstanceOf(CredentialsSignin)
    expect(fault).toMatchObject({ code: 'credentials' })
  })

  test.each([
    ['none', {}, '/'],
    ['the app’s own page', { referer: `${ORIGIN}/from?a=1` }, '/from?a=1'],
    ['a page of another site', { referer: 'https://evil.example/x' }, '/'],
  ])('without `redirectTo` it leads back: Referer is %s', async (_name, headers, path) => {
    const answer = await appOf(webAuth(config())).submit('/in', right, headers)
    expect(to(answer)).toBe(ORIGIN + path)
  })

  test.each([
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/..//evil.example',
    '/x/%2e%2e//evil.example',
    'http://localhost:3000//evil.example',
    'javascript:alert(1)',
    'http://localhost:3000.evil.example/',
    'http://localhost:3000@evil.example/',
  ])('attack: `redirectTo` %s leads to the app’s root', async (redirectTo) => {
    const answer = await appOf(webAuth(config())).submit('/in', { ...right, redirectTo })
    expect(new URL(to(answer) ?? '').origin).toBe(ORIGIN)
  })

  test('attack: fields named like our own change neither the target nor the token', async () => {
    const answer = await appOf(webAuth(config())).submit('/in', {
      ...right,
      redirectTo: '/inbox',
      callbackUrl: 'https://evil.example/',
      csrfToken: 'forged',
    })
    expect([to(answer), ofSession(answer).length]).toEqual([`${ORIGIN}/inbox`, 1])
  })

  test.each<[string, Record<string, string>]>([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['a sub-domain', { 'sec-fetch-site': 'same-site' }],
    ['no site', { 'sec-fetch-site': 'none' }],
    ['another site, with our Origin beside it', { 'sec-fetch-site': 'cross-site', origin: ORIGIN }],
  ])('attack: a form of %s is 403, and signs nobody in or out', async (_name, headers) => {
    const browser = appOf(webAuth(config()))
    expect((await browser.submit('/in', right, headers)).status).toBe(403)
    expect(browser.cookies.has(NAME)).toBe(false)
    await browser.submit('/in', right)
    expect((await browser.submit('/out', {}, headers)).status).toBe(403)
    expect(await (await browser.go('/')).text()).toBe('ann')
  })

  test.each([
    ['from this app', ORIGIN, 303],
    ['from another site', 'https://evil.example', 403],
    ['from a frame without an origin', 'null', 403],
    ['that is missing', undefined, 403],
  ])('without Sec-Fetch-Site it is judged by an Origin %s', async (_name, origin, status) => {
    const browser = appOf(webAuth(config()))
    const headers = origin === undefined ? {} : { origin }
    const init = { method: 'POST', body: new URLSearchParams(right), headers }
    expect((await browser.go('/in', init)).status).toBe(status)
  })

  test('a file and a field that comes twice are 400', async () => {
    const browser = appOf(webAuth(config()))
    const file = new FormData()
    file.set('username', new Blob(['x']))
    const provider = new FormData()
    provider.set('provider', new Blob(['github']))
    const twice = new URLSearchParams([...Object.entries(right), ['username', 'bob']])
    const headers = { 'sec-fetch-site': 'same-origin' }
    for (const body of [file, provider, twice])
      expect((await browser.go('/in', { method: 'POST', body, headers })).status).toBe(400)
  })
})

describe.each<[string, (request: Request) => Request]>([
  ['the same request', (request) => request],
  ['a copy of the request', (request) => new Request(request)],
])('a handler that signs in or out by %s', (_, copy) => {
  test('attack: a cookie that was renewed before does not bring the old user back', async () => {
    const browser = appOf(webAuth(inProcess()), copy)
    await browser.signIn({ username: 'old' })
    await browser.age()
    const answer = await browser.submit('/in?read', right)
    expect(ofSession(answer)).toHaveLength(1)
    expect(await (await browser.go('/')).text()).toBe('ann')
    await browser.age()
    await browser.submit('/out?read')
    expect(browser.cookies.has(NAME)).toBe(false)
  })
})

test('`auth` of a copy reads the same session, and renews no cookie of the answer', async () => {
  const auth = webAuth(inProcess())
  const browser = new Browser((request) =>
    auth.handle(request, async () => {
      const session = await auth.auth(new Request(request))
      await auth.requireSession(new Request(request))
      return new Response(session?.user?.name)
    }),
  )
  await browser.signIn()
  await browser.age()
  const answer = await browser.go('/')
  expect([await answer.text(), ofSession(answer)]).toEqual(['ann', []])
})

test('attack: a copy of a request reads with no variables of another request', async () => {
  const auth = webAuth(() => ({ ...inProcess(), secret: [] }) as WebAuthConfig)
  const user = { id: 'bo', name: 'Bo' }
  const secrets = [SECRET, SECRET.replace('a', 'b')]
  const envs = secrets.map((secret) => ({ AUTH_SECRET: secret }))
  const said = await Promise.all(
    envs.map(async (env, at) => {
      const issuer = `${ORIGIN}/auth`
      const { cookie } = await mintSession({ secret: secrets[at] ?? '', issuer, user })
      const request = new Request(ORIGIN, { headers: { cookie } })
      const next = async (own: RequestAuth) => {
        const ofCopy = await auth.auth(new Request(request)).catch((error: Error) => error.name)
        return Response.json([(await own())?.user?.name, ofCopy])
      }
      return (await (await auth.handle(request, next, { env })).json()) as [string, string]
    }),
  )
  // The first copy may still find the only variables; from the second on there are several.
  expect(said.map(([own]) => own)).toEqual(['Bo', 'Bo'])
  expect(said[1]).toEqual(['Bo', 'SecretError'])
})

test('attack: a copy of a request without variables reads with none of an earlier one', async () => {
  const auth = webAuth(() => ({ ...inProcess(), secret: [] }) as WebAuthConfig)
  await auth.handle(new Request(ORIGIN), () => new Response(), { env: { AUTH_SECRET: SECRET } })
  const issuer = `${ORIGIN}/auth`
  const { cookie } = await mintSession({ secret: SECRET, issuer, user: { id: 'bo', name: 'Bo' } })
  const request = new Request(ORIGIN, { headers: { cookie } })
  const read = () => auth.auth(new Request(request)).then(() => new Response())
  await expect(auth.handle(request, read)).rejects.toThrow('AUTH_SECRET')
})

test('a refusal of a copy’s demand is the answer where the framework lets it pass', async () => {
  const auth = webAuth(inProcess())
  const answer = await auth.handle(new Request(`${ORIGIN}/inbox`), async (own) => {
    await own()
    await auth.requireSession(new Request(`${ORIGIN}/inbox`))
    return new Response('secret')
  })
  expect([answer.status, to(answer)]).toEqual([302, '/login?callbackUrl=%2Finbox'])
})

test('a session in chunks is read, renewed and removed with all of its chunks', async () => {
  const callbacks = {
    session: ({ session }: { session: object }) => ({ ...session, long: 'x'.repeat(5000) }),
  }
  const browser = appOf(webAuth(inProcess({ callbacks: callbacks as never })))
  await browser.submit('/in', right)
  expect([...browser.cookies.keys()]).toEqual(expect.arrayContaining([`${NAME}.0`, `${NAME}.1`]))
  expect(await (await browser.go('/')).text()).toBe('ann')
  await browser.submit('/out?read')
  expect([...browser.cookies.keys()].filter((name) => name.startsWith(NAME))).toEqual([])
})

test('two users at once get their own sessions', async () => {
  const auth = webAuth(inProcess())
  const browsers = ['ann', 'bea'].map((name) => [name, appOf(auth)] as const)
  for (const [name, browser] of browsers) await browser.signIn({ username: name })
  const said = await Promise.all(
    browsers.flatMap(([name, browser]) =>
      Array.from({ length: 5 }, async () => [name, await (await browser.go('/')).text()]),
    ),
  )
  expect(said.filter(([name, text]) => name !== text)).toEqual([])
})

describe('./forward', () => {
  test('signs in at the Worker, and reads its session', async () => {
    const browser = appOf(forward.webAuth({ worker: binding(), logger: { error() {}, warn() {} } }))
    await browser.submit('/in', right)
    expect(await (await browser.go('/')).text()).toBe('ann')
  })

  test('refuses `providers`, and names the entry that has the service', () => {
    expect(() => forward.webAuth(inProcess() as never)).toThrow(
      "import webAuth from '@latchkey/web', or configure `worker`",
    )
  })

  test('has every name of the whole entry', () => {
    expect(Object.keys(forward).sort()).toEqual(Object.keys(whole).sort())
  })
})
