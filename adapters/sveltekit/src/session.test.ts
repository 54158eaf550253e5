import { setTimeout as pause } from 'node:timers/promises'
import { isHttpError, isRedirect, redirect } from '@sveltejs/kit'
import { describe, expect, test, vi } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { ComponentKitAuth } from './component-kit-auth.js'
import {
  config,
  eventOf,
  ORIGIN,
  type Page,
  SECRET,
  TestApp,
  type TestEvent,
  testWorker,
} from './test-app.js'

const { pass } = clock({ start: 'now' })

const reads: Page = async ({ locals }) => (await locals.auth())?.user?.name ?? null
const sessionLines = (response: Response) =>
  response.headers.getSetCookie().filter((line) => line.startsWith('auth.session-token='))

async function signedIn(source: Parameters<typeof ComponentKitAuth>[0] = config): Promise<TestApp> {
  const app = new TestApp(ComponentKitAuth(source))
  await app.signIn()
  // From now on the verifier has every ending, and fetches the feed again in some seconds.
  expect(await app.who()).toBe('Ada')
  return app
}

describe('locals.auth()', () => {
  test('is read once for hook, layout and page of one request', async () => {
    let made = 0
    const app = await signedIn(async () => {
      made++
      return config
    })
    made = 0
    pass(301)
    const page: Page = async ({ locals }) => {
      const sessions = await Promise.all([locals.auth(), locals.auth()])
      return new Set([...sessions, await locals.auth()]).size
    }
    const response = await app.visit('/', page)
    expect(await response.json()).toBe(1)
    expect(sessionLines(response)).toHaveLength(1)
    expect(made).toBe(1)
  })

  test('that comes after the answer, as for streamed data, and renews is a warning, once', async () => {
    const said: string[] = []
    const logger = { error() {}, warn: (code: string) => void said.push(code) }
    const app = await signedIn({ ...config, logger })
    for (let time = 0; time < 2; time++) {
      pass(301)
      let auth: App.Locals['auth'] | undefined
      const answer = await app.visit('/streamed', ({ locals }) => {
        auth = locals.auth
      })
      expect((await auth?.())?.user?.name).toBe('Ada')
      expect(sessionLines(answer)).toEqual([])
    }
    expect(said).toEqual(['late-cookie'])
  })

  test.each([
    ['in process', () => config],
    ['with a Worker', () => ({ worker: testWorker(), secret: SECRET })],
  ])(
    'refuses a stolen cookie at once when its session was signed out here, %s',
    async (_, source) => {
      const app = await signedIn(source())
      const stolen = app.cookies.get('auth.session-token') ?? ''
      await app.submit(app.auth.signOut, {})
      app.cookies.set('auth.session-token', stolen)
      expect(await app.who()).toBe(null)
    },
  )

  test('refuses it also after a sign-out by the service’s own page', async () => {
    const app = await signedIn()
    const stolen = app.cookies.get('auth.session-token') ?? ''
    const { csrfToken } = (await (await app.visit('/auth/csrf')).json()) as { csrfToken: string }
    const body = new URLSearchParams({ csrfToken })
    expect((await app.visit('/auth/signout', undefined, { method: 'POST', body })).status).toBe(302)
    app.cookies.set('auth.session-token', stolen)
    expect(await app.who()).toBe(null)
  })

  test('refuses the other sessions of a user after all of them ended', async () => {
    const app = await signedIn()
    const phone = new Map(app.cookies)
    app.cookies.clear()
    await app.signIn()
    const { csrfToken } = (await (await app.visit('/auth/csrf')).json()) as { csrfToken: string }
    const body = JSON.stringify({ csrfToken, session: 'all' })
    const headers = { 'content-type': 'application/json', origin: ORIGIN }
    const ended = await app.visit('/auth/sessions/revoke', undefined, {
      method: 'POST',
      body,
      headers,
    })
    expect(ended.status).toBeLessThan(400)
    for (const [name, value] of phone) app.cookies.set(name, value)
    expect(await app.who()).toBe(null)
  })

  test('refuses at once a session that was signed out elsewhere, with `online`', async () => {
    for (const online of [false, true]) {
      const worker = testWorker()
      const app = await signedIn({ worker, secret: SECRET, online })
      const elsewhere = new TestApp(ComponentKitAuth({ worker, secret: SECRET }))
      for (const [name, value] of app.cookies) elsewhere.cookies.set(name, value)
      await elsewhere.submit(elsewhere.auth.signOut, {})
      expect([online, await app.who()]).toEqual([online, online ? null : 'Ada'])
    }
  })
})

describe('a renewed cookie', () => {
  test('is added to the app’s answer, beside the app’s own cookies', async () => {
    const app = await signedIn()
    pass(301)
    const respond = async (event: { locals: App.Locals }) => {
      await event.locals.auth()
      return new Response('own', {
        headers: [
          ['set-cookie', 'theme=dark'],
          ['set-cookie', 'a=b'],
        ],
      })
    }
    const response = await app.visit('/', undefined, {}, { respond })
    const names = response.headers.getSetCookie().map((line) => line.split('=')[0])
    expect(names).toEqual(['theme', 'a', 'auth.session-token'])
    expect(await app.who()).toBe('Ada')
  })

  test('is added to an answer with immutable headers', async () => {
    const app = await signedIn()
    pass(301)
    const respond = async (event: { locals: App.Locals }) => {
      await event.locals.auth()
      return Response.redirect('http://localhost:5173/next', 303)
    }
    const response = await app.visit('/', undefined, {}, { respond })
    expect([response.status, response.headers.get('location')]).toEqual([303, `${ORIGIN}/next`])
    expect(sessionLines(response)).toHaveLength(1)
  })

  test('is sent once, also when a request of the app to itself has set it', async () => {
    const app = await signedIn()
    pass(301)
    const respond = async (event: { locals: App.Locals }) => {
      await event.locals.auth()
      return new Response('', { headers: { 'set-cookie': 'auth.session-token=older; Path=/' } })
    }
    const response = await app.visit('/', undefined, {}, { respond })
    expect(sessionLines(response)).toHaveLength(1)
    expect(sessionLines(response)[0]).not.toContain('older')
  })

  test.each([
    [301, 302],
    [308, 307],
    [303, 303],
  ] as const)(
    'attack: a cache keeps the redirect %i that a hook throws beside a renewed session',
    async (status, sent) => {
      const app = await signedIn()
      const respond = async ({ locals }: TestEvent) => {
        await locals.auth()
        return redirect(status, '/elsewhere')
      }
      const statusOf = () =>
        app.visit('/', undefined, {}, { respond }).then(
          () => expect.unreachable(),
          (thrown) => (isRedirect(thrown) ? [thrown.status, thrown.location] : thrown),
        )
      pass(301)
      expect(await statusOf()).toEqual([sent, '/elsewhere'])
      const fresh = await signedIn()
      expect(await fresh.visit('/', undefined, {}, { respond }).catch(({ status }) => status)).toBe(
        status,
      )
    },
  )

  test('attack: a hook around ours makes the page with a renewed session public', async () => {
    const app = await signedIn()
    pass(301)
    const answer = await app.visit('/', reads)
    answer.headers.set('cache-control', 'public, max-age=300')
    answer.headers.set('cdn-cache-control', 'max-age=300')
    expect(sessionLines(answer)).toHaveLength(1)
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
    expect(answer.headers.has('cdn-cache-control')).toBe(false)
    expect(Object.keys(answer.headers)).toEqual([])
    const fresh = await app.visit('/', reads)
    fresh.headers.set('cache-control', 'public, max-age=300')
    expect(fresh.headers.get('cache-control')).toBe('public, max-age=300')
  })

  test('is sent with the redirect that a hook throws', async () => {
    const app = await signedIn()
    pass(301)
    const set = vi.fn()
    const respond = async (event: { locals: App.Locals }) => {
      await event.locals.auth()
      redirect(303, '/elsewhere')
    }
    await expect(
      app.visit('/', undefined, {}, { respond, cookies: { set } }),
    ).rejects.toMatchObject({ status: 303 })
    expect(set).toHaveBeenCalledOnce()
    const [name, value, options] = set.mock.calls[0] ?? []
    expect(name).toBe('auth.session-token')
    expect(value).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/)
    expect(options).toMatchObject({
      path: '/',
      httpOnly: true,
      secure: false,
      sameSite: 'lax',
      maxAge: expect.any(Number),
    })
    expect(options.encode('a%b=')).toBe('a%b=')
  })

  test('is not set, and nothing throws, once the answer was sent', async () => {
    const app = await signedIn()
    pass(301)
    let isAnswered = () => {}
    const answered = new Promise<void>((resolve) => {
      isAnswered = resolve
    })
    let late: Promise<unknown> | undefined
    const page: Page = ({ locals }) => {
      late = answered.then(() => locals.auth())
    }
    const response = await app.visit('/', page)
    isAnswered()
    expect(await late).toMatchObject({ user: { name: 'Ada' } })
    expect(response.headers.getSetCookie()).toEqual([])
    expect(response.headers.get('cache-control')).toBe(null)
    expect(sessionLines(await app.visit('/', reads))).toHaveLength(1)
  })

  test('is removed from the browser when the session is over', async () => {
    const app = await signedIn()
    const copy = new TestApp(app.auth)
    for (const [name, value] of app.cookies) copy.cookies.set(name, value)
    await app.submit(app.auth.signOut, {})
    pass(1000)
    const [line = ''] = sessionLines(await copy.visit('/', reads))
    expect(line).toMatch(/^auth\.session-token=;.*Max-Age=0/)
  })
})

describe('caches', () => {
  const answering =
    (cacheControl?: string) =>
    async (event: { locals: App.Locals }): Promise<Response> => {
      await event.locals.auth()
      return new Response('', cacheControl ? { headers: { 'cache-control': cacheControl } } : {})
    }
  const kept = async (app: TestApp, cacheControl?: string) =>
    (await app.visit('/', undefined, {}, { respond: answering(cacheControl) })).headers.get(
      'cache-control',
    )

  test('store no answer that depends on the session, unless the app’s Cache-Control allows it', async () => {
    const app = await signedIn()
    expect(await kept(app)).toBe('private, no-store')
    expect(await kept(app, 'public, max-age=60')).toBe('public, max-age=60')
  })

  test('store no answer with a session cookie, even if the app allows it: one person’s session for all', async () => {
    const app = await signedIn()
    for (const [said, sent] of [
      ['public, max-age=60', 'private, no-store'],
      ['max-age=60', 'private, no-store'],
      ['max-age=60, x-private-ish', 'private, no-store'],
      ['private, max-age=60', 'private, max-age=60'],
      ['no-store', 'no-store'],
    ] as const) {
      pass(301)
      expect([said, await kept(app, said)]).toEqual([said, sent])
    }
  })

  test('get no header from us if locals.auth() was not called', async () => {
    const app = await signedIn()
    const own = new Response('static')
    expect(await app.visit('/', undefined, {}, { respond: () => own })).toBe(own)
    expect(own.headers.get('cache-control')).toBe(null)
  })
})

describe('while the service gives no answer', () => {
  test('a page that reads the session is answered with 503, and the cookie stays', async () => {
    const worker = testWorker()
    let isDown = false
    const errors: Error[] = []
    const app = await signedIn({
      worker: {
        fetch: (url, init) =>
          isDown ? Promise.reject(new Error('down')) : worker.fetch(url, init),
      },
      logger: { error: (error) => void errors.push(error) },
      secret: SECRET,
    })
    isDown = true
    expect(await app.who()).toBe('Ada')
    pass(301)
    const response = await app.visit('/', reads)
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('5')
    expect(response.headers.getSetCookie()).toEqual([])
    expect(errors.some(({ name }) => name === 'WorkerUnavailable')).toBe(true)
    isDown = false
    pass(20)
    expect(await app.who()).toBe('Ada')
  })

  test('a page that calls locals.auth() without await does not end the process: an unhandled rejection', async () => {
    const app = await signedIn()
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    const failing = new TestApp(
      ComponentKitAuth({
        worker: { fetch: () => Promise.reject(new Error('down')) },
        logger: { error() {} },
      }),
    )
    for (const [name, value] of app.cookies) failing.cookies.set(name, value)
    await failing.visit('/', ({ locals }) => void locals.auth())
    await pause(50)
    process.off('unhandledRejection', unhandled)
    expect(unhandled).not.toHaveBeenCalled()
  })

  test('its routes and actions are answered with 503', async () => {
    const down = { worker: { fetch: () => Promise.reject(new Error('down')) }, secret: SECRET }
    const app = new TestApp(ComponentKitAuth({ ...down, logger: { error() {} } }))
    const failed = await app.visit('/auth/session').catch((thrown: unknown) => thrown)
    expect(isHttpError(failed, 503)).toBe(true)
    expect((await app.signIn()).status).toBe(503)
  })
})

describe('while the app is built', () => {
  const building = (path: string) => {
    const event = eventOf(new Request(ORIGIN + path))
    for (const name of ['search', 'searchParams']) {
      Object.defineProperty(event.url, name, {
        get() {
          throw new Error('Cannot access url.search on a page with prerendering enabled')
        },
      })
    }
    return event
  }

  test('locals.auth() is null, no config is made and no secret is needed', async () => {
    const source = vi.fn()
    const { handle } = ComponentKitAuth(source)
    const resolve = async ({ locals }: { locals: App.Locals }) => Response.json(await locals.auth())
    for (const event of [
      building('/'),
      building('/auth/signin'),
      eventOf(new Request(`${ORIGIN}/[fallback]`)),
    ]) {
      expect(await (await handle({ event, resolve })).json()).toBe(null)
    }
    expect(source).not.toHaveBeenCalled()
  })

  test('a hook’s redirect to the sign-in page is not prerendered for all users', async () => {
    const { handle } = ComponentKitAuth(config)
    const guarded = async ({ locals }: { locals: App.Locals }) => {
      if (!(await locals.auth())) redirect(303, '/signin')
      return new Response()
    }
    expect((await handle({ event: building('/members'), resolve: guarded })).status).toBe(204)
    const moved = async () => redirect(303, '/en')
    await expect(handle({ event: building('/'), resolve: moved })).rejects.toMatchObject({
      location: '/en',
    })
  })
})
