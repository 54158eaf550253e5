import { createVerifier } from '@latchkey/session'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { createAuth } from '../index.js'
import { memoryStore } from '../stores/memory.js'
import { Browser, configWith, origin, secret } from '../test-support/browser.js'
import { anybody, deployment } from '../test-support/deployment.js'

const { pass } = clock()

const HOUR = 3_600
const long = { session: { tokenMaxAge: HOUR } }
const short = { session: { tokenMaxAge: 300 } }

type Isolate = Pick<Browser, 'answer'>

const apps: { close(): void }[] = []
afterEach(() => {
  for (const app of apps.splice(0)) app.close()
})

/** An app that knows the service by its address, as it answers in one isolate. */
function appOf(isolate: Isolate) {
  const read = readerOf(isolate)
  return async (cookie: string) => (await read(cookie)).session
}

function readerOf({ answer }: Isolate) {
  const fetching = ((url, init) => answer(new Request(url, init))) as typeof fetch
  const verifier = createVerifier({ worker: `${origin}/auth`, fetch: fetching, onError: () => {} })
  apps.push(verifier)
  return (cookie: string) => verifier.read(cookie)
}

/** What `GET /session` says to a cookie. */
async function sessionAt({ answer }: Isolate, cookie: string): Promise<unknown> {
  const response = await answer(new Request(`${origin}/auth/session`, { headers: { cookie } }))
  return response.json()
}

describe('after tokenMaxAge was lowered from an hour to five minutes', () => {
  // The endings of six minutes are known, and the old token names an end in an hour.
  it.each([1, 299, 361, 405, 3_000])(
    'the cookie of a session that was ended %i s ago is not accepted again, by isolates and apps',
    async (later) => {
      const { signIn, isolate } = deployment(long)
      const browser = await signIn()
      const { cookie } = browser
      const lowered = isolate('here', short)
      const known = appOf(lowered)
      expect(await known(cookie)).not.toBeNull()
      pass(60)
      await browser.submit('/auth/signout')
      pass(later)
      for (const place of [lowered, isolate('elsewhere', short)]) {
        expect(await sessionAt(place, cookie)).toBeNull()
        expect(await appOf(place)(cookie)).toBeNull()
        expect(await known(cookie)).toBeNull()
      }
    },
  )

  it('a signed-in user stays so: the old token is renewed as it comes', async () => {
    const { signIn, isolate } = deployment(long)
    const { cookie } = await signIn()
    const lowered = isolate('here', short)
    const app = appOf(lowered)
    for (const seconds of [10, 500, 1_000]) {
      pass(seconds)
      expect(await sessionAt(lowered, cookie)).not.toBeNull()
      expect(await app(cookie)).not.toBeNull()
    }
  })

  it('the last one of a session that cannot be extended is too: its person stays to the end', async () => {
    const ends = { absoluteMaxAge: 2_000 }
    const { signIn, isolate } = deployment({ session: { ...long.session, ...ends } })
    const { cookie } = await signIn()
    const lowered = isolate('here', { session: { ...short.session, ...ends } })
    pass(500)
    expect(await sessionAt(lowered, cookie)).not.toBeNull()
    pass(1_500)
    expect(await sessionAt(lowered, cookie)).toBeNull()
  })

  it('the old token is renewed beside a request in the last minute that it counts, so that no request waits', async () => {
    const { signIn, isolate } = deployment(long)
    const { cookie } = await signIn()
    const lowered = isolate('here', short)
    const renewals: string[] = []
    const read = readerOf({
      answer: (request) => {
        if (request.url.endsWith('/session')) renewals.push(request.url)
        return lowered.answer(request)
      },
    })
    await read(cookie)
    pass(250)
    expect((await read(cookie)).setCookie).toEqual([])
    await vi.waitFor(async () => expect((await read(cookie)).setCookie).toHaveLength(1))
    pass(60)
    expect(await read(cookie)).toMatchObject({ isExpired: false, session: {} })
    expect(renewals).toHaveLength(1)
  })

  it('in some isolates and not yet in all, no app meets a 503', async () => {
    const { signIn, here, isolate } = deployment(long)
    const { cookie } = await signIn()
    const places = [here, isolate('here', short)]
    let turn = 0
    const app = appOf({ answer: (request) => (places[turn++ % 2] as Isolate).answer(request) })
    for (let round = 0; round < 40; round++) {
      pass(37)
      expect(await app(cookie)).not.toBeNull()
    }
  })
})

describe('two configurations over one ledger in one process', () => {
  /** Requests with the header are answered by the configuration with the longer tokens. */
  function both() {
    const store = memoryStore()
    const one = configWith({ ...short, providers: [anybody], store })
    const other = configWith({ ...long, providers: [anybody], store })
    const handler = createAuth((_, request) => (request.headers.has('x-long') ? other : one))
    const env = { AUTH_SECRET: secret }
    const at = (isLong: boolean): Isolate => ({
      answer: (request) => {
        const headers = new Headers(request.headers)
        if (isLong) headers.set('x-long', '1')
        return handler.fetch(new Request(request, { headers }), env)
      },
    })
    return { short: at(false), long: at(true), config: one }
  }

  it('the window of the first does not count for the second', async () => {
    const { short, long, config } = both()
    // The configuration with the shorter tokens comes first, and asks for endings.
    const early = new Browser(config, short)
    await early.submit('/auth/callback/credentials', { username: 'grace' })
    expect(await early.session()).not.toBeNull()
    const browser = new Browser(config, long)
    await browser.submit('/auth/callback/credentials', { username: 'ada' })
    const { cookie } = browser
    const app = appOf(long)
    expect(await app(cookie)).not.toBeNull()
    await browser.submit('/auth/signout')
    for (const seconds of [10, 395, 1_000, 1_000]) {
      pass(seconds)
      await early.session()
      expect(await sessionAt(long, cookie)).toBeNull()
      expect(await sessionAt(short, cookie)).toBeNull()
      expect(await app(cookie)).toBeNull()
      expect(await appOf(long)(cookie)).toBeNull()
      expect(await appOf(short)(cookie)).toBeNull()
    }
  })
})
