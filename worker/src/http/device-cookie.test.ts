import { describe, expect, it, vi } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { deriveKeyRing } from '../lib/key-ring.js'
import credentials from '../providers/credentials.js'
import {
  Browser,
  configWith,
  copyOf,
  fakeProvider,
  locationOf,
  origin,
  secret,
  setsSession,
} from '../test-support/browser.js'
import { mailProvider, withMail, wrong } from '../test-support/email.js'
import type { AuthConfig, VerificationRequest } from '../types.js'

const { pass } = clock({ timers: true })

const HOUR = 3600
const DAY = 24 * HOUR
const NAME = 'auth.device'

/** The password `right` proves to be the person of the name. */
const passwords = (options = {}) =>
  credentials({
    credentials: { username: {}, password: { type: 'password' } },
    authorize: ({ username, password }) =>
      password === 'right' ? { id: String(username ?? 'somebody') } : null,
    ...options,
  })

function deployment(changes: Partial<AuthConfig> = {}, options = {}) {
  const made = withMail({}, { providers: [passwords(options)], ...changes })
  const from = (network: string) => made.browser({ 'cf-connecting-ip': network })
  /** @param browser one of its own, in its own network, unless the test gives one */
  const attempt = (username: string, password = 'wrong', browser = from('192.0.2.200')) =>
    browser.submit('/auth/callback/credentials', { username, password })
  return {
    ...made,
    from,
    attempt,
    /** A browser that has signed in as so many people, and out. */
    async known(...people: string[]) {
      const browser = from('192.0.2.1')
      for (const person of people) await attempt(person, 'right', browser)
      await browser.submit('/auth/signout')
      return browser
    },
    /** A hundred wrong tries from ten networks. */
    async flood(username: string) {
      for (let network = 10; network < 20; network++) {
        for (let count = 0; count < 10; count++) {
          await attempt(username, 'wrong', from(`192.0.2.${network}`))
        }
      }
    },
  }
}

describe('lock-out: a stranger tries a hundred wrong passwords from ten networks, again and again', () => {
  it('the browser that has signed in as this person still does, and no other one', async () => {
    const { attempt, known, flood, from } = deployment()
    const owner = await known('ada')
    for (let hour = 0; hour < 3; hour++) {
      await flood('ada')
      expect((await attempt('ada', 'right', from('192.0.2.99'))).status).toBe(429)
      expect(setsSession(await attempt('ada', 'right', owner))).toBe(true)
      await owner.submit('/auth/signout')
      pass(HOUR)
    }
  })

  it('also from the owner’s own network', async () => {
    const { attempt, known, from } = deployment()
    const owner = await known('ada')
    for (let count = 0; count < 12; count++) await attempt('ada', 'wrong', from('192.0.2.1'))
    expect((await attempt('ada', 'right', from('192.0.2.1'))).status).toBe(429)
    expect(setsSession(await attempt('ada', 'right', owner))).toBe(true)
  })

  it('the owner’s own wrong tries use up none of another browser’s', async () => {
    const { attempt, known } = deployment()
    const owner = await known('ada')
    for (let count = 0; count < 12; count++) await attempt('ada', 'wrong', owner)
    expect((await attempt('ada', 'right', owner)).status).toBe(429)
    expect(setsSession(await attempt('ada', 'right'))).toBe(true)
  })

  it('for ninety days after the sign-in', async () => {
    const { attempt, known, flood } = deployment()
    const owner = await known('ada')
    const late = await known('ada')
    pass(90 * DAY - 60)
    await flood('ada')
    expect(setsSession(await attempt('ada', 'right', owner))).toBe(true)
    pass(120)
    await flood('ada')
    expect((await attempt('ada', 'right', late)).status).toBe(429)
  })
})

describe('a browser that is known for two people', () => {
  it.each([
    ['is known for each up to ninety days after their own sign-in', 1, true],
    ['is not known for one of them longer, by a later sign-in of the other', 0, false],
  ])('%s', async (_, early, isKnown) => {
    const { attempt, known, flood } = deployment()
    const shared = await known('ada')
    pass(60 * DAY)
    await attempt('eve', 'right', shared)
    await shared.submit('/auth/signout')
    pass(30 * DAY - early)
    await flood('ada')
    expect(setsSession(await attempt('ada', 'right', shared))).toBe(isKnown)
  })

  it.each([
    ['one', 1, true],
    ['two', 2, false],
  ])('has its own cookie found before %s tossed ones of the name', async (_, count, isKnown) => {
    const { known, flood } = deployment()
    const owner = await known('ada')
    await flood('ada')
    const csrfToken = await owner.csrfToken()
    const tossed = Array.from({ length: count }, () => `${NAME}=tossed`)
    const answer = await owner.post(
      '/auth/callback/credentials',
      { csrfToken, username: 'ada', password: 'right' },
      { cookie: [owner.cookie, ...tossed].join('; ') },
    )
    expect(setsSession(answer)).toBe(isKnown)
  })
})

describe('a stolen device cookie', () => {
  it('gives ten guesses in a quarter of an hour, and a hundred in a day', async () => {
    const { attempt, known } = deployment()
    const thief = await known('ada')
    let tried = 0
    for (let quarter = 0; quarter < 96; quarter++) {
      for (let count = 0; count < 11; count++) {
        const { status, headers } = await attempt('ada', 'wrong', thief)
        if (count === 10) expect(status).toBe(429)
        if (status === 429) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
        else tried++
      }
      pass(900)
    }
    expect(tried).toBe(100)
  })

  it('fifty copies at once are ten guesses', async () => {
    const { known, config, answer } = deployment()
    const owner = await known('ada')
    const csrfToken = await owner.csrfToken()
    const guess = () => {
      const copy = copyOf(owner, config, { answer })
      return copy.post('/auth/callback/credentials', { csrfToken, username: 'ada', password: 'x' })
    }
    const answers = await Promise.all(Array.from({ length: 50 }, guess))
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(40)
  })

  it('leaves the owner their own count, once they have signed in again', async () => {
    const { attempt, known, config, answer } = deployment()
    const owner = await known('ada')
    const thief = copyOf(owner, config, { answer })
    await attempt('ada', 'right', owner)
    for (let count = 0; count < 12; count++) await attempt('ada', 'wrong', thief)
    expect(setsSession(await attempt('ada', 'right', owner))).toBe(true)
  })

  it('is not a session, a flow, a record or a mail', async () => {
    const { known, attempt, config, answer } = deployment()
    const owner = await known('ada')
    const value = decodeURIComponent(owner.jar.get(NAME) ?? '')
    const thief = new Browser(config, { answer })
    thief.jar.set(NAME, value).set('auth.session-token', value)
    expect(await thief.session()).toBeNull()
    expect(setsSession(await attempt('ada', 'wrong', thief))).toBe(false)
    const keys = await deriveKeyRing([secret], Date.now)
    for (const { open } of [keys.flow, keys.posted, keys.record, keys.verification]) {
      expect(await open(value)).toBeUndefined()
    }
    expect(await (await keys.sealer('device')).open(value)).toBeDefined()
  })
})

describe('a user with an account of their own', () => {
  it('gets nothing for another person’s name by its device cookie', async () => {
    const { attempt, known, flood } = deployment()
    const eve = await known('eve')
    await flood('ada')
    expect((await attempt('ada', 'wrong', eve)).status).toBe(429)
  })

  it('gets no new guesses for another person of the same browser by signing in again', async () => {
    const { attempt, known } = deployment()
    const shared = await known('ada', 'eve')
    let tried = 0
    for (let round = 0; round < 5; round++) {
      for (let count = 0; count < 4; count++) {
        if ((await attempt('ada', 'wrong', shared)).status !== 429) tried++
      }
      expect(setsSession(await attempt('eve', 'right', shared))).toBe(true)
    }
    expect(tried).toBe(10)
  })

  it('is not known as the other person that they name', async () => {
    const fields = { username: {}, email: {}, password: { type: 'password' } }
    const { from } = deployment({}, { credentials: fields })
    const eve = from('192.0.2.1')
    const posted = { username: 'eve', email: 'ada', password: 'right' }
    expect(setsSession(await eve.submit('/auth/callback/credentials', posted))).toBe(true)
    expect(eve.jar.has(NAME)).toBe(false)
  })
})

describe('the cookie', () => {
  it('is sealed, for this browser alone and for ninety days, and a sign-out leaves it', async () => {
    const authorize = () => ({ id: 'ada' })
    const config = configWith({ providers: [passwords({ authorize })] })
    const browser = new Browser(config, { at: 'https://example.com' })
    const answer = await browser.submit('/auth/callback/credentials', { username: 'ada' })
    const line = answer.headers.getSetCookie().find((each) => each.includes(NAME)) ?? ''
    expect(line).toMatch(
      /^__Host-auth\.device=[\w.-]+; Max-Age=7776000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    )
    const out = await browser.submit('/auth/signout')
    expect(out.headers.getSetCookie().join()).not.toContain(NAME)
    expect(browser.jar.has(`__Host-${NAME}`)).toBe(true)
  })

  it('names four people at most, the last ones, in less than 600 bytes', async () => {
    const { attempt, known, flood } = deployment()
    const people = ['one', 'two', 'three', 'four', 'five']
    const browser = await known(...people)
    expect(`${NAME}=${browser.jar.get(NAME)}`.length).toBeLessThan(600)
    const ends: boolean[] = []
    for (const person of people) {
      await flood(person)
      ends.push((await attempt(person, 'wrong', browser)).status === 302)
    }
    expect(ends).toEqual([false, true, true, true, true])
  })

  it('does not show its person, and differs between two browsers', async () => {
    const { known } = deployment()
    const [one, other] = [await known('ada'), await known('ada')]
    expect(one.jar.get(NAME)).not.toBe(other.jar.get(NAME))
    const shown = (one.jar.get(NAME) ?? '')
      .split('.')
      .map((part) => Buffer.from(part, 'base64url').toString('latin1'))
    expect(shown.join()).not.toMatch(/people|ada/)
  })

  it.each([
    ['forged', () => 'forged'],
    ['empty', () => ''],
    ['of another secret', async () => deviceOf(['another-secret-'.repeat(3)])],
    ['with other content', async () => deviceOf([secret], { people: 'ada' })],
  ])('%s breaks nothing and is replaced', async (_, value) => {
    const { attempt, from } = deployment()
    const browser = from('192.0.2.1')
    browser.jar.set(NAME, await value())
    expect((await attempt('ada', 'wrong', browser)).status).toBe(302)
    expect(setsSession(await attempt('ada', 'right', browser))).toBe(true)
    for (let count = 0; count < 12; count++) await attempt('ada', 'wrong', from('192.0.2.1'))
    expect(setsSession(await attempt('ada', 'right', browser))).toBe(true)
  })

  it('survives a rotation of the secret', async () => {
    const made = deployment()
    const owner = await made.known('ada')
    const later = copyOf(owner, { ...made.config, secret: ['a-newer-secret-'.repeat(3), secret] })
    await made.flood('ada')
    expect(setsSession(await made.attempt('ada', 'right', later))).toBe(true)
  })

  it('can be renamed', async () => {
    const { attempt, from } = deployment({ cookies: { device: { name: 'mine' } } })
    const browser = from('192.0.2.1')
    await attempt('ada', 'right', browser)
    expect([browser.jar.has('mine'), browser.jar.has(NAME)]).toEqual([true, false])
  })

  it('is not set if nothing is counted by person', async () => {
    const set = deployment({
      providers: [fakeProvider(), passwords({ credentials: { pin: { type: 'password' } } })],
    })
    const browser = set.from('192.0.2.1')
    await browser.signIn('fake')
    const fields = { pin: '1', password: 'right' }
    expect(setsSession(await browser.submit('/auth/callback/credentials', fields))).toBe(true)
    expect(browser.jar.has(NAME)).toBe(false)
  })

  it('is not set if the app leads elsewhere in the place of a sign-in', async () => {
    const { attempt, from } = deployment({ callbacks: { signIn: () => '/more' } })
    const browser = from('192.0.2.1')
    await attempt('ada', 'right', browser)
    expect(browser.jar.has(NAME)).toBe(false)
  })

  it('counts among our cookies, which stay below 8 kB', async () => {
    const { known, config, answer } = deployment({ providers: [fakeProvider(), passwords()] })
    const browser = copyOf(await known('a', 'b', 'c', 'd'), config, { answer })
    for (let count = 0; count < 5; count++) {
      pass(1)
      await browser.start('fake', { callbackUrl: `/${'a'.repeat(1_500)}` })
      expect(browser.cookie.length).toBeLessThan(8_000)
    }
    expect(browser.jar.has(NAME)).toBe(true)
  })
})

describe('the cost of a known browser in the ledger', () => {
  it('one call more than a stranger’s, which asks whether its device has ended, and half the rows', async () => {
    const { store, attempt, known } = deployment()
    const owner = await known('ada')
    const admit = vi.spyOn(store.ledger, 'admit')
    const forgive = vi.spyOn(store.ledger, 'forgive')
    const isRevoked = vi.spyOn(store.ledger, 'isRevoked')
    for (const [browser, asked, rows] of [
      [undefined, 0, 4],
      [owner, 1, 2],
    ] as const) {
      for (const call of [admit, forgive, isRevoked]) call.mockClear()
      await attempt('ada', 'right', browser)
      expect([admit, forgive, isRevoked].map(({ mock }) => mock.calls.length)).toEqual([
        1,
        1,
        asked,
      ])
      expect(admit.mock.lastCall?.[1]).toHaveLength(rows)
    }
  })
})

describe('by email: strangers use up the limits of an address', () => {
  const deployed = () => {
    const mails: VerificationRequest[] = []
    const made = withMail({}, { providers: [mailProvider(mails)] })
    const from = (network: string) => made.browser({ 'cf-connecting-ip': network })
    const ask = async (browser: Browser) => {
      const email = 'ada@example.com'
      const answer = await browser.submit('/auth/signin/email', { email, callbackUrl: '/inbox' })
      const url = new URL(mails.at(-1)?.url ?? origin)
      const flow = new URL(answer.headers.get('location') ?? origin).searchParams.get('flow') ?? ''
      return { answer, flow, path: url.pathname + url.search, code: mails.at(-1)?.code ?? '' }
    }
    const known = async () => {
      const owner = from('192.0.2.1')
      const { path } = await ask(owner)
      await owner.get(path)
      await owner.submit('/auth/signout')
      expect(owner.jar.has(NAME)).toBe(true)
      return owner
    }
    return { ...made, mails, from, ask, known }
  }

  it('the browser that has signed in with it still gets a mail, whose link and code work', async () => {
    const { ask, known, from } = deployed()
    const owner = await known()
    for (let network = 10; network < 30; network++) await ask(from(`192.0.2.${network}`))
    expect((await ask(from('192.0.2.99'))).answer.status).toBe(429)
    const byLink = await ask(owner)
    expect(locationOf(await owner.get(byLink.path))).toBe(`${origin}/inbox`)
    const { flow, code } = await ask(owner)
    const answer = await owner.submit('/auth/callback/email', { flow, code })
    expect(setsSession(answer)).toBe(true)
  })

  it('its code is tried, if strangers have tried as many as an address has in a day', async () => {
    const { ask, known, from } = deployed()
    const owner = await known()
    const type = (browser: Browser, flow: string, code: string) =>
      browser.submit('/auth/callback/email', { flow, code })
    for (let round = 0; round < 3; round++) {
      for (let network = 0; network < 3; network++) {
        const eve = from(`192.0.2.${10 * round + network + 10}`)
        const { flow, code } = await ask(eve)
        for (let guess = 1; guess <= 5; guess++) await type(eve, flow, wrong(code, guess))
      }
      pass(HOUR)
    }
    const eve = from('192.0.2.77')
    const late = await ask(eve)
    expect((await type(eve, late.flow, late.code)).status).toBe(429)
    const { flow, code } = await ask(owner)
    expect(setsSession(await type(owner, flow, code))).toBe(true)
  })

  it('no mailbox is flooded by it: five mails in an hour and ten in a day', async () => {
    const { ask, known, mails } = deployed()
    const owner = await known()
    mails.length = 0
    const counts: number[] = []
    for (let hour = 0; hour < 4; hour++) {
      for (let count = 0; count < 8; count++) await ask(owner)
      counts.push(mails.length)
      pass(HOUR)
    }
    expect(counts).toEqual([5, 10, 10, 10])
  })

  it('a stolen one tries ten codes in an hour and thirty in a day', async () => {
    const { known, ask, mails } = deployed()
    const thief = await known()
    let tried = 0
    for (let hour = 0; hour < 5; hour++) {
      for (let round = 0; round < 3; round++) {
        const { answer, flow } = await ask(thief)
        if (answer.status === 429) continue
        for (let guess = 1; guess <= 5; guess++) {
          const code = wrong(mails.at(-1)?.code ?? '', guess)
          const { status } = await thief.submit('/auth/callback/email', { flow, code })
          if (status !== 429) tried++
        }
      }
      pass(HOUR)
    }
    expect(tried).toBe(30)
  })
})

async function deviceOf(secrets: string[], content: object = { people: [] }): Promise<string> {
  const sealer = await (await deriveKeyRing(secrets, Date.now)).sealer('device')
  return sealer.seal({ ...content }, Date.now() / 1000 + DAY)
}
