import { describe, expect, it, vi } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import type { Ledger } from '../stores/ledger/rules.js'
import { memoryStore } from '../stores/memory.js'
import {
  Browser,
  configWith,
  copyOf,
  errorOf,
  fakeProvider,
  locationOf,
  origin,
} from '../test-support/browser.js'

const again = '/auth/signin InvalidCheck'
const flowNames = ({ jar }: Browser) => [...jar.keys()].filter((name) => name.includes('auth.flow'))
const stateOf = (url: URL) => url.searchParams.get('state') ?? ''
const newBrowser = (changes = {}) =>
  new Browser(
    configWith({ providers: [fakeProvider(), fakeProvider({}, { id: 'other' })], ...changes }),
  )
const back = (browser: Browser, state: string, provider = 'fake') =>
  browser.get(`/auth/callback/${provider}?${new URLSearchParams({ code: 'c', state })}`)

const { pass } = clock()

describe('a started sign-in', () => {
  it('finishes once, and its cookie is removed', async () => {
    const browser = newBrowser()
    const state = stateOf(await browser.start('fake'))
    expect(flowNames(browser)).toHaveLength(1)
    const sealed = browser.cookie
    expect(locationOf(await back(browser, state))).toBe(`${origin}/inbox`)
    expect(flowNames(browser)).toEqual([])
    // A copied cookie is sent again, and the ledger refuses it.
    const copy = await browser.get(`/auth/callback/fake?code=c&state=${state}`, { cookie: sealed })
    expect(errorOf(copy)).toBe(again)
  })

  it('finishes once of ten parallel callbacks, and the others sign no user in', async () => {
    const browser = newBrowser()
    const path = `/auth/callback/fake?code=c&state=${stateOf(await browser.start('fake'))}`
    const { cookie } = browser
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => browser.get(path, { cookie })),
    )
    const finished = answers.filter((answer) => locationOf(answer) === `${origin}/inbox`)
    expect(finished).toHaveLength(1)
    const signedIn = answers.filter((answer) =>
      answer.headers.getSetCookie().some((line) => line.startsWith('auth.session-token=')),
    )
    expect(signedIn).toEqual(finished)
  })

  it('two tabs side by side both finish, in either order', async () => {
    const browser = newBrowser()
    const one = await browser.start('fake', { callbackUrl: '/one' })
    const two = await browser.start('other', { callbackUrl: '/two' })
    expect(locationOf(await back(browser, stateOf(two), 'other'))).toBe(`${origin}/two`)
    expect(locationOf(await back(browser, stateOf(one)))).toBe(`${origin}/one`)
  })

  it('login CSRF: an attacker’s code and state sign no user in in another browser', async () => {
    const attacker = newBrowser()
    const state = stateOf(await attacker.start('fake'))
    const victim = newBrowser()
    await victim.start('fake')
    expect(errorOf(await back(victim, state))).toBe(again)
    expect(await victim.session()).toBeNull()
    expect(flowNames(victim)).toHaveLength(1)
  })

  it('mix-up: it does not finish at the callback of another provider, and stays usable', async () => {
    const browser = newBrowser()
    const state = stateOf(await browser.start('fake'))
    expect(errorOf(await back(browser, state, 'other'))).toBe(again)
    expect(locationOf(await back(browser, state))).toBe(`${origin}/inbox`)
  })

  it('a cookie renamed to fit another state is refused', async () => {
    const browser = newBrowser()
    const own = stateOf(await browser.start('fake'))
    const foreign = stateOf(await newBrowser().start('fake'))
    const [name = ''] = flowNames(browser)
    const value = browser.jar.get(name) ?? ''
    browser.jar.set(`auth.flow.${foreign.split('.')[0]}`, value)
    expect(errorOf(await back(browser, foreign))).toBe(again)
    const swapped = `${foreign.split('.')[0]}.${own.split('.')[1]}`
    expect(errorOf(await back(browser, swapped))).toBe(again)
  })

  it('with an id that comes back without its secret is refused, and stays usable', async () => {
    const browser = newBrowser()
    const own = stateOf(await browser.start('fake'))
    const foreign = stateOf(await newBrowser().start('fake'))
    const guessed = `${own.split('.')[0]}.${foreign.split('.')[1]}`
    expect(errorOf(await back(browser, guessed))).toBe(again)
    expect(errorOf(await back(browser, own.split('.')[0] ?? ''))).toBe(again)
    expect(locationOf(await back(browser, own))).toBe(`${origin}/inbox`)
  })

  it('a cookie of the same name from a subdomain does not displace the real one', async () => {
    const browser = newBrowser()
    const state = stateOf(await browser.start('fake'))
    const [name] = flowNames(browser)
    const cookie = `${name}=tossed; ${browser.cookie}`
    const answer = await browser.get(`/auth/callback/fake?code=c&state=${state}`, { cookie })
    expect(locationOf(answer)).toBe(`${origin}/inbox`)
  })

  it('the last four cookies of one name are opened, and earlier ones cost nothing', async () => {
    const browser = newBrowser()
    const state = stateOf(await browser.start('fake'))
    const [name] = flowNames(browser)
    const tossed = (count: number) => Array.from({ length: count }, () => `${name}=tossed`)
    const finish = (...cookies: string[]) =>
      browser.get(`/auth/callback/fake?code=c&state=${state}`, { cookie: cookies.join('; ') })
    expect(errorOf(await finish(browser.cookie, ...tossed(4)))).toBe(again)
    const finished = await finish(...tossed(9), browser.cookie, ...tossed(3))
    expect(locationOf(finished)).toBe(`${origin}/inbox`)
  })

  it('ends after fifteen minutes', async () => {
    const browser = newBrowser()
    const early = stateOf(await browser.start('fake'))
    vi.setSystemTime(Date.now() + 14 * 60_000)
    expect(locationOf(await back(browser, early))).toBe(`${origin}/inbox`)
    const late = stateOf(await browser.start('fake'))
    vi.setSystemTime(Date.now() + 16 * 60_000)
    expect(errorOf(await back(browser, late))).toBe(again)
  })

  it('is refused by another service with another secret', async () => {
    const foreign = newBrowser({ secret: 'another-secret-'.repeat(3) })
    const state = stateOf(await foreign.start('fake'))
    const browser = newBrowser()
    for (const [name, value] of foreign.jar) browser.jar.set(name, value)
    expect(errorOf(await back(browser, state))).toBe(again)
  })

  it.each([
    '',
    'x',
    '.',
    '__proto__',
    '../../x',
    'a'.repeat(5_000),
    '000000000-AAAAAAAAAAA.x',
    '%',
    '\u0000',
  ])('the state %j ends in start again, not in a crash', async (state) => {
    const browser = newBrowser()
    await browser.start('fake')
    expect(errorOf(await back(browser, state))).toBe(again)
  })

  it('a callback without state, or with two, ends in start again', async () => {
    const browser = newBrowser()
    const state = stateOf(await browser.start('fake'))
    expect(errorOf(await browser.get('/auth/callback/fake?code=c'))).toBe(again)
    const twice = `/auth/callback/fake?code=c&state=${state}&state=${state}`
    expect(errorOf(await browser.get(twice))).toBe(again)
  })
})

describe('a target is checked again when it is used', () => {
  const evil = 'https://old.example/inbox'

  it('open redirect: an origin that is off the list by then is not gone to', async () => {
    const store = memoryStore()
    const browser = newBrowser({ store, trustedOrigins: ['https://old.example'] })
    const state = stateOf(await browser.start('fake', { callbackUrl: evil }))
    const later = copyOf(browser, configWith({ store, providers: [fakeProvider()] }))
    expect(locationOf(await back(later, state))).toBe(`${origin}/`)
    const meanwhile = stateOf(await browser.start('fake', { callbackUrl: evil }))
    expect(locationOf(await back(browser, meanwhile))).toBe(evil)
  })

  it('the redirect callback decides again, of what it was asked at first', async () => {
    const redirect = ({ url }: { url: string }) => `https://app.example/welcome?next=${url}`
    const browser = newBrowser({ callbacks: { redirect } })
    const state = stateOf(await browser.start('fake', { callbackUrl: '/inbox' }))
    expect(locationOf(await back(browser, state))).toBe('https://app.example/welcome?next=/inbox')
  })

  it('a redirect callback that has changed meanwhile counts', async () => {
    let chosen = evil
    const browser = newBrowser({ callbacks: { redirect: () => chosen } })
    const state = stateOf(await browser.start('fake'))
    chosen = 'https://new.example/'
    expect(locationOf(await back(browser, state))).toBe(chosen)
  })

  it('a redirect callback that is gone leaves no target elsewhere', async () => {
    const store = memoryStore()
    const browser = newBrowser({ store, callbacks: { redirect: () => evil } })
    const state = stateOf(await browser.start('fake'))
    const later = copyOf(browser, configWith({ store, providers: [fakeProvider()] }))
    expect(locationOf(await back(later, state))).toBe(`${origin}/`)
  })
})

describe('at most five are kept', () => {
  it('the oldest is removed', async () => {
    const browser = newBrowser()
    const states: string[] = []
    for (let count = 0; count < 7; count++) {
      pass(1)
      states.push(stateOf(await browser.start('fake')))
    }
    expect(flowNames(browser)).toHaveLength(5)
    const ends: string[] = []
    for (const state of states) ends.push(errorOf(await back(browser, state)))
    expect(ends).toEqual([again, again, ...Array.from({ length: 5 }, () => '/inbox')])
  })

  it('the oldest is removed by its age, in whatever order the browser sends them', async () => {
    const browser = newBrowser()
    for (let count = 0; count < 5; count++) {
      pass(1)
      await browser.start('fake')
    }
    const [oldest = '', ...rest] = flowNames(browser)
    const value = browser.jar.get(oldest) ?? ''
    browser.jar.delete(oldest)
    browser.jar.set(oldest, value)
    pass(1)
    const answer = await browser.submit('/auth/signin/fake')
    const removed = answer.headers.getSetCookie().filter((line) => line.includes('Max-Age=0'))
    expect(removed).toEqual([expect.stringMatching(`^${oldest}=;`)])
    expect(flowNames(browser)).toEqual(expect.arrayContaining(rest))
  })

  it('cookies whose names only begin like ours are not touched', async () => {
    const browser = newBrowser()
    const id = `000000000-${'A'.repeat(11)}`
    const alike = [
      `auth.flow.00${id}`,
      `auth.flow.x${id}`,
      `auth.flow.${id}x`,
      `xauth.flow.${id}`,
      `auth.flow-${id}`,
    ]
    const strangers = ['auth.flow', 'auth.flow.x', 'auth.flow.0', 'auth.flowers', ...alike]
    for (const name of strangers) browser.jar.set(name, 'x')
    for (let count = 0; count < 6; count++) {
      pass(1)
      await browser.start('fake')
    }
    for (const name of strangers) expect(browser.jar.get(name)).toBe('x')
  })

  it('many forged cookies are removed and do not prevent the newest sign-in', async () => {
    const browser = newBrowser()
    for (let count = 0; count < 100; count++) {
      browser.jar.set(`auth.flow.zzzzzzzzz-${String(count).padStart(11, '0')}`, 'tossed')
    }
    const state = stateOf(await browser.start('fake'))
    expect(locationOf(await back(browser, state))).toBe(`${origin}/inbox`)
    // Eight go with each answer that starts a sign-in.
    for (let more = 0; more < 14; more++) {
      const count = flowNames(browser).length
      await browser.start('fake')
      expect(flowNames(browser)).toHaveLength(Math.max(count + 1 - 8, 5))
    }
    expect(flowNames(browser)).toHaveLength(5)
  })
})

describe('all our cookies together stay below 8 kB', () => {
  const bytes = (browser: Browser) => Buffer.byteLength(browser.cookie)
  const long = () => `/${'a'.repeat(2_000)}`

  it('431 for fifteen minutes: five long targets do not lock a browser out, and the newest finish', async () => {
    const browser = newBrowser()
    const states: string[] = []
    for (let count = 0; count < 5; count++) {
      pass(1)
      states.push(stateOf(await browser.start('fake', { callbackUrl: long() })))
      expect(bytes(browser)).toBeLessThan(8_000)
    }
    expect(flowNames(browser)).toHaveLength(2)
    expect(errorOf(await back(browser, states[3] ?? ''))).toBe(long())
    expect(errorOf(await back(browser, states[4] ?? ''))).toBe(long())
    expect(errorOf(await back(browser, states[0] ?? ''))).toBe(again)
  })

  it('a large tossed cookie, named as if it were newer, does not end what was just started', async () => {
    const browser = newBrowser()
    browser.jar.set(`auth.flow.zzzzzzzzz-${'0'.repeat(11)}`, 'x'.repeat(7_900))
    const state = stateOf(await browser.start('fake'))
    expect(flowNames(browser)).toHaveLength(1)
    expect(errorOf(await back(browser, state))).toBe('/inbox')
  })

  it('short ones are all kept, up to five', async () => {
    const browser = newBrowser()
    for (let count = 0; count < 5; count++) {
      pass(1)
      await browser.start('fake')
    }
    expect(flowNames(browser)).toHaveLength(5)
  })

  it('a session that grows takes the room of started sign-ins, oldest first', async () => {
    const session = () => ({ pad: 'x'.repeat(3_000) }) as never
    const browser = newBrowser({ callbacks: { session } })
    const one = stateOf(await browser.start('fake', { callbackUrl: long() }))
    pass(1)
    const two = stateOf(await browser.start('fake', { callbackUrl: '/two' }))
    pass(1)
    expect(errorOf(await browser.signIn('other'))).toBe('/inbox')
    expect(bytes(browser)).toBeLessThan(8_000)
    expect(errorOf(await back(browser, one))).toBe(again)
    expect(errorOf(await back(browser, two))).toBe('/two')
  })

  /** Tokens of about 3,500 characters, which are one cookie. */
  const oneCookie = { callbacks: { session: () => ({ pad: 'x'.repeat(2_200) }) as never } }

  it('a session that is one cookie is counted', async () => {
    const browser = newBrowser(oneCookie)
    await browser.signIn('other')
    expect(browser.jar.get('auth.session-token')?.length).toBeGreaterThan(3_200)
    for (const _ of [1, 2]) {
      pass(1)
      await browser.start('fake', { callbackUrl: long() })
    }
    expect(flowNames(browser)).toHaveLength(1)
    expect(bytes(browser)).toBeLessThan(8_000)
  })

  it('a started sign-in that ends makes room for its session', async () => {
    const browser = newBrowser(oneCookie)
    const one = stateOf(await browser.start('fake', { callbackUrl: long() }))
    pass(1)
    const two = stateOf(await browser.start('other', { callbackUrl: long() }))
    expect(errorOf(await back(browser, two, 'other'))).toBe(long())
    expect(errorOf(await back(browser, one))).toBe(long())
  })

  /** A session of 4 kB, as JSON: a token of 5.6 kB. */
  const ofFourKb = { callbacks: { session: () => ({ pad: 'x'.repeat(4_085) }) as never } }

  it('attack: 431 for a person with a session of 4 kB, whose browser is known for people with long ids', async () => {
    const browser = newBrowser(ofFourKb)
    await browser.signIn('other')
    browser.jar.set('auth.device', 'x'.repeat(1_600))
    await browser.start('fake')
    expect(bytes(browser)).toBeLessThan(8_000)
    expect(flowNames(browser)).toHaveLength(1)
  })

  it.each([
    ['short', '/inbox'],
    ['long', long()],
  ])(
    'attack: 431 for a person with a session of 4 kB who starts sign-ins with a %s target',
    async (_, target) => {
      const browser = newBrowser(ofFourKb)
      await browser.signIn('other')
      for (const [name, value] of [
        ['device', 600],
        ['last-way', 20],
      ] as const) {
        browser.jar.set(`auth.${name}`, 'x'.repeat(value))
      }
      const states: string[] = []
      for (let count = 0; count < 7; count++) {
        pass(1)
        states.push(stateOf(await browser.start('fake', { callbackUrl: target })))
        expect(bytes(browser)).toBeLessThan(8_000)
      }
      expect(flowNames(browser)).toHaveLength(2)
      // A target that finds no room is given up, and the sign-in is not.
      const expected = target === '/inbox' ? target : '/'
      expect(errorOf(await back(browser, states[6] ?? ''))).toBe(expected)
      expect(errorOf(await back(browser, states[0] ?? ''))).toBe(again)
      expect(bytes(browser)).toBeLessThan(8_000)
    },
  )

  it('attack: 431 for a person whose session of 4 kB begins beside started sign-ins with long targets', async () => {
    const browser = newBrowser(ofFourKb)
    const one = stateOf(await browser.start('fake', { callbackUrl: long() }))
    pass(1)
    const two = stateOf(await browser.start('fake', { callbackUrl: long() }))
    pass(1)
    await browser.signIn('other')
    expect(bytes(browser)).toBeLessThan(8_000)
    expect(errorOf(await back(browser, one))).toBe(again)
    expect(errorOf(await back(browser, two))).toBe(again)
  })

  it.each([
    ['8,000 bytes are not too many', 0, 3],
    ['one byte more is', 1, 2],
  ])('to the byte: %s', async (_, more, expected) => {
    const browser = newBrowser()
    await browser.start('fake')
    const sizeOf = ([name, value]: [string, string]) => name.length + value.length + 3
    const sizes = [...browser.jar].map(sizeOf)
    const [name = ''] = flowNames(browser)
    const oldest = name.replace(/[^.]*$/, `000000000-${'A'.repeat(11)}`)
    // Another one of the same size is started now.
    const sum = [...sizes, sizeOf([name, browser.jar.get(name) ?? '']), sizeOf([oldest, ''])]
    const rest = 8_000 - sum.reduce((total, size) => total + size, 0)
    browser.jar.set(oldest, 'x'.repeat(rest + more))
    pass(1)
    const answer = await browser.submit('/auth/signin/fake', { callbackUrl: '/inbox' })
    expect(flowNames(browser)).toHaveLength(expected)
    const removed = answer.headers.getSetCookie().filter((line) => line.includes('Max-Age=0'))
    expect(removed.every((line) => line.startsWith(`${oldest}=;`))).toBe(true)
  })

  it('a hundred tossed ones are removed eight at a time, at a start and at an end', async () => {
    const browser = newBrowser()
    const state = stateOf(await browser.start('fake'))
    const tossed = Array.from({ length: 100 }, (_, index) => {
      const id = `000000000-${String(index).padStart(11, '0')}`
      return `auth.flow.${id}=${'x'.repeat(900)}`
    })
    const cookie = [...tossed, browser.cookie].join('; ')
    const removedBy = (answer: Response) =>
      answer.headers.getSetCookie().filter((line) => /^auth\.flow\..*Max-Age=0/.test(line))
    const csrfToken = await browser.csrfToken()
    const started = await browser.post('/auth/signin/fake', { csrfToken }, { cookie })
    expect(removedBy(started)).toHaveLength(8)
    const path = `/auth/callback/fake?${new URLSearchParams({ code: 'c', state })}`
    const finished = await browser.get(path, { cookie })
    expect(locationOf(finished)).toBe(`${origin}/inbox`)
    expect(removedBy(finished)).toHaveLength(8)
  })

  it.each([
    ['at a start', true],
    ['at an end, beside a part of an older session', false],
  ])('eight large tossed ones are removed at once %s', async (_, isStart) => {
    const browser = newBrowser()
    const state = stateOf(await browser.start('fake'))
    const own = browser.cookie
    const tossed = Array.from({ length: 9 }, (__, index) => {
      return `auth.flow.000000000-${String(index).padStart(11, '0')}=${'x'.repeat(8_000)}`
    })
    const cookie = [...tossed, 'auth.session-token.1=x', own].join('; ')
    const csrfToken = await browser.csrfToken()
    const answer = isStart
      ? await browser.post('/auth/signin/fake', { csrfToken }, { cookie })
      : await browser.get(`/auth/callback/fake?code=c&state=${state}`, { cookie })
    const removed = answer.headers
      .getSetCookie()
      .flatMap((line) => /^(auth\.[^=]+)=; .*Max-Age=0/.exec(line)?.[1] ?? [])
    expect(removed.filter((name) => name.startsWith('auth.flow.'))).toHaveLength(8)
    expect(removed.includes('auth.session-token.1')).toBe(!isStart)
  })

  it('the oldest goes first, in whatever order the browser sends them', async () => {
    const browser = newBrowser()
    const one = stateOf(await browser.start('fake', { callbackUrl: long() }))
    pass(1)
    const two = stateOf(await browser.start('fake', { callbackUrl: long() }))
    pass(1)
    const entries = [...browser.jar].reverse()
    browser.jar.clear()
    for (const [name, value] of entries) browser.jar.set(name, value)
    await browser.start('fake', { callbackUrl: long() })
    expect(errorOf(await back(browser, two))).toBe(long())
    expect(errorOf(await back(browser, one))).toBe(again)
  })

  it('the app’s own cookies are not counted, and not removed', async () => {
    const browser = newBrowser()
    for (const name of ['own', 'auth', 'auth.session-tokens', 'auth.csrf']) {
      browser.jar.set(name, 'x'.repeat(9_000))
    }
    await browser.start('fake')
    await browser.start('fake')
    expect(browser.jar.get('own')).toHaveLength(9_000)
    expect(flowNames(browser)).toHaveLength(2)
  })
})

describe('the cookie', () => {
  it('with the longest accepted target fits into a browser’s limit', async () => {
    const browser = newBrowser()
    const callbackUrl = `/${'é'.repeat(337)}`
    await browser.start('fake', { callbackUrl })
    const longest = `/${'a'.repeat(2_047 - origin.length)}`
    const answer = await browser.submit('/auth/signin/fake', { callbackUrl: longest })
    const flow = answer.headers.getSetCookie().find((line) => line.includes('auth.flow'))
    expect(flow?.length).toBeGreaterThan(2_500)
    expect(flow?.length).toBeLessThan(4_096)
  })

  it('lives for the fifteen minutes that a sign-in may take', async () => {
    const answer = await newBrowser().submit('/auth/signin/fake')
    expect(answer.headers.getSetCookie().join()).toMatch(/auth\.flow\.[^;]+;[^,]*Max-Age=900/)
  })

  it('is removed without a value when it is used', async () => {
    const browser = newBrowser()
    const state = stateOf(await browser.start('fake'))
    const [name] = flowNames(browser)
    const lines = (await back(browser, state)).headers.getSetCookie()
    expect(lines).toContainEqual(expect.stringMatching(`^${name}=; Max-Age=0`))
  })

  it('is used up for as long as it could be shown again', async () => {
    const store = memoryStore()
    const enter = vi.spyOn(store.ledger as Ledger, 'enter')
    const browser = newBrowser({ store })
    const state = stateOf(await browser.start('fake'))
    await back(browser, state)
    const [id] = state.split('.')
    const ends = Math.floor(Date.now() / 1000) + 15 * 60
    expect(enter).toHaveBeenCalledWith(`flow:${id}`, ends, expect.stringMatching(/^way\n/))
  })

  it('can be renamed', async () => {
    const browser = newBrowser({ cookies: { flow: { name: 'my-flow' } } })
    const state = stateOf(await browser.start('fake'))
    expect([...browser.jar.keys()].some((name) => name.startsWith('my-flow.'))).toBe(true)
    expect(locationOf(await back(browser, state))).toBe(`${origin}/inbox`)
  })

  it('shows neither verifier nor target', async () => {
    const browser = newBrowser()
    await browser.start('fake', { callbackUrl: '/secret-place' })
    const [name = ''] = flowNames(browser)
    const sealed = browser.jar.get(name) ?? ''
    const shown = sealed.split('.').map((part) => Buffer.from(part, 'base64url').toString('latin1'))
    expect(shown.join()).not.toContain('secret-place')
    expect(shown.join()).not.toContain('codeVerifier')
  })
})
