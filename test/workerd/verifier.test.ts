import { createVerifier, type Verifier, WorkerUnavailable } from '@latchkey/session'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { clock } from '../support/clock.ts'
import { Browser, type Service, service, signedIn } from './support.ts'

const ISSUER = 'http://localhost:8787/auth'

const { pass, takeTimers, advance } = clock({ start: 'now' })

afterEach(() => {
  vi.restoreAllMocks()
})

/** An app's Worker, which reaches the service by a binding alone. */
function app(
  of: Service,
  instead: (path: string) => Promise<Response> | undefined = () => undefined,
) {
  const asked: string[] = []
  const work: Promise<unknown>[] = []
  const waitUntil = (promise: Promise<unknown>) => void work.push(promise)
  const errors: Error[] = []
  const fetch = (url: string, init?: RequestInit) => {
    asked.push(url.slice(ISSUER.length))
    const answer = instead(url.slice(ISSUER.length))
    if (answer) return answer
    const ctx = { waitUntil, passThroughOnException() {}, props: {} } as unknown as ExecutionContext
    return of.auth.fetch(new Request(url, init), of.env, ctx)
  }
  const verifier: Verifier = createVerifier({
    worker: { fetch },
    issuer: ISSUER,
    onError: (error) => void errors.push(error),
  })
  const read = async (cookie: string, online = false) =>
    verifier.read(cookie, { online, waitUntil })
  const settle = async () => {
    while (work.length > 0) await work.pop()
  }
  return { asked, errors, read, settle, verifier, waitUntil }
}

async function verified() {
  const { of, browser } = await signedIn()
  return { of, browser, cookie: browser.cookieHeader, ...app(of) }
}

describe('a verifier inside workerd, by a service binding', () => {
  test('reads a session, and then without a promise and without a call', async () => {
    const timer = vi.spyOn(globalThis, 'setInterval')
    const { cookie, read, asked, verifier, errors } = await verified()
    const reading = await read(cookie)
    expect(reading.session).toMatchObject({ user: { name: 'Vic Placeholder' } })
    expect(asked.sort()).toEqual(['/jwks.json', '/revocations?pages=1'])
    for (let request = 0; request < 10; request++) expect(verifier.read(cookie)).toBe(reading)
    expect([asked.length, errors]).toEqual([2, []])
    expect(timer).not.toHaveBeenCalled()
  })

  test('sees a sign-out in time, from any isolate of the service', async () => {
    const { cookie, browser, read, settle } = await verified()
    const elsewhere = app(service())
    expect((await read(cookie)).session).not.toBeNull()
    expect((await elsewhere.read(cookie)).session).not.toBeNull()
    await browser.post('/auth/signout')
    for (let second = 1; second <= 15; second++) {
      pass(1)
      for (const one of [{ read, settle }, elsewhere]) {
        await one.read(cookie)
        await one.settle()
      }
    }
    expect((await read(cookie)).session).toBeNull()
    expect((await elsewhere.read(cookie)).session).toBeNull()
  })

  test('without the feed asks about a session, each request for itself', async () => {
    const { of, cookie, browser } = await signedIn().then((found) => ({
      ...found,
      cookie: found.browser.cookieHeader,
    }))
    let hangs = true
    const starting = () =>
      app(of, (path) => {
        if (path.startsWith('/revocations?pages')) {
          return Promise.resolve(new Response('{}', { status: 500 }))
        }
        if (!path.startsWith('/revocations?of=') || !hangs) return undefined
        hangs = false
        // As that of a request that was broken off.
        return new Promise(() => {})
      })
    pass(60)
    takeTimers()
    const one = starting()
    const first = one.read(cookie).catch((error) => error)
    await expect.poll(() => hangs).toBe(false)
    expect((await one.read(cookie)).session).not.toBeNull()
    await advance(5_000)
    expect(await first).toBeInstanceOf(WorkerUnavailable)
    await browser.post('/auth/signout')
    pass(5)
    expect((await starting().read(cookie)).session).toBeNull()
  })

  test('sees a sign-out before its first answer after a minute without requests', async () => {
    const { cookie, browser, read, asked } = await verified()
    await read(cookie)
    await browser.post('/auth/signout')
    pass(60)
    asked.length = 0
    const readings = await Promise.all([read(cookie), read(cookie), read(cookie)])
    expect(readings.map(({ session }) => session)).toEqual([null, null, null])
    expect(asked.map((path) => path.replace(/\d+/, 'n'))).toEqual(['/revocations?since=n&pages=1'])
  })

  test('renews a token that has ended with one call for twenty requests', async () => {
    const { cookie, of, read, asked, errors } = await verified()
    await read(cookie)
    pass(301)
    const readings = await Promise.all(Array.from({ length: 20 }, () => read(cookie)))
    expect(new Set(readings).size).toBe(1)
    expect(asked.filter((path) => path === '/session')).toHaveLength(1)
    const [line = ''] = readings[0]?.setCookie ?? []
    expect(line).toMatch(
      /^auth\.session-token=[\w.-]+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax/,
    )
    const renewed = new Browser(of)
    renewed.cookies.set('auth.session-token', line.slice(line.indexOf('=') + 1, line.indexOf(';')))
    expect(await renewed.session()).toEqual(readings[0]?.session)
    expect(errors).toEqual([])
  })

  test('begins a renewal beside a request only if that is kept alive after the answer', async () => {
    const { cookie, read, asked, settle } = await verified()
    await read(cookie)
    pass(250)
    await read(cookie)
    await settle()
    expect(asked.filter((path) => path === '/session')).toHaveLength(1)
    const bare = await verified()
    await bare.read(bare.cookie)
    pass(250)
    // The feed is looked at again, which the request waits for; a renewal would end with the request.
    expect((await bare.verifier.read(bare.cookie)).session).not.toBeNull()
    expect(bare.asked.filter((path) => path === '/session')).toEqual([])
  })

  test('removes the cookie of a session that is over, and no other', async () => {
    const { cookie, browser, read, asked } = await verified()
    await browser.post('/auth/signout')
    // Long enough for the session to leave the feed.
    pass(800)
    const { session, setCookie } = await read(cookie)
    expect([session, setCookie]).toEqual([
      null,
      [expect.stringMatching(/^auth.session-token=; Max-Age=0/)],
    ])
    expect(asked).toContain('/session')
  })

  test('sees a sign-out at once with `online`', async () => {
    const { cookie, browser, read } = await verified()
    expect((await read(cookie, true)).session).toMatchObject({ user: { name: 'Vic Placeholder' } })
    await browser.post('/auth/signout')
    expect((await read(cookie)).session).not.toBeNull()
    expect((await read(cookie, true)).session).toBeNull()
  })

  test('signs no user in or out when its service has no bindings', async () => {
    const { cookie } = await verified()
    const broken = app(service({}, { LEDGER: undefined, SESSIONS: undefined }))
    expect((await broken.read(cookie)).session).not.toBeNull()
    expect(broken.errors.map(({ message }) => message)).toEqual([
      expect.stringMatching(/answered \/revocations with status 5\d\d/),
    ])
    await expect(broken.read(cookie, true)).rejects.toThrow(WorkerUnavailable)
    pass(301)
    await expect(broken.read(cookie)).rejects.toThrow(WorkerUnavailable)
  })
})
