import { CredentialsSignin } from '@latchkey/session'
import credentials from '@latchkey/worker/providers/credentials'
import { memoryStore } from '@latchkey/worker/stores/memory'
import { fail, isActionFailure } from '@sveltejs/kit'
import { describe, expect, test, vi } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { elsewhere } from '../../../test/support/elsewhere.js'
import { ComponentKitAuth } from './component-kit-auth.js'
import { ada, config, eventOf, ORIGIN, type Page, SECRET, TestApp, testWorker } from './test-app.js'
import type { KitEvent } from './types.js'

const { takeTimers, pass } = clock({ start: 'now' })

const right = { providerId: 'credentials', username: 'ada', password: 'lovelace' }
const wrong = { ...right, password: 'babbage' }
const quiet = { error() {}, warn(_code: string, _text?: string) {} }

class Locked extends CredentialsSignin {
  override code = 'try-later'
}
const locked = credentials({
  id: 'locked',
  authorize: () => {
    throw new Locked()
  },
})

const inProcess = (logger = quiet) =>
  new TestApp(ComponentKitAuth({ ...config, logger, providers: [ada, locked] }))
const forwarded = (logger = quiet, worker = testWorker({ providers: [ada, locked] })) =>
  new TestApp(ComponentKitAuth({ worker, logger, secret: SECRET }))

const offersOf = (response: Response) => response.headers.get('secure-session-registration')
const locationOf = (response: Response) => response.headers.get('location')
const isSignedIn = (app: TestApp) => app.cookies.has('auth.session-token')

describe('the offer to bind a session', () => {
  const OFFER = '(ES256 RS256);path="/auth/bound/register";challenge="c1"'
  const worker = testWorker({ providers: [ada] })
  const offering = {
    ...worker,
    fetch: async (url: string, init?: RequestInit) => {
      const answer = await worker.fetch(url, init)
      if (/session-token=[^;]/.test(answer.headers.getSetCookie().join())) {
        answer.headers.set('secure-session-registration', OFFER)
      }
      return answer
    },
  }

  test.each([{}, { redirect: 'false' }])(
    'is in the answer to the action that signs in, and in no other: %j',
    async (fields) => {
      const app = forwarded(quiet, offering)
      expect(offersOf(await app.submit(app.auth.signIn, { ...right, ...fields }))).toBe(OFFER)
      expect(await app.who()).toBe('Ada')
      const page: Page = ({ locals }) => locals.auth()
      expect(offersOf(await app.visit('/', page))).toBe(null)
      expect(offersOf(await app.submit(app.auth.signOut, {}))).toBe(null)
    },
  )
})

describe.each([
  ['in process', inProcess],
  ['forwarded', forwarded],
])('the form action signIn, %s,', (_, create) => {
  test('signs in with the right credentials and redirects with 303', async () => {
    const app = create()
    const response = await app.submit(app.auth.signIn, { ...right, redirectTo: '/inbox?x=1' })
    expect([response.status, locationOf(response)]).toEqual([303, `${ORIGIN}/inbox?x=1`])
    expect(await app.who()).toBe('Ada')
  })

  test('accepts a multipart form', async () => {
    const app = create()
    const body = new FormData()
    for (const [name, value] of Object.entries(right)) body.append(name, value)
    await app.submit(app.auth.signIn, {}, { body })
    expect(await app.who()).toBe('Ada')
  })

  test.each(['', 'false'])(
    'throws CredentialsSignin to the app for wrong credentials, redirect=%s',
    async (redirect) => {
      const app = create()
      const action = async (event: KitEvent) => {
        try {
          return await app.auth.signIn(event)
        } catch (error) {
          if (error instanceof CredentialsSignin) return fail(400, { code: error.code })
          throw error
        }
      }
      const fields = redirect ? { redirect } : {}
      const answer = async (given: Record<string, string>) => {
        let result: unknown
        await app.submit(
          async (event) => {
            result = await action(event)
          },
          { ...given, ...fields },
        )
        return isActionFailure(result) && result.data
      }
      expect(await answer(wrong)).toEqual({ code: 'credentials' })
      expect(await answer({ providerId: 'locked' })).toEqual({ code: 'try-later' })
      expect(isSignedIn(app)).toBe(false)
    },
  )

  test('returns the outcome to the page if the form has redirect=false', async () => {
    const app = create()
    const response = await app.submit(app.auth.signIn, { ...right, redirect: 'false' })
    expect(await response.json()).toEqual({ url: `${ORIGIN}/`, ok: true, status: 200 })
    expect(isSignedIn(app)).toBe(true)
  })

  test.each([{}, { providerId: '' }, { providerId: 'nobody' }, { providerId: '__proto__' }])(
    'redirects to the sign-in page for %o',
    async (fields) => {
      const app = create()
      const response = await app.submit(app.auth.signIn, { ...fields, redirectTo: '/inbox' })
      expect([response.status, locationOf(response)]).toEqual([
        303,
        `${ORIGIN}/auth/signin?callbackUrl=%2Finbox`,
      ])
    },
  )

  test.each([
    [{ maxAge: '300' }, '&maxAge=300'],
    [{ maxAge: '300', acr: '2', callbackUrl: '//evil.example', more: 'x' }, '&maxAge=300&acr=2'],
    [
      { maxAge: '', acr: '2&callbackUrl=//evil.example' },
      '&acr=2%26callbackUrl%3D%2F%2Fevil.example',
    ],
  ])('redirects to the sign-in page for a fresh sign-in: %j', async (fields, needs) => {
    const app = create()
    const response = await app.submit(app.auth.signIn, { ...fields, redirectTo: '/inbox' })
    expect(locationOf(response)).toBe(`${ORIGIN}/auth/signin?callbackUrl=%2Finbox${needs}`)
  })

  test('returns an error for an unknown provider and the sign-in page for none, with redirect=false', async () => {
    const app = create()
    const told = async (fields: Record<string, string>) =>
      (await app.submit(app.auth.signIn, { ...fields, redirect: 'false' })).json()
    const unknown = { url: null, ok: false, status: 400, error: 'Configuration' }
    expect(await told({ providerId: 'nobody' })).toEqual(unknown)
    const url = `${ORIGIN}/auth/signin?callbackUrl=%2F`
    expect(await told({})).toEqual({ url, ok: true, status: 200 })
  })

  test('logs the name of an unknown provider and those that are configured', async () => {
    const said: string[] = []
    const logger = {
      error() {},
      warn: (code: string, text = '') => void said.push(`${code}: ${text}`),
    }
    const app = create(logger)
    await app.submit(app.auth.signIn, {})
    await app.submit(app.auth.signIn, right)
    expect(said).toEqual([])
    await app.submit(app.auth.signIn, { providerId: 'gihtub' })
    await app.submit(app.auth.signIn, { providerId: `a\n[é] ${'x'.repeat(1000)}` })
    const sentences = ['gihtub', `a?[?] ${'x'.repeat(44)}`].map(
      (name) =>
        `A form names the provider "${name}", which is not configured. Configured are: credentials, locked.`,
    )
    expect(said).toEqual(sentences.map((sentence) => `unknown-provider: ${sentence}`))
  })

  test('returns to the page of the form, unless the Referer is from another site', async () => {
    const app = create()
    const from = async (referer: string) =>
      locationOf(await app.submit(app.auth.signIn, right, { headers: { referer } }))
    expect(await from(`${ORIGIN}/shop?item=1`)).toBe(`${ORIGIN}/shop?item=1`)
    expect(await from('https://evil.example/')).toBe(`${ORIGIN}/`)
    expect(await from('nonsense')).toBe(`${ORIGIN}/`)
  })

  test('returns to no other site by Referer, even one in AUTH_TRUSTED_ORIGINS', async () => {
    const app = new TestApp(
      ComponentKitAuth({ ...config, trustedOrigins: ['https://shop.example'] }),
    )
    const headers = { referer: 'https://shop.example/cart' }
    expect(locationOf(await app.submit(app.auth.signIn, right, { headers }))).toBe(`${ORIGIN}/`)
  })

  test.each([
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    'javascript:alert(1)',
    '/..//evil.example',
    '/x/.%2e//evil.example',
    `${ORIGIN}//evil.example`,
  ])('does not redirect to %s: an open redirect', async (redirectTo) => {
    const app = create()
    const response = await app.submit(app.auth.signIn, { ...right, redirectTo })
    expect(locationOf(response)).toBe(`${ORIGIN}/`)
  })

  test.each<[string, Record<string, string>]>([
    ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['another site, by an old browser', { origin: 'https://evil.example', 'sec-fetch-site': '' }],
    ['a sandbox', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
    ['a sibling', { origin: 'http://sub.localhost:5173', 'sec-fetch-site': 'same-site' }],
    ['another port', { origin: 'http://localhost:5174', 'sec-fetch-site': '' }],
    ['another scheme', { origin: 'https://localhost:5173', 'sec-fetch-site': '' }],
    ['an address bar', { origin: '', 'sec-fetch-site': 'none' }],
    ['nobody', { origin: '', 'sec-fetch-site': '' }],
    ['a site that only claims its origin', { origin: ORIGIN, 'sec-fetch-site': 'cross-site' }],
  ])(
    'refuses a form from %s: login CSRF, whatever Kit’s own check is set to',
    async (_from, headers) => {
      const app = create()
      const given = new Headers({ 'content-type': 'application/x-www-form-urlencoded' })
      for (const [name, value] of Object.entries(headers)) if (value) given.set(name, value)
      const body = new URLSearchParams(right).toString()
      const response = await app.visit('/form', app.auth.signIn as Page, {
        method: 'POST',
        body,
        headers: given,
      })
      expect(response.status).toBe(403)
      expect(app.cookies.size).toBe(0)
    },
  )

  test('accepts same-origin in Sec-Fetch-Site if a proxy has changed the scheme', async () => {
    const app = create()
    const headers = { origin: 'https://localhost:5173', 'sec-fetch-site': 'same-origin' }
    await app.submit(app.auth.signIn, right, { headers })
    expect(isSignedIn(app)).toBe(true)
  })

  test('refuses any other body than a form with 4xx and a message', async () => {
    const app = create()
    const status = async (init: RequestInit) => (await app.submit(app.auth.signIn, {}, init)).status
    const file = new FormData()
    file.append('providerId', 'credentials')
    file.append('password', new File(['lovelace'], 'password.txt'))
    expect(await status({ body: file })).toBe(400)
    const twice = 'providerId=credentials&username=ada&username=eve&password=x'
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    expect(await status({ body: twice, headers })).toBe(400)
    expect(await status({ body: `providerId=nobody&providerId=credentials`, headers })).toBe(400)
    expect(await status({ body: `a=${'x'.repeat(64 * 1024)}`, headers })).toBe(413)
    expect(await status({ body: '{}', headers: { 'content-type': 'application/json' } })).toBe(415)
    expect(await status({ body: 'x', headers: { 'content-type': 'multipart/form-data' } })).toBe(
      400,
    )
    expect(app.cookies.size).toBe(0)
  })

  test('stops reading a form that never ends, and leaves the connection for the answer', async () => {
    const app = create()
    let sent = 0
    const cancel = vi.fn()
    const endless = new ReadableStream<Uint8Array>({
      cancel,
      pull(controller) {
        sent += 16_384
        controller.enqueue(new Uint8Array(16_384).fill(97))
      },
    })
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const init = { body: endless, headers, duplex: 'half' } as RequestInit
    expect((await app.submit(app.auth.signIn, {}, init)).status).toBe(413)
    expect(sent).toBeLessThan(1024 * 1024)
    expect(cancel).not.toHaveBeenCalled()
  })

  test('overrides form fields named csrfToken and callbackUrl', async () => {
    const app = create()
    const fields = { ...right, csrfToken: 'x', callbackUrl: '/elsewhere' }
    const response = await app.submit(app.auth.signIn, fields)
    expect(locationOf(response)).toBe(`${ORIGIN}/`)
    expect(isSignedIn(app)).toBe(true)
  })

  test('keeps the cookies of a sign-in that fails', async () => {
    const app = create()
    const response = await app.submit(app.auth.signIn, wrong)
    expect(response.headers.getSetCookie().map((line) => line.split('=')[0])).toEqual([
      'auth.csrf-token',
    ])
    expect(response.headers.get('cache-control')).toBe('private, no-store')
  })
})

describe.each([
  [
    'in process',
    () =>
      new TestApp(
        ComponentKitAuth({ ...config, providers: [ada, elsewhere], store: memoryStore() }),
      ),
  ],
  ['forwarded', () => forwarded(quiet, testWorker({ providers: [ada, elsewhere] }))],
])('the form action signIn with link, %s,', (_, create) => {
  const link = { providerId: 'elsewhere', link: 'true', redirectTo: '/settings' }
  const ways = async (app: TestApp) => {
    const answer = await app.visit('/auth/ways')
    return ((await answer.json()) as { ways: { provider: string }[] }).ways.map(
      ({ provider }) => provider,
    )
  }

  test('leads to the provider, which is a way of the same person afterwards', async () => {
    const app = create()
    await app.signIn()
    const to = locationOf(await app.submit(app.auth.signIn, link)) ?? ''
    expect(to).toMatch(/^https:\/\/elsewhere\.example\/authorize\?/)
    const state = new URL(to).searchParams.get('state') ?? ''
    const query = new URLSearchParams({ code: 'code', state })
    const back = await app.visit(`/auth/callback/elsewhere?${query}`)
    expect(locationOf(back)).toBe(`${ORIGIN}/settings`)
    expect(await ways(app)).toEqual(['credentials', 'elsewhere'])
    expect(await app.who()).toBe('Ada')
  })

  test('more than five minutes after the sign-in leads to sign in again, or says so with redirect=false', async () => {
    const app = create()
    await app.signIn()
    pass(301)
    const callbackUrl = encodeURIComponent(`${ORIGIN}/settings`)
    const response = await app.submit(app.auth.signIn, link)
    expect([response.status, locationOf(response)]).toEqual([
      303,
      `${ORIGIN}/auth/signin?maxAge=300&callbackUrl=${callbackUrl}`,
    ])
    const told = await app.submit(app.auth.signIn, { ...link, redirect: 'false' })
    expect(await told.json()).toEqual({
      url: null,
      ok: false,
      status: 401,
      error: 'FreshSignInRequired',
    })
    expect(await ways(app)).toEqual(['credentials'])
  })

  test('leads to the sign-in page if no user is signed in, or says so with redirect=false', async () => {
    const app = create()
    const response = await app.submit(app.auth.signIn, link)
    expect([response.status, locationOf(response)]).toEqual([
      303,
      `${ORIGIN}/auth/signin?maxAge=300&callbackUrl=${encodeURIComponent(`${ORIGIN}/settings`)}`,
    ])
    const told = await app.submit(app.auth.signIn, { ...link, redirect: 'false' })
    const error = 'FreshSignInRequired'
    expect(await told.json()).toEqual({ url: null, ok: false, status: 401, error })
  })

  test('is refused from another site: link CSRF', async () => {
    const app = create()
    await app.signIn()
    const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    expect((await app.submit(app.auth.signIn, link, { headers })).status).toBe(403)
    expect(await ways(app)).toEqual(['credentials'])
  })
})

describe('one request with a form action', () => {
  test('renders its page with the new session', async () => {
    const app = inProcess()
    const names: (string | null | undefined)[] = []
    const signsIn: Page = async (event) => {
      names.push((await event.locals.auth())?.user?.name)
      await app.auth.signIn(event)
      names.push((await event.locals.auth())?.user?.name)
      return 'page'
    }
    await app.submit(signsIn as never, { ...right, redirect: 'false' })
    const signsOut: Page = async (event) => {
      names.push((await event.locals.auth())?.user?.name)
      await app.auth.signOut(event)
      names.push((await event.locals.auth())?.user?.name)
    }
    await app.submit(signsOut as never, { redirect: 'false' })
    expect(names).toEqual([undefined, 'Ada', 'Ada', undefined])
  })

  test('throws an error that names the hook, if the hook has not run', async () => {
    const { signIn } = ComponentKitAuth(config)
    const event = eventOf(new Request(`${ORIGIN}/signin`, { method: 'POST' }))
    await expect(signIn(event)).rejects.toThrow(/export `handle`/)
  })

  test.each(['signIn', 'signOut'] as const)(
    'throws an error that names the form, if %s is called in a GET',
    async (name) => {
      const app = inProcess()
      const page: Page = async (event) => {
        await expect(app.auth[name](event)).rejects.toThrow(/posted/)
      }
      expect((await app.visit('/form', page)).status).toBe(200)
    },
  )

  test('throws an error that names request.clone(), if the form was read before', async () => {
    const app = inProcess()
    await app.submit(async (event) => {
      await event.request.formData()
      await expect(app.auth.signIn(event)).rejects.toThrow(/event\.request\.clone/)
    }, right)
  })

  test('finds its request by the event’s locals: Kit hands on copies of events', async () => {
    const app = inProcess()
    const copied: Page = (event) => app.auth.signIn({ ...event })
    await app.submit(copied as never, right)
    expect(await app.who()).toBe('Ada')
  })
})

test('failed passwords are counted by the client’s address, whatever CF-Connecting-IP a request has', async () => {
  const app = inProcess()
  const codes: unknown[] = []
  const waits: unknown[] = []
  const guess = async (claimed: string, client = '192.0.2.7') => {
    const headers = { 'cf-connecting-ip': claimed, 'x-forwarded-for': claimed }
    const action = (event: KitEvent) =>
      app.auth.signIn(event).catch(({ code, retryAfter }: CredentialsSignin) => {
        codes.push(code)
        waits.push(retryAfter)
      })
    await app.submit(action, wrong, { headers }, { client })
  }
  for (let count = 0; count < 11; count++) await guess(`198.51.100.${count}`)
  await guess('192.0.2.7', '203.0.113.1')
  expect(codes).toEqual([...Array(10).fill('credentials'), 'rate_limited', 'credentials'])
  expect(waits).toEqual([...Array(10).fill(undefined), expect.any(Number), undefined])
})

test('attack: a stranger’s failed passwords, through a trusted proxy with a public address, keep no other visitor out', async () => {
  vi.stubEnv('AUTH_TRUST_HOST', 'true')
  const app = inProcess()
  const codes: unknown[] = []
  // As adapter-node has it, without ADDRESS_HEADER and with it.
  const guess = async (last: string, peer: string, client = peer) => {
    const headers = { 'x-forwarded-for': `6.6.6.6, ${last}` }
    const action = (event: KitEvent) =>
      app.auth.signIn(event).catch(({ code }: CredentialsSignin) => void codes.push(code))
    const platform = { req: { socket: { remoteAddress: peer } } }
    await app.submit(action, wrong, { headers }, { client, platform })
  }
  for (let count = 0; count < 11; count++) await guess('203.0.113.20', '198.51.100.20')
  await guess('203.0.113.21', '198.51.100.20')
  await guess('198.51.100.20', '198.51.100.21', '203.0.113.22')
  for (let count = 0; count < 10; count++)
    await guess('203.0.113.23', '198.51.100.21', '203.0.113.22')
  vi.unstubAllEnvs()
  const ten = Array(10).fill('credentials')
  expect(codes).toEqual([...ten, 'rate_limited', 'credentials', ...ten, 'rate_limited'])
})

describe('the form action signOut', () => {
  test.each([
    ['in process', inProcess],
    ['forwarded', forwarded],
  ])('ends the session, %s', async (_, create) => {
    const app = create()
    await app.submit(app.auth.signIn, right)
    const response = await app.submit(app.auth.signOut, { redirectTo: '/bye' })
    expect([response.status, locationOf(response)]).toEqual([303, `${ORIGIN}/bye`])
    expect(isSignedIn(app)).toBe(false)
    expect(await app.who()).toBe(null)
  })

  test('is refused from another site: sign-out CSRF', async () => {
    const app = inProcess()
    await app.submit(app.auth.signIn, right)
    const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    expect((await app.submit(app.auth.signOut, {}, { headers })).status).toBe(403)
    expect(await app.who()).toBe('Ada')
  })

  test('answers a browser that is signed out already', async () => {
    const app = inProcess()
    const response = await app.submit(app.auth.signOut, { redirect: 'false' })
    expect(await response.json()).toEqual({ url: `${ORIGIN}/`, ok: true, status: 200 })
  })
})

describe('errors of the service', () => {
  const answering = (route: string, answer: () => Response) => {
    const worker = testWorker()
    const fetch = async (url: string, init?: RequestInit) =>
      new URL(url).pathname === route ? answer() : worker.fetch(url, init)
    return new TestApp(ComponentKitAuth({ worker: { fetch }, logger: quiet, secret: SECRET }))
  }
  const route = '/auth/callback/credentials'

  test('redirect to the page that the service names, or are returned with redirect=false', async () => {
    const answer = () =>
      Response.json(
        { url: `${ORIGIN}/auth/error?error=AccessDenied`, error: 'AccessDenied' },
        { status: 403 },
      )
    const app = answering(route, answer)
    expect(locationOf(await app.submit(app.auth.signIn, right))).toBe(
      `${ORIGIN}/auth/error?error=AccessDenied`,
    )
    const told = await app.submit(app.auth.signIn, { ...right, redirect: 'false' })
    expect(await told.json()).toEqual({ url: null, ok: false, status: 403, error: 'AccessDenied' })
  })

  test('that are wrong credentials keep their code and retryAfter, whatever the status', async () => {
    const url = `${ORIGIN}/auth/signin?error=CredentialsSignin&code=rate_limited`
    const limited = { status: 429, headers: { 'retry-after': '61' } }
    const answer = () =>
      Response.json({ url, error: 'CredentialsSignin', code: 'rate_limited' }, limited)
    const app = answering(route, answer)
    const action = (event: KitEvent) =>
      expect(app.auth.signIn(event)).rejects.toMatchObject({
        type: 'CredentialsSignin',
        code: 'rate_limited',
        retryAfter: 61,
      })
    await app.submit(action, right)
    expect.assertions(1)
  })

  test.each([
    ['a page', () => new Response('<html>', { status: 200 }), 502],
    ['a refusal', () => new Response('A field was sent twice.', { status: 400 }), 400],
    ['a refusal with markup', () => new Response('<html>A trace.', { status: 400 }), 400],
    ['a failure', () => new Response('{"error":"Configuration"}', { status: 503 }), 503],
    ['an invalid address', () => Response.json({ url: 5 }), 502],
    ['null', () => Response.json(null), 502],
    ['a redirect', () => Response.redirect('https://evil.example/'), 502],
    ['half of it', brokenOff, 502],
  ])('with %s have a status and reveal no part of the service', async (_, answer, status) => {
    const app = answering(route, answer)
    const response = await app.submit(app.auth.signIn, right)
    expect(response.status).toBe(status)
    expect(await response.text()).not.toContain('<html>')
  })

  test.each([
    ['a failure', () => new Response('', { status: 500 })],
    ['a page', () => new Response('<html>')],
    ['null', () => Response.json(null)],
    ['too much', () => Response.json({ a: 'x'.repeat(300_000) })],
    ['half of it', brokenOff],
  ])('with its token or its list of providers, by %s, are a 503', async (_, answer) => {
    for (const route of ['/auth/providers', '/auth/csrf']) {
      const app = answering(route, answer)
      const response = await app.submit(app.auth.signIn, right)
      expect([route, response.status]).toEqual([route, 503])
    }
  })

  test('with a body that never ends become 503', async () => {
    takeTimers()
    let hasBegun = false
    let isOver = false
    const app = answering('/auth/csrf', () => {
      hasBegun = true
      return new Response(new ReadableStream())
    })
    const waiting = app.submit(app.auth.signIn, right).finally(() => {
      isOver = true
    })
    while (!isOver) {
      await new Promise((resolve) => setImmediate(resolve))
      if (hasBegun) vi.advanceTimersByTime(1_000)
    }
    expect((await waiting).status).toBe(503)
  })
})

describe('the types of a Worker’s providers', () => {
  const asked = (worker: ReturnType<typeof testWorker>) =>
    worker.requests.filter(({ url }) => url.endsWith('/providers')).length

  test('are asked once a minute, and again for another name of the app', async () => {
    const worker = testWorker()
    const app = forwarded(quiet, worker)
    for (let time = 0; time < 3; time++) await app.submit(app.auth.signIn, right)
    expect(asked(worker)).toBe(1)
    pass(61)
    await app.submit(app.auth.signIn, right)
    expect(asked(worker)).toBe(2)
    await app.submit(app.auth.signIn, right, {}, { origin: 'http://127.0.0.1:5173' })
    expect(asked(worker)).toBe(3)
  })

  test('are asked again after a failure', async () => {
    const worker = testWorker()
    let isDown = true
    const fetch: typeof worker.fetch = (url, init) =>
      isDown && url.endsWith('/providers') ? Promise.reject(new Error()) : worker.fetch(url, init)
    const app = new TestApp(ComponentKitAuth({ worker: { fetch }, logger: quiet, secret: SECRET }))
    expect((await app.submit(app.auth.signIn, right)).status).toBe(503)
    isDown = false
    expect((await app.submit(app.auth.signIn, right)).status).toBe(303)
  })

  test('decide the route, whatever the ids are', async () => {
    const password = { ...ada, id: 'password' }
    const app = forwarded(quiet, testWorker({ providers: [password] }))
    await app.submit(app.auth.signIn, { ...right, providerId: 'password' })
    expect(await app.who()).toBe('Ada')
  })
})

/** An answer whose connection is aborted. */
function brokenOff(): Response {
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('{"url"')),
    pull: (controller) => controller.error(new TypeError('terminated')),
  })
  return new Response(body)
}
