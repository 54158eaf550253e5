import { setImmediate } from 'node:timers/promises'
import { AuthError, type Session } from '@latchkey/session'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createClient } from './index.js'
import { openClient, type Page } from './store.js'

const origin = 'https://app.example'
const session = (id: string): Session => ({ user: { id }, expires: '2027-01-01T00:00:00.000Z' })
const ADA = session('ada')

const open: (() => void)[] = []
afterEach(() => {
  for (const close of open.splice(0)) close()
})

/** A request whose answer the test gives. */
interface Asked {
  readonly method: string
  readonly path: string
  readonly body: Blob | URLSearchParams | undefined
  answer(data: unknown, status?: number): void
  fail(): void
}

/** A tab of a browser, whose requests the test answers. */
function tab(more: Partial<Record<keyof Page, unknown>> = {}) {
  const asked: Asked[] = []
  const document = Object.assign(new EventTarget(), { visibilityState: 'visible' })
  const window = new EventTarget()
  const went: string[] = []
  const page = {
    document,
    addEventListener: window.addEventListener.bind(window),
    BroadcastChannel,
    location: {
      origin,
      hostname: 'app.example',
      href: `${origin}/here`,
      assign: (url: string) => void went.push(url),
      reload() {},
    },
    fetch: (
      url: string,
      { method = 'GET', body }: { method?: string; body?: Blob | URLSearchParams } = {},
    ) =>
      new Promise<Response>((resolve, reject) => {
        asked.push({
          method,
          path: url.slice(origin.length),
          body,
          answer: (data, status = 200) => resolve(Response.json(data, { status })),
          fail: () => reject(new TypeError('offline')),
        })
      }),
    ...more,
  } as unknown as Page
  /** Answers the oldest request that has no answer, and lets its answer be read. */
  const answer = async (data: unknown, status?: number) => {
    await vi.waitFor(() => expect(asked.length).toBeGreaterThan(0))
    const [first] = asked
    asked.shift()?.answer(data, status)
    await settled()
    return first
  }
  const comeBack = () => void document.dispatchEvent(new Event('visibilitychange'))
  const goBack = (persisted: boolean) =>
    void window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted }))
  const listen = (client: ReturnType<typeof createClient>, listener = vi.fn()) => {
    const stop = client.subscribe(listener)
    open.push(stop)
    return { listener, stop }
  }
  return { page, asked, answer, comeBack, goBack, document, listen, went }
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await setImmediate()
}

describe('a client on a server', () => {
  it('asks nothing, and touches no global', async () => {
    const nothing = new Proxy({}, { get: () => expect.fail('It was read.') }) as Page
    expect(openClient({}, nothing).get()).toEqual({ status: 'loading', data: null })
    const withSession = openClient({ session: ADA }, nothing)
    expect(withSession.get()).toEqual({ status: 'authenticated', data: ADA })
  })

  it.each(['//evil.example', '/\\evil.example', 'https://evil.example/auth', 'auth', ''])(
    'refuses the base path %j at once',
    (basePath) => {
      expect(() => createClient({ basePath })).toThrow(AuthError)
    },
  )

  it('has the members of a client and no other', () => {
    expect(Object.keys(createClient()).sort()).toEqual([
      'get',
      'getSession',
      'signIn',
      'signOut',
      'subscribe',
      'update',
    ])
  })
})

describe('the first listener', () => {
  it('makes one request, however many there are', async () => {
    const { page, asked, answer, listen } = tab()
    const client = openClient({ basePath: '/sso/' }, page)
    expect(asked).toEqual([])
    const [one, other] = [listen(client), listen(client)]
    expect(asked.map(({ path }) => path)).toEqual(['/sso/session'])
    await answer(ADA)
    expect(asked).toEqual([])
    expect(client.get()).toEqual({ status: 'authenticated', data: ADA })
    expect(one.listener).toHaveBeenCalledOnce()
    expect(other.listener).toHaveBeenCalledOnce()
  })

  it('makes none when another one left and it comes while the first request is pending', async () => {
    const { page, asked, listen } = tab()
    const client = openClient({}, page)
    listen(client).stop()
    listen(client)
    expect(asked).toHaveLength(1)
  })

  it.each([null, ADA])('makes none with the server’s session %j', (known) => {
    const { page, asked, listen } = tab()
    const client = openClient({ session: known }, page)
    listen(client)
    expect(asked).toEqual([])
    expect(client.get().data).toBe(known)
  })

  it('asks again after a time in which none could hear of a sign-out', async () => {
    const { page, asked, answer, listen } = tab()
    const client = openClient({ session: ADA }, page)
    listen(client).stop()
    await settled()
    const { listener } = listen(client)
    expect(asked).toHaveLength(1)
    await answer(null)
    expect([client.get().status, listener.mock.calls.length]).toEqual(['unauthenticated', 1])
  })

  it('asks nothing if a page stops and starts to listen at once, as React does in StrictMode', async () => {
    const { page, asked, listen } = tab()
    const client = openClient({ session: ADA }, page)
    listen(client).stop()
    listen(client)
    await settled()
    expect(asked).toEqual([])
  })

  it('is not called if the session is the same as before', async () => {
    const { page, answer, listen } = tab()
    const client = openClient({ session: ADA }, page)
    const { listener } = listen(client)
    const before = client.get()
    const again = client.getSession()
    await answer(session('ada'))
    expect(await again).toEqual(ADA)
    expect(client.get()).toBe(before)
    expect(listener).not.toHaveBeenCalled()
  })
})

describe('the last listener that leaves', () => {
  it('ends all listening', async () => {
    const { page, asked, comeBack, goBack, listen } = tab()
    const client = openClient({ session: ADA }, page)
    const [one, other] = [listen(client), listen(client)]
    one.stop()
    one.stop()
    comeBack()
    expect(asked).toHaveLength(1)
    asked.shift()?.fail()
    await settled()
    other.stop()
    comeBack()
    goBack(true)
    const elsewhere = new BroadcastChannel('latchkey')
    elsewhere.postMessage('')
    elsewhere.close()
    await settled()
    expect(asked).toEqual([])
  })

  it('hears no change that follows, and the other listeners do', async () => {
    const { page, answer, listen } = tab()
    const client = openClient({ session: ADA }, page)
    const [one, other] = [listen(client), listen(client)]
    one.stop()
    void client.getSession()
    await answer(null)
    expect(one.listener).not.toHaveBeenCalled()
    expect(other.listener).toHaveBeenCalledOnce()
  })
})

describe('a return to the tab', () => {
  it('makes one request, also if the page comes from the cache of pages', async () => {
    const { page, asked, answer, comeBack, goBack, listen } = tab()
    const client = openClient({ session: ADA }, page)
    listen(client)
    comeBack()
    goBack(true)
    expect(asked).toHaveLength(1)
    await answer(null)
    expect(client.get()).toEqual({ status: 'unauthenticated', data: null })
    comeBack()
    expect(asked).toHaveLength(1)
  })

  it('makes none in a hidden tab, or for a page that was just loaded', () => {
    const { page, asked, comeBack, goBack, document, listen } = tab()
    listen(openClient({ session: ADA }, page))
    goBack(false)
    document.visibilityState = 'hidden'
    comeBack()
    expect(asked).toEqual([])
  })

  it('asks again if the first request failed', async () => {
    const { page, asked, answer, comeBack, listen } = tab()
    const client = openClient({}, page)
    listen(client)
    asked.shift()?.fail()
    await settled()
    expect(client.get().status).toBe('loading')
    comeBack()
    await answer(ADA)
    expect(client.get().status).toBe('authenticated')
  })
})

describe('other tabs', () => {
  /** Two tabs, with the server’s session. */
  function two() {
    const [here, there] = [tab(), tab()]
    const clients = [here, there].map(({ page }) => openClient({ session: ADA }, page))
    const [mine, other] = clients as [(typeof clients)[0], (typeof clients)[0]]
    here.listen(mine)
    there.listen(other)
    return { here, there, mine, other }
  }

  it('show a sign-out at once, each by a request of its own, and this one by none', async () => {
    const { here, there, mine, other } = two()
    const out = mine.signOut({ redirect: false })
    await here.answer({ csrfToken: 'token' })
    await here.answer({ url: `${origin}/` })
    expect(await out).toMatchObject({ ok: true, url: `${origin}/` })
    expect(mine.get()).toEqual({ status: 'unauthenticated', data: null })
    await there.answer(null)
    expect(other.get()).toEqual({ status: 'unauthenticated', data: null })
    expect(here.asked).toEqual([])
  })

  it('show an update, whose message has no contents', async () => {
    const { here, there, mine, other } = two()
    const messages: unknown[] = []
    const channel = new BroadcastChannel('latchkey')
    open.push(() => channel.close())
    channel.onmessage = ({ data }: MessageEvent) => messages.push(data)
    const updated = mine.update({ name: 'Ada L.' })
    await here.answer({ csrfToken: 'token' })
    const changed = { ...ADA, user: { id: 'ada', name: 'Ada L.' } }
    const post = await here.answer(changed)
    expect(post).toMatchObject({ method: 'POST', path: '/auth/session' })
    expect(post?.body).toMatchObject({ type: 'application/json' })
    expect(await new Response(post?.body).json()).toEqual({
      csrfToken: 'token',
      data: { name: 'Ada L.' },
    })
    expect(await updated).toEqual(changed)
    await there.answer(changed)
    expect(other.get().data).toEqual(changed)
    await vi.waitFor(() => expect(messages).toEqual(['']))
  })

  it('attack: 400 messages of another tab are two requests, and the last one sees the change', async () => {
    const { page, asked, listen } = tab()
    const client = openClient({ session: ADA }, page)
    listen(client)
    const channel = new BroadcastChannel('latchkey')
    open.push(() => channel.close())
    for (let count = 0; count < 400; count++) channel.postMessage('')
    await vi.waitFor(() => expect(asked).toHaveLength(1))
    for (let turn = 0; turn < 50; turn++) await settled()
    expect(asked).toHaveLength(1)
    // From before the last change.
    asked.shift()?.answer(ADA)
    await vi.waitFor(() => expect(asked).toHaveLength(1))
    asked.shift()?.answer(null)
    await settled()
    expect(client.get().data).toBeNull()
    expect(asked).toEqual([])
  })

  it('attack: returns to the tab in great number are one request', async () => {
    const { page, asked, listen, comeBack } = tab()
    const client = openClient({ session: ADA }, page)
    listen(client)
    for (let count = 0; count < 400; count++) comeBack()
    await settled()
    expect(asked).toHaveLength(1)
    asked.shift()?.answer(ADA)
    await settled()
    expect(asked).toEqual([])
  })

  it.each([
    ['is missing', undefined],
    [
      'is forbidden',
      class {
        constructor() {
          throw new DOMException('Forbidden.', 'SecurityError')
        }
      },
    ],
  ])('are left out if BroadcastChannel %s', async (_, forbidden) => {
    const { page, answer, listen } = tab({ BroadcastChannel: forbidden })
    const client = openClient({ session: ADA }, page)
    listen(client)
    const out = client.signOut({ redirect: false })
    await answer({ csrfToken: 'token' })
    await answer({ url: `${origin}/` })
    expect(await out).toMatchObject({ ok: true })
    expect(client.get().data).toBeNull()
  })
})

describe('a session that cannot be known', () => {
  const broken: [string, (asked: Asked) => void][] = [
    ['no network', ({ fail }) => fail()],
    ['a server error', ({ answer }) => answer({ error: 'Unavailable' }, 503)],
    [
      'a browser that could not renew its bound session',
      ({ answer }) => answer('Sign-in is not available just now.', 503),
    ],
    ['a refusal', ({ answer }) => answer({ error: 'Configuration' }, 400)],
    ['an answer of something else', ({ answer }) => answer({ portal: 'Welcome' })],
  ]
  it.each(broken)('stays as it is: %s', async (_, breakIt) => {
    const { page, asked, listen } = tab()
    const client = openClient({ session: ADA }, page)
    const { listener } = listen(client)
    const asking = client.getSession()
    breakIt(asked.shift() as Asked)
    await expect(asking).rejects.toThrow(AuthError)
    expect(client.get()).toEqual({ status: 'authenticated', data: ADA })
    expect(listener).not.toHaveBeenCalled()
  })

  it('stays as it is at the page of a captive portal, for every call', async () => {
    const portal = async () => new Response('<h1>Welcome</h1>')
    const { page } = tab({ fetch: portal })
    const client = openClient({ session: ADA }, page)
    const calls = [
      client.getSession(),
      client.update(),
      client.update({ name: 'Ada' }),
      client.signIn('github'),
      client.signIn('github', { redirect: false }),
      client.signOut(),
    ]
    for (const call of calls) await expect(call).rejects.toThrow(AuthError)
    expect(client.get().data).toBe(ADA)
  })

  it('attack: a redirect to another site gets no request with cookies, and no password', async () => {
    const modes: unknown[] = []
    const fetch = async (_: string, init: RequestInit) => {
      modes.push([init.mode, init.cache])
      return Response.json(null)
    }
    const { page } = tab({ fetch })
    await openClient({}, page).getSession()
    expect(modes).toEqual([['same-origin', 'no-store']])
  })
})

describe('answers in another order', () => {
  it('the later request counts, and the call that was made earlier gives what it said', async () => {
    const { page, asked, listen } = tab()
    const client = openClient({ session: session('before') }, page)
    listen(client)
    const [earlier, later] = [client.getSession(), client.getSession()]
    const [first, second] = asked
    second?.answer(null)
    expect(await later).toBeNull()
    first?.answer(ADA)
    expect(await earlier).toBeNull()
    expect(client.get()).toEqual({ status: 'unauthenticated', data: null })
  })

  it('an answer from before a sign-out does not bring the user back', async () => {
    const { page, asked, answer } = tab()
    const client = openClient({ session: ADA }, page)
    const asking = client.getSession()
    const [early] = asked.splice(0)
    const out = client.signOut({ redirect: false })
    await answer({ csrfToken: 'token' })
    await answer({ url: `${origin}/` })
    await out
    early?.answer(ADA)
    expect(await asking).toBeNull()
    expect(client.get().data).toBeNull()
  })
})

describe('update', () => {
  it('asks for the session without data', async () => {
    const { page, answer } = tab()
    const client = openClient({}, page)
    const updated = client.update()
    expect((await answer(ADA))?.method).toBe('GET')
    expect(await updated).toEqual(ADA)
  })

  it('with refresh it is a POST without data, and other tabs hear of it', async () => {
    const { page, answer } = tab()
    const client = openClient({ session: ADA }, page)
    const messages: unknown[] = []
    const channel = new BroadcastChannel('latchkey')
    open.push(() => channel.close())
    channel.onmessage = ({ data }: MessageEvent) => messages.push(data)
    const updated = client.update(undefined, { refresh: true })
    await answer({ csrfToken: 'token' })
    const post = await answer(ADA)
    expect(await new Response(post?.body).json()).toEqual({ csrfToken: 'token', refresh: true })
    expect(await updated).toEqual(ADA)
    await vi.waitFor(() => expect(messages).toEqual(['']))
  })

  it('rejects when nobody is signed in, and the page shows that', async () => {
    const { page, answer } = tab()
    const client = openClient({ session: ADA }, page)
    const refused = expect(client.update({ name: 'Ada' })).rejects.toThrow('No session')
    await answer({ csrfToken: 'token' })
    await answer(null)
    await refused
    expect(client.get()).toEqual({ status: 'unauthenticated', data: null })
  })
})

it('a sign-in that stays on the page shows the new session', async () => {
  const { page, answer, went } = tab()
  const client = openClient({ session: null }, page)
  const into = client.signIn('password', { password: 'lovelace', redirect: false })
  await answer({ password: { id: 'password', type: 'credentials' } })
  await answer({ csrfToken: 'token' })
  const post = await answer({ url: `${origin}/here` })
  expect(post?.path).toBe('/auth/callback/password')
  await answer(ADA)
  expect(await into).toMatchObject({ ok: true })
  expect(client.get()).toEqual({ status: 'authenticated', data: ADA })
  expect(went).toEqual([])
})
