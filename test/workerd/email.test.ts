/// <reference types="@cloudflare/vitest-plugin/types" />
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env, exports } from 'cloudflare:workers'
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  type MockInstance,
  test,
  vi,
} from 'vitest'
import { Browser, bindings, keysOf, location, type Service } from './support.ts'

interface Mail {
  readonly to: string
  readonly text: string
}

const { LEDGER } = bindings
const { EMAIL } = env as unknown as { EMAIL: SendEmail }
const mails: Mail[] = []

/** Replaces the binding if a test breaks it. */
let send = (mail: never): Promise<unknown> => EMAIL.send(mail)

// Sets AUTH_EMAIL_FROM as `wrangler secret put` does. The binding is the real one, with its mails
// recorded.
Object.assign(env, {
  AUTH_EMAIL_FROM: 'Example <sign-in@example.com>',
  EMAIL: {
    send: async (mail: never) => {
      const sent = await send(mail)
      mails.push(mail)
      return sent
    },
  },
})

const worker = (exports as unknown as { default: Fetcher }).default
/** The Worker that is deployed. */
const shipped = { auth: { fetch: (request: Request) => worker.fetch(request) } }

/** A browser with its own network address, so that tests do not use up each other's limits. */
class Person extends Browser {
  static #count = 0
  readonly #headers: Record<string, string>

  constructor(network = `2001:db8:0:${(++Person.#count).toString(16)}::1`) {
    super(shipped as unknown as Service)
    this.#headers = { 'cf-connecting-ip': network }
  }

  override go(path: string, init: RequestInit = {}): Promise<Response> {
    return super.go(path, { ...init, headers: { ...init.headers, ...this.#headers } })
  }

  /** Asks for a mail. */
  async ask(address: string) {
    const answer = await this.post('/auth/signin/email', { email: address, callbackUrl: '/inbox' })
    const { text = '' } = mails.at(-1) ?? {}
    const [url = 'about:blank'] = /http\S+token=\S+/.exec(text) ?? []
    const { pathname, search, searchParams } = new URL(url)
    const flow = location(answer).searchParams.get('flow') ?? ''
    const [code = ''] = /^\d{6}$/m.exec(text) ?? []
    const token = searchParams.get('token') ?? ''
    return { answer, path: pathname + search, token, flow, code }
  }
}

let count = 0
/** A new address for each test. */
const address = () => `person-${++count}@mail.example`
const ledger = () => LEDGER.get(LEDGER.idFromName('ledger'))
const rows = (table: string) =>
  runInDurableObject(ledger(), (_, state) =>
    state.storage.sql.exec(`SELECT * FROM ${table}`).toArray(),
  )
const isSignedIn = (answer: Response) => location(answer).pathname === '/inbox'
const wrong = (code: string, by: number) => String((Number(code) + by) % 1e6).padStart(6, '0')

let errorLines: MockInstance<typeof console.error>

// One clock for all tests: the Worker keeps the clock that it started with.
beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterAll(() => void vi.useRealTimers())

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  errorLines = vi.spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(() => {
  send = (mail) => EMAIL.send(mail)
  vi.restoreAllMocks()
})

describe('the Worker that is deployed, with AUTH_EMAIL_FROM', () => {
  test('offers sign-in by email, and signs in by the link in the browser that asked', async () => {
    const person = new Person()
    const page = await (await person.go('/auth/signin')).text()
    expect(page).toContain('action="/auth/signin/email"')
    const to = address()
    const { answer, path } = await person.ask(` ${to.toUpperCase()} `)
    expect(location(answer).pathname).toBe('/auth/verify-request')
    expect(mails.at(-1)?.to).toBe(to)
    expect(isSignedIn(await person.go(path))).toBe(true)
    expect((await person.session())?.user).toMatchObject({ email: to })
  })

  test('signs in by the code, and in another browser after a confirmation', async () => {
    const person = new Person()
    const { flow, code } = await person.ask(address())
    expect(isSignedIn(await person.post('/auth/callback/email', { flow, code }))).toBe(true)
    const to = address()
    const { path, token } = await person.ask(to)
    const other = new Person()
    const page = await other.go(path)
    expect([page.status, (await page.text()).includes(to)]).toEqual([200, true])
    expect(await other.session()).toBeNull()
    expect(isSignedIn(await other.post('/auth/callback/email', { token }))).toBe(true)
    expect((await other.session())?.user).toMatchObject({ email: to })
  })

  test('a mail scanner uses nothing up, by HEAD or GET', async () => {
    const person = new Person()
    const { path } = await person.ask(address())
    for (const method of ['HEAD', 'GET', 'HEAD', 'GET']) {
      const answer = await new Person().go(path, { method })
      expect(answer.status).toBe(200)
      await answer.body?.cancel()
    }
    expect((await person.go(path, { method: 'HEAD' })).status).toBe(200)
    expect(isSignedIn(await person.go(path))).toBe(true)
  })

  test('fifty redemptions at once, by link, confirmation and code, make one session', async () => {
    const person = new Person()
    const { path, token, flow, code } = await person.ask(address())
    const { csrfToken } = await (await person.go('/auth/csrf')).json<{ csrfToken: string }>()
    const before = (await keysOf('session:')).length
    const post = (fields: Record<string, string>) =>
      person.go('/auth/callback/email', {
        method: 'POST',
        body: new URLSearchParams({ csrfToken, ...fields }),
      })
    const tries = Array.from({ length: 50 }, (_, at) => {
      if (at % 3 === 0) return person.go(path)
      return at % 3 === 1 ? post({ token }) : post({ flow, code })
    })
    const answers = await Promise.all(tries)
    // Opening a used link and typing a late code end on other pages.
    expect(answers.filter(isSignedIn)).toHaveLength(1)
    expect((await keysOf('session:')).length - before).toBe(1)
  })

  test('a mailed link and its use survive a restart of the ledger', async () => {
    const person = new Person()
    const { path, code, flow } = await person.ask(address())
    await evictDurableObject(ledger())
    for (let guess = 1; guess <= 5; guess++) {
      await person.post('/auth/callback/email', { flow, code: wrong(code, guess) })
    }
    await evictDurableObject(ledger())
    const spent = await person.post('/auth/callback/email', { flow, code })
    expect(location(spent).searchParams.get('code')).toBe('spent_code')
    expect(isSignedIn(await person.go(path))).toBe(true)
    await evictDurableObject(ledger())
    expect(location(await person.go(path)).searchParams.get('error')).toBe('Verification')
  })

  test('brute force: of a hundred codes at once ten are tried, and five count as wrong', async () => {
    const person = new Person('192.0.2.77')
    const { code, flow } = await person.ask(address())
    const { csrfToken } = await (await person.go('/auth/csrf')).json<{ csrfToken: string }>()
    // The requests come from many networks, so that the ledger decides and not the binding.
    const guesses = Array.from({ length: 100 }, (_, at) => {
      const eve = new Person()
      for (const [name, value] of person.cookies) eve.cookies.set(name, value)
      const body = new URLSearchParams({ csrfToken, flow, code: wrong(code, at + 1) })
      return eve.go('/auth/callback/email', { method: 'POST', body })
    })
    const answers = await Promise.all(guesses)
    const words = answers.map(({ status, headers }) =>
      status === 429
        ? `429 ${headers.has('retry-after')}`
        : new URL(headers.get('location') ?? '').searchParams.get('code'),
    )
    expect(words.filter((word) => word === 'wrong_code')).toHaveLength(4)
    expect(words.filter((word) => word === 'spent_code')).toHaveLength(6)
    expect(words.filter((word) => word === '429 true')).toHaveLength(90)
  })

  test('ends link and code after ten minutes', async () => {
    const person = new Person()
    const one = await person.ask(address())
    vi.setSystemTime(Date.now() + 599_000)
    expect(isSignedIn(await person.go(one.path))).toBe(true)
    const two = await person.ask(address())
    vi.setSystemTime(Date.now() + 600_000)
    expect(location(await person.go(two.path)).searchParams.get('error')).toBe('Verification')
  })
})

describe('limits', () => {
  test('five mails to an address by one network, and not six when asked at once', async () => {
    const to = address()
    const before = mails.length
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => new Person('192.0.2.5').ask(to)),
    )
    expect(mails.length - before).toBe(5)
    const limited = answers.filter(({ answer }) => answer.status === 429)
    expect(limited).toHaveLength(7)
    const seconds = Number(limited[0]?.answer.headers.get('retry-after'))
    expect(seconds).toBeGreaterThan(3500)
    expect(seconds).toBeLessThanOrEqual(3600)
  })

  test('the binding stops a network that asks for many addresses, and no other network', async () => {
    const answers: Response[] = []
    // Twice the limit and one: a new minute may begin during the test.
    for (let at = 0; at < 61; at++) {
      answers.push((await new Person(`2001:db8:ffff:1::${at}`).ask(address())).answer)
    }
    expect(answers.slice(0, 30).every(({ status }) => status === 302)).toBe(true)
    const limited = answers.filter(({ status }) => status === 429)
    expect(limited.length).toBeGreaterThan(0)
    expect(limited[0]?.headers.get('retry-after')).toBe('60')
    expect((await new Person('2001:db8:ffff:2::1').ask(address())).answer.status).toBe(302)
  })

  test('a stranger’s many requests for a user’s mails do not lock the user out', async () => {
    const to = address()
    const before = mails.length
    for (let at = 0; at < 40; at++) await new Person('192.0.2.66').ask(to)
    expect(mails.length - before).toBe(5)
    const owner = new Person()
    const { path } = await owner.ask(to)
    expect(isSignedIn(await owner.go(path))).toBe(true)
  })
})

describe('failures', () => {
  test('a mail that the binding refuses leaves no working link or code', async () => {
    let taken = { text: '' }
    send = (mail) => {
      taken = mail
      return Promise.reject(Object.assign(new Error(taken.text), { code: 'E_DOWN' }))
    }
    const person = new Person()
    const { answer } = await person.ask(address())
    const url = location(answer)
    expect([url.pathname, url.searchParams.get('code')]).toEqual(['/auth/signin', 'not_sent'])
    const [link = ''] = /\/auth\/callback\S+/.exec(taken.text) ?? []
    expect(location(await person.go(link)).searchParams.get('error')).toBe('Verification')
    const lines = JSON.stringify(errorLines.mock.calls)
    expect(lines).toContain('E_DOWN')
    const token = link.split('token=')[1] ?? 'none'
    for (const secret of [...token.split('.'), `person-${count}`]) {
      expect(lines).not.toContain(secret)
    }
  })

  test('the ledger’s rows hold no secret that signs in, and are swept out when they are over', async () => {
    const person = new Person()
    const to = address()
    const { token, code } = await person.ask(to)
    const kept = await rows('verifications')
    expect(kept.length).toBeGreaterThan(0)
    const stored = JSON.stringify([kept, await rows('attempts')])
    for (const secret of [token.split('.')[1] ?? '', to, `"${code}"`, 'inbox']) {
      expect(stored).not.toContain(secret)
    }
    vi.setSystemTime(Date.now() + 25 * 60 * 60 * 1000)
    await runDurableObjectAlarm(ledger())
    expect(await rows('verifications')).toEqual([])
    expect(await rows('attempts')).toEqual([])
  })
})

describe('the ledger itself', () => {
  let objects = 0
  const fresh = () => LEDGER.get(LEDGER.idFromName(`mails-${++objects}`))
  const now = () => Math.floor(Date.now() / 1000)
  const pass = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000)
  const mailed = (name = '1', seconds = 600) => ({
    link: `link-${name}`,
    code: `code-${name}`,
    sealed: `sealed-${name}`,
    expires: now() + seconds,
  })
  const hourly = { name: 'hourly', max: 3, period: 3600 }
  const daily = { name: 'daily', max: 5, period: 86_400 }

  test('a mail is redeemed once, by its link or its code, and by nothing else', async () => {
    const stub = fresh()
    await stub.startVerification('key', mailed())
    expect(await stub.redeemVerification('key', { link: 'code-1' })).toEqual({ state: 'over' })
    expect(await stub.redeemVerification('key', { code: 'link-1' })).toEqual({ state: 'wrong' })
    expect(await stub.redeemVerification('ke', { link: 'link-1' })).toEqual({ state: 'over' })
    expect(await stub.findVerification('key', 'code-1')).toBeUndefined()
    expect(await stub.findVerification('key', 'link-1')).toBe('sealed-1')
    const tries = Array.from({ length: 50 }, (_, at) =>
      stub.redeemVerification('key', at % 2 ? { link: 'link-1' } : { code: 'code-1' }),
    )
    const states = (await Promise.all(tries)).map(({ state }) => state)
    expect(states.filter((state) => state === 'redeemed')).toHaveLength(1)
    expect(states.filter((state) => state === 'over')).toHaveLength(49)
  })

  test('five wrong codes end the code and not the link; a new mail ends both and begins again', async () => {
    const stub = fresh()
    await stub.startVerification('key', mailed())
    const guesses = Array.from({ length: 50 }, () => stub.redeemVerification('key', { code: 'x' }))
    const states = (await Promise.all(guesses)).map(({ state }) => state)
    expect(states.filter((state) => state === 'wrong')).toHaveLength(4)
    expect(states.filter((state) => state === 'spent')).toHaveLength(46)
    expect(await stub.redeemVerification('key', { code: 'code-1' })).toEqual({ state: 'spent' })
    expect(await stub.findVerification('key', 'link-1')).toBe('sealed-1')
    await stub.startVerification('key', mailed('2'))
    expect(await stub.redeemVerification('key', { link: 'link-1' })).toEqual({ state: 'over' })
    const right = await stub.redeemVerification('key', { code: 'code-2' })
    expect(right).toEqual({ state: 'redeemed', sealed: 'sealed-2' })
  })

  test('wrong codes for one address do not count for another', async () => {
    const stub = fresh()
    await stub.startVerification('one', mailed('1'))
    await stub.startVerification('two', mailed('2'))
    for (let guess = 0; guess < 6; guess++) await stub.redeemVerification('one', { code: 'x' })
    const right = await stub.redeemVerification('two', { code: 'code-2' })
    expect(right).toEqual({ state: 'redeemed', sealed: 'sealed-2' })
  })

  test('a mail ends to the second, swept out or not', async () => {
    const stub = fresh()
    await stub.startVerification('key', mailed())
    pass(599)
    expect(await stub.findVerification('key', 'link-1')).toBe('sealed-1')
    pass(1)
    expect(await stub.findVerification('key', 'link-1')).toBeUndefined()
    for (const proof of [{ link: 'link-1' }, { code: 'code-1' }]) {
      expect(await stub.redeemVerification('key', proof)).toEqual({ state: 'over' })
    }
  })

  test('withdrawing removes the mail with the given link, or any mail if no link is given', async () => {
    const stub = fresh()
    await stub.startVerification('key', mailed('1'))
    await stub.startVerification('other', mailed('1'))
    await stub.withdrawVerification('key', 'link-0')
    expect(await stub.findVerification('key', 'link-1')).toBe('sealed-1')
    await stub.withdrawVerification('key', 'link-1')
    expect(await stub.findVerification('key', 'link-1')).toBeUndefined()
    expect(await stub.findVerification('other', 'link-1')).toBe('sealed-1')
    await stub.withdrawVerification('other')
    expect(await stub.findVerification('other', 'link-1')).toBeUndefined()
  })

  test('attempts: no more than the limit, also at once; the wait is the rest of the period', async () => {
    const stub = fresh()
    const tries = Array.from({ length: 50 }, () => stub.admit('key', [hourly]))
    const waits = await Promise.all(tries)
    expect(waits.filter((wait) => wait === 0)).toHaveLength(3)
    expect(new Set(waits)).toEqual(new Set([0, 3600]))
    pass(3599)
    expect(await stub.admit('key', [hourly])).toBe(1)
    for (const key of ['other', 'key hourly', '']) expect(await stub.admit(key, [hourly])).toBe(0)
    pass(1)
    for (let at = 0; at < 3; at++) expect(await stub.admit('key', [hourly])).toBe(0)
    expect(await stub.admit('key', [hourly])).toBe(3600)
  })

  test('attempts: the longest wait counts, and a refused attempt is counted under no limit', async () => {
    const stub = fresh()
    for (let at = 0; at < 20; at++) await stub.admit('key', [hourly, daily])
    pass(3600)
    expect(await stub.admit('key', [hourly, daily])).toBe(0)
    expect(await stub.admit('key', [hourly, daily])).toBe(0)
    expect(await stub.admit('key', [hourly, daily])).toBe(86_400 - 3600)
  })

  test('attempts: only the named limits of that key are forgiven', async () => {
    const stub = fresh()
    for (const key of ['key', 'other']) {
      for (let at = 0; at < 5; at++) {
        await stub.admit(key, [hourly])
        await stub.admit(key, [daily])
      }
    }
    await stub.forgive('key', ['hourly'])
    expect(await stub.admit('key', [hourly])).toBe(0)
    expect(await stub.admit('key', [daily])).toBeGreaterThan(0)
    expect(await stub.admit('other', [hourly])).toBeGreaterThan(0)
  })
})
