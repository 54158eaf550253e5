import { describe, expect, it, vi } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { createAuth } from '../index.js'
import credentials from '../providers/credentials.js'
import { memoryStore } from '../stores/memory.js'
import { Browser, configWith, locationOf, origin, setsSession } from '../test-support/browser.js'
import { withMail, wrong } from '../test-support/email.js'
import { fails, faulty } from '../test-support/faulty.js'
import type { AuthConfig, CredentialsUserConfig } from '../types.js'

const { pass } = clock({ timers: true })

const HOUR = 3600
const DAY = 24 * HOUR
const from = (network: string) => ({ 'cf-connecting-ip': network })
const statuses = (answers: readonly Response[]) => answers.map(({ status }) => status)
const times = <Item>(count: number, item: Item) => Array.from({ length: count }, () => item)

/** The rate-limiting binding, as strict as the test wants. */
function rateLimit(max = Number.POSITIVE_INFINITY) {
  const counts = new Map<string, number>()
  const limit = async ({ key }: { key: string }) => {
    counts.set(key, (counts.get(key) ?? 0) + 1)
    return { success: (counts.get(key) ?? 0) <= max }
  }
  return { counts, limit }
}

describe('mails to an address', () => {
  it('one network gets five in an hour; then the same page answers 429 with Retry-After', async () => {
    const { ask, mails, browser } = withMail()
    const asking = browser(from('192.0.2.1'))
    for (let count = 0; count < 5; count++) {
      expect((await ask('ada@example.com', asking)).answer.status).toBe(302)
      pass(60)
    }
    const { answer } = await ask('ada@example.com', asking)
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, String(HOUR - 300)])
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
    const page = await answer.text()
    expect(page).toContain('Too many attempts.')
    expect(page).toContain('action="/auth/signin/email"')
    expect(page).toContain(`value="${origin}/inbox"`)
    // In its field alone, so that it is not typed once more.
    expect(page.split('ada@example.com')).toHaveLength(2)
    expect(page).toContain('autocomplete="email"')
    expect(page).toContain('value="ada@example.com"')
    expect(mails).toHaveLength(5)
    pass(HOUR - 300)
    expect((await ask('ada@example.com', asking)).answer.status).toBe(302)
  })

  it('requests of a stranger on another network do not use up the owner’s', async () => {
    const { ask, browser } = withMail({}, {}, { env: { RATE_LIMIT: rateLimit(30) } })
    const stranger = browser(from('192.0.2.66'))
    for (let count = 0; count < 35; count++) await ask('ada@example.com', stranger)
    const owner = browser(from('192.0.2.1'))
    const { answer, path } = await ask('ada@example.com', owner)
    expect(answer.status).toBe(302)
    expect(locationOf(await owner.get(path))).toBe(`${origin}/inbox`)
  })

  it('no mailbox is flooded: ten in an hour and thirty in a day, by all networks together', async () => {
    const { ask, browser, mails } = withMail()
    const flood = async () => {
      for (let network = 0; network < 15; network++) {
        await ask('ada@example.com', browser(from(`192.0.2.${network}`)))
      }
      return mails.length
    }
    expect(await flood()).toBe(10)
    pass(HOUR)
    expect(await flood()).toBe(20)
    pass(HOUR)
    expect(await flood()).toBe(30)
    pass(HOUR)
    expect(await flood()).toBe(30)
    pass(DAY - 3 * HOUR)
    expect(await flood()).toBe(40)
  })

  it('twenty at once get the same number', async () => {
    const { ask, browser, mails } = withMail()
    const asking = times(20, 0).map(() => ask('ada@example.com', browser(from('192.0.2.1'))))
    const answers = await Promise.all(asking)
    expect(mails).toHaveLength(5)
    expect(answers.filter(({ answer }) => answer.status === 429)).toHaveLength(15)
  })

  it.each([
    ['capitals', 'ADA@EXAMPLE.COM'],
    ['spaces', '  ada@example.com\t'],
    ['wide letters', 'ａｄａ@example.com'],
    ['capitals in the domain', 'ada@Example.Com'],
  ])('%s do not make another address', async (_, spelling) => {
    const { ask, browser, mails } = withMail()
    for (let count = 0; count < 8; count++) {
      await ask(count % 2 ? spelling : 'ada@example.com', browser(from('192.0.2.1')))
    }
    expect(new Set(mails.map(({ identifier }) => identifier))).toEqual(new Set(['ada@example.com']))
    expect(mails).toHaveLength(5)
  })

  it('addresses that normalizeIdentifier makes equal have one count', async () => {
    const { ask, browser, mails } = withMail({
      normalizeIdentifier: (address) => address.replace(/\+[^@]*/, ''),
    })
    for (let count = 0; count < 8; count++) {
      await ask(`ada+${count}@example.com`, browser(from('192.0.2.1')))
    }
    expect(mails).toHaveLength(5)
  })

  it.each([
    ['another address of one /64', (at: number) => from(`2001:db8:1:2::${at + 1}`)],
    ['another spelling', (at: number) => from(at % 2 ? '2001:DB8:1:2::1' : '2001:db8:1:2:0:0:0:1')],
    ['X-Forwarded-For', (at: number) => ({ 'x-forwarded-for': `192.0.2.${at}` })],
    [
      'headers of other proxies',
      (at: number) => ({
        ...from('192.0.2.1'),
        'x-forwarded-for': `198.51.100.${at}`,
        'x-real-ip': `198.51.100.${at}`,
        'true-client-ip': `198.51.100.${at}`,
        forwarded: `for=198.51.100.${at}`,
      }),
    ],
    ['nonsense', (at: number) => from(`nonsense-${at}`)],
    ['two addresses', (at: number) => from(`192.0.2.1, 198.51.100.${at}`)],
  ])('%s do not make another network', async (_, headers) => {
    const { ask, browser, mails } = withMail()
    for (let at = 0; at < 9; at++) await ask('ada@example.com', browser(headers(at)))
    expect(mails).toHaveLength(5)
  })

  it('a request that fails counts as well', async () => {
    const { ask } = withMail({ sendVerificationRequest: () => Promise.reject(new Error('down')) })
    const answers: Response[] = []
    for (let count = 0; count < 7; count++) answers.push((await ask()).answer)
    expect(statuses(answers)).toEqual([302, 302, 302, 302, 302, 429, 429])
  })

  it('a sign-in by link or code gives no more mails', async () => {
    const { ask, mails } = withMail()
    for (let count = 0; count < 8; count++) {
      const { browser, path, flow, code, answer } = await ask()
      if (answer.status !== 302) continue
      if (count % 2) await browser.get(path)
      else await browser.submit('/auth/callback/email', { flow, code })
      expect(await browser.session()).not.toBeNull()
    }
    expect(mails).toHaveLength(5)
  })
})

describe('codes for an address', () => {
  const type = (browser: Browser, flow: string, code: string) =>
    browser.submit('/auth/callback/email', { flow, code })

  it('ten are tried in an hour, with any mails, flows and networks', async () => {
    const { ask, browser } = withMail()
    const codes: string[] = []
    let asking: Awaited<ReturnType<typeof ask>> | undefined
    for (let round = 0; round < 4; round++) {
      const eve = browser(from(`192.0.2.${round}`))
      asking = await ask('ada@example.com', eve)
      for (let guess = 1; guess <= 4; guess++) {
        const answer = await type(eve, asking.flow, wrong(asking.code, guess))
        codes.push(
          answer.status === 429
            ? '429'
            : (new URL(locationOf(answer)).searchParams.get('code') ?? ''),
        )
      }
    }
    expect(codes).toEqual([...times(10, 'wrong_code'), ...times(6, '429')])
    // The right code is refused as well.
    const { browser: eve, flow, code } = asking as NonNullable<typeof asking>
    const right = await type(eve, flow, code)
    expect([right.status, setsSession(right)]).toEqual([429, false])
  })

  it('the page over the limit is the one with the code, with 429, and the link still works', async () => {
    const { ask } = withMail()
    let asked = await ask()
    for (let count = 0; count < 10; count++) {
      if (count === 5) asked = await ask('ada@example.com', asked.browser)
      await type(asked.browser, asked.flow, wrong(asked.code))
    }
    const limited = await type(asked.browser, asked.flow, asked.code)
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, String(HOUR)])
    const page = await limited.text()
    expect(page).toContain('Too many attempts.')
    expect(page).toContain(`value="${asked.flow}"`)
    expect(locationOf(await asked.browser.get(asked.path))).toBe(`${origin}/inbox`)
  })

  it('a hundred at once are ten guesses, of which five count for one mail', async () => {
    const { ask } = withMail()
    const { browser, flow, code } = await ask()
    const csrfToken = await browser.csrfToken()
    const { cookie } = browser
    const guesses = times(100, 0).map((_, at) =>
      browser.post(
        '/auth/callback/email',
        { csrfToken, flow, code: wrong(code, at + 1) },
        { cookie },
      ),
    )
    const answers = await Promise.all(guesses)
    const said = answers.map((answer) =>
      answer.status === 429 ? '429' : new URL(locationOf(answer)).searchParams.get('code'),
    )
    expect(said.filter((word) => word === 'wrong_code')).toHaveLength(4)
    expect(said.filter((word) => word === 'spent_code')).toHaveLength(6)
    expect(said.filter((word) => word === '429')).toHaveLength(90)
  })

  it('thirty are tried in a day', async () => {
    const { ask, browser } = withMail()
    let tried = 0
    for (let hour = 0; hour < 6; hour++) {
      for (let round = 0; round < 3; round++) {
        const eve = browser(from(`192.0.2.${round}`))
        const { flow, code, answer } = await ask('ada@example.com', eve)
        if (answer.status === 429) continue
        for (let guess = 1; guess <= 5; guess++) {
          if ((await type(eve, flow, wrong(code, guess))).status !== 429) tried += 1
        }
      }
      pass(HOUR)
    }
    expect(tried).toBe(30)
  })

  it('a browser without a flow for an address uses up none of its tries', async () => {
    const { ask, browser } = withMail()
    const { flow, code, browser: owner } = await ask()
    const eve = browser()
    for (let count = 0; count < 20; count++) {
      expect((await type(eve, flow, wrong(code, count))).status).toBe(302)
    }
    expect(locationOf(await type(owner, flow, code))).toBe(`${origin}/inbox`)
  })
})

describe('credentials', () => {
  const deployment = (
    options: Partial<CredentialsUserConfig> = {},
    env: Record<string, unknown> = {},
    changes = {},
  ) => {
    const authorize = vi.fn(({ password, username }: Record<string, unknown>) =>
      password === 'right' ? { id: String(username ?? 'somebody') } : null,
    )
    const provider = credentials({
      credentials: { username: {}, password: { type: 'password' } },
      authorize,
      ...options,
    })
    const made = withMail({}, { providers: [provider], ...changes }, { env })
    const attempt = async (
      fields: Record<string, unknown>,
      headers: Record<string, string> = {},
    ) => {
      const browser = made.browser(headers)
      return browser.send('/auth/callback/credentials', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ csrfToken: await browser.csrfToken(), ...fields }),
      })
    }
    return { ...made, attempt, authorize }
  }
  const guess = (username: unknown, more = {}) => ({ username, password: 'wrong', ...more })

  it('ten wrong passwords in a quarter of an hour; then authorize is no longer called', async () => {
    const { attempt, authorize } = deployment()
    for (let count = 0; count < 10; count++) {
      expect((await attempt(guess('ada'))).status).toBe(302)
    }
    const limited = await attempt({ username: 'ada', password: 'right' })
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '900'])
    expect(await limited.text()).toContain('Too many attempts.')
    expect(authorize).toHaveBeenCalledTimes(10)
    expect((await attempt(guess('grace'))).status).toBe(302)
    pass(900)
    expect(setsSession(await attempt({ username: 'ada', password: 'right' }))).toBe(true)
  })

  it('fifty at once are ten tries', async () => {
    const { attempt, authorize } = deployment()
    const answers = await Promise.all(times(50, 0).map(() => attempt(guess('ada'))))
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(40)
    expect(authorize).toHaveBeenCalledTimes(10)
  })

  it('a stranger who guesses without end on another network does not lock the owner out', async () => {
    const { attempt } = deployment({}, { RATE_LIMIT: rateLimit(30) })
    for (let count = 0; count < 35; count++) await attempt(guess('ada'), from('192.0.2.66'))
    const owner = await attempt({ username: 'ada', password: 'right' }, from('192.0.2.1'))
    expect(setsSession(owner)).toBe(true)
  })

  it('a hundred tries in an hour by all networks together', async () => {
    const { attempt, authorize } = deployment()
    for (let network = 0; network < 11; network++) {
      for (let count = 0; count < 10; count++) {
        await attempt(guess('ada'), from(`192.0.2.${network}`))
      }
    }
    expect(authorize).toHaveBeenCalledTimes(100)
  })

  it('a right password ends the count of that person and of no other', async () => {
    const { attempt } = deployment()
    const right = { username: 'eve', password: 'right' }
    for (let count = 0; count < 9; count++) {
      await attempt(guess('ada'))
      await attempt(guess('eve'))
    }
    expect(setsSession(await attempt(right))).toBe(true)
    expect((await attempt(guess('ada'))).status).toBe(302)
    expect((await attempt(guess('ada'))).status).toBe(429)
    for (let count = 0; count < 10; count++) {
      expect((await attempt(guess('eve'))).status).toBe(302)
    }
    expect((await attempt(guess('eve'))).status).toBe(429)
  })

  it.each<[string, (at: number) => unknown]>([
    ['capitals', (at) => (at % 2 ? 'ADA' : 'ada')],
    ['spaces', (at) => `${' '.repeat(at)}a d a${'\t'.repeat(at)}`],
    ['characters that cannot be seen', (at) => `a${'\u200b'.repeat(at)}da${'\u0000'.repeat(at)}`],
    ['soft hyphens and joiners', (at) => `ad${'\u00ad\u2060'.repeat(at)}a`],
    ['letters that cannot be seen', (at) => `a${'\u3164'.repeat(at)}da${'\u115f'.repeat(at)}`],
    ['letters that capitals make the same', (at) => ['strasse', 'straße', 'STRAẞE'][at % 3]],
    ['a dotless i', (at) => ['idi', 'ıdi', 'IDI'][at % 3]],
    ['wide letters', (at) => (at % 2 ? 'ａｄａ' : 'ada')],
    ['accents, which many databases overlook', (at) => ['ada', 'ádá', 'àda', 'a\u0301da'][at % 4]],
    ['an array', (at) => (at % 2 ? ['ada'] : 'ada')],
    ['arrays in arrays', (at) => Array.from({ length: at }).reduce((inner) => [inner], 'ada')],
  ])('%s do not make another person', async (_, spelling) => {
    const { attempt, authorize } = deployment()
    for (let at = 0; at < 16; at++) await attempt(guess(spelling(at)))
    expect(authorize).toHaveBeenCalledTimes(10)
  })

  it.each<[string, (at: number) => unknown]>([
    ['objects, such as operators of a database', (at) => ({ $gt: String(at) })],
    ['objects that are not text', (at) => ({ toString: at, valueOf: null })],
    ['arrays of such', (at) => [{ toString: at }]],
  ])('%s are one person, and no failure', async (_, spelling) => {
    const { attempt, authorize } = deployment()
    const answers: Response[] = []
    for (let at = 0; at < 12; at++) answers.push(await attempt(guess(spelling(at))))
    expect(statuses(answers)).toEqual([...times(10, 302), 429, 429])
    expect(authorize).toHaveBeenCalledTimes(10)
  })

  it('60 kB of combining marks in the place of a name block no request: none are put in order', async () => {
    const { attempt } = deployment()
    const normalize = vi.spyOn(String.prototype, 'normalize')
    // Each pair is out of the canonical order (UAX 15): 1.4 seconds for one request.
    await attempt(guess(`ada${'\u0301\u0316'.repeat(15_000)}`))
    const given = normalize.mock.contexts.map(String)
    normalize.mockRestore()
    expect(given).toContain('ADA')
    expect(given.filter((text) => /\p{M}{2}/u.test(text))).toEqual([])
  })

  it('a mark whose capital is a letter makes no other person', async () => {
    const { attempt, authorize } = deployment()
    const spellings = ['\u1fb3da', '\u03b1\u0345da', '\u1fbcDA', '\u03b1\u03b9da']
    for (let at = 0; at < 16; at++) await attempt(guess(spellings[at % 4]))
    expect(authorize).toHaveBeenCalledTimes(10)
  })

  it('extra fields that the form does not have change nothing', async () => {
    const { attempt, authorize } = deployment()
    for (let at = 0; at < 14; at++) {
      const extra = { [`x${at}`]: at, user: `u${at}`, email: `${at}@example.com`, Username: at }
      await attempt(guess('ada', extra))
    }
    expect(authorize).toHaveBeenCalledTimes(10)
  })

  it('in a form with two names neither hides the other', async () => {
    const { attempt, authorize } = deployment({
      credentials: { username: {}, email: { type: 'email' }, password: { type: 'password' } },
    })
    for (let at = 0; at < 12; at++) await attempt(guess('ada', { email: `${at}@example.com` }))
    expect(authorize).toHaveBeenCalledTimes(10)
    for (let at = 0; at < 12; at++) await attempt(guess(`u${at}`, { email: 'grace@example.com' }))
    expect(authorize).toHaveBeenCalledTimes(20)
  })

  it.each([
    [{ username: {}, email: { type: 'email' } }],
    [{ email: { type: 'email' }, username: {} }],
  ])(
    'in such a form a sign-in does not end the count of the other person named: %o',
    async (names) => {
      const { attempt } = deployment({
        credentials: { ...names, password: { type: 'password' } },
      })
      const named = { email: 'ada@example.com' }
      const answers: number[] = []
      for (let round = 0; round < 4; round++) {
        for (let at = 0; at < 4; at++) {
          answers.push((await attempt(guess(`u${round}${at}`, named))).status)
        }
        await attempt({ username: `eve${round}`, password: 'right', ...named })
      }
      expect(answers).toEqual([...times(8, 302), ...times(8, 429)])
    },
  )

  it('a name counts before an account, which a whole company may share', async () => {
    const { attempt } = deployment({
      credentials: { account: {}, username: {}, password: { type: 'password' } },
    })
    for (let at = 0; at < 15; at++) {
      expect((await attempt(guess(`u${at}`, { account: 'company' }))).status).toBe(302)
    }
  })

  it.each([
    ['with the type email', { nick: {}, contact: { type: 'email' } }, 'contact'],
    ['named account, if there is no other', { branch: {}, account: {} }, 'account'],
    ['that comes first, if none says who it is', { membership: {}, branch: {} }, 'membership'],
  ])('the field %s names the person', async (_, fields, name) => {
    const { attempt, authorize } = deployment({
      credentials: { ...fields, password: { type: 'password' } },
    })
    const vary = (at: number) =>
      Object.fromEntries(Object.keys(fields).map((each) => [each, `${each}-${at}`]))
    for (let at = 0; at < 14; at++) await attempt({ ...vary(at), [name]: 'ada', password: 'x' })
    expect(authorize).toHaveBeenCalledTimes(10)
    expect((await attempt({ ...vary(99), password: 'x' })).status).toBe(302)
  })

  it('if the config names no fields, each field that names a person counts', async () => {
    const { attempt, authorize } = deployment({ credentials: {} })
    for (let at = 0; at < 14; at++) await attempt(guess('ada', { login: `l${at}`, user: `u${at}` }))
    expect(authorize).toHaveBeenCalledTimes(10)
  })

  it('more fields than any form has count as one person', async () => {
    const { attempt, authorize } = deployment({ credentials: {} })
    for (let at = 0; at < 14; at++) {
      const names = ['user', 'User', 'uSer', 'login', 'Login', 'email']
      const extra = Object.fromEntries(names.map((name, index) => [name, `p${index}-${at}`]))
      await attempt(guess('ada', extra), from(`192.0.2.${at % 2}`))
    }
    expect(authorize).toHaveBeenCalledTimes(14)
    for (let at = 0; at < 14; at++) {
      const names = ['user', 'User', 'uSer', 'login', 'Login', 'email']
      const extra = Object.fromEntries(names.map((name, index) => [name, `p${index}-${at}`]))
      await attempt(guess('ada', extra), from(`192.0.2.${at % 2}`))
    }
    expect(authorize).toHaveBeenCalledTimes(20)
    expect((await attempt(guess('ada'), from('192.0.2.1'))).status).toBe(302)
  })

  it.each(['__proto__', 'constructor', 'toString'])('a field named %s is a field', async (name) => {
    const { attempt } = deployment({ credentials: {} })
    const answer = await attempt(JSON.parse(`{"${name}":{"type":"email"},"password":"wrong"}`))
    expect(answer.status).toBe(302)
  })

  it('if no person is named, a stranger does not lock all users out', async () => {
    const { attempt, authorize } = deployment(
      { credentials: { pin: { type: 'password' } } },
      { RATE_LIMIT: rateLimit(30) },
    )
    for (let count = 0; count < 35; count++) {
      await attempt({ pin: String(count) }, from('192.0.2.66'))
    }
    expect(authorize).toHaveBeenCalledTimes(10)
    // More attempts than all networks together have for a named person.
    for (let network = 100; network < 110; network++) {
      for (let count = 0; count < 10; count++) {
        await attempt({ pin: String(count) }, from(`192.0.2.${network}`))
      }
    }
    expect(authorize).toHaveBeenCalledTimes(110)
    expect(setsSession(await attempt({ password: 'right' }, from('192.0.2.1')))).toBe(true)
  })

  it('two providers with one ledger count apart', async () => {
    const authorize = () => null
    const both = ['one', 'two'].map((id) =>
      credentials({ id, credentials: { username: {} }, authorize }),
    )
    const { browser } = withMail({}, { providers: both })
    const where = browser()
    for (let count = 0; count < 11; count++) {
      await where.submit('/auth/callback/one', { username: 'ada' })
    }
    expect((await where.submit('/auth/callback/one', { username: 'ada' })).status).toBe(429)
    expect((await where.submit('/auth/callback/two', { username: 'ada' })).status).toBe(302)
  })

  it('a ledger that does not answer allows no try', async () => {
    const { store, faults } = faulty()
    faults.set('admit', fails)
    const { attempt, authorize } = deployment({}, {}, { store })
    const answer = await attempt({ username: 'ada', password: 'right' })
    expect([answer.status, setsSession(answer)]).toEqual([503, false])
    expect(authorize).not.toHaveBeenCalled()
  })
})

describe('the binding RATE_LIMIT', () => {
  it('counts networks, never addresses, whose owner a stranger could lock out', async () => {
    const binding = rateLimit()
    const { ask, browser } = withMail({}, {}, { env: { RATE_LIMIT: binding } })
    const asked = await ask('ada@example.com', browser(from('192.0.2.1')))
    await asked.browser.submit('/auth/callback/email', { flow: asked.flow, code: '' })
    await ask('ada@example.com', browser(from('2001:db8:1:2:3::4')))
    expect([...binding.counts]).toEqual([
      ['email:192.0.2.1', 2],
      ['email:2001:db8:1:2::/64', 1],
    ])
  })

  it('limits the requests of one network for many addresses', async () => {
    const { ask, browser, mails } = withMail({}, {}, { env: { RATE_LIMIT: rateLimit(3) } })
    const answers: Response[] = []
    for (let at = 0; at < 5; at++) {
      answers.push((await ask(`p${at}@example.com`, browser(from(`2001:db8::${at}`)))).answer)
    }
    expect(statuses(answers)).toEqual([302, 302, 302, 429, 429])
    expect(answers[4]?.headers.get('retry-after')).toBe('60')
    expect(mails).toHaveLength(3)
    expect((await ask('p@example.com', browser(from('192.0.2.1')))).answer.status).toBe(302)
  })

  it('counts by address if there is no network, so that no request passes uncounted', async () => {
    const { ask, mails } = withMail({}, {}, { env: { RATE_LIMIT: rateLimit(2) } })
    for (let count = 0; count < 4; count++) await ask()
    expect(mails).toHaveLength(2)
    await ask('grace@example.com')
    expect(mails).toHaveLength(3)
  })

  it('keeps refused requests from the ledger', async () => {
    const { ask, store } = withMail({}, {}, { env: { RATE_LIMIT: rateLimit(0) } })
    const admit = vi.spyOn(store.ledger, 'admit')
    expect((await ask()).answer.status).toBe(429)
    expect(admit).not.toHaveBeenCalled()
  })

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('down')
      },
    ],
    ['rejects', () => Promise.reject(new Error('down'))],
    ['hangs', () => new Promise(() => {})],
    ['answers nothing', () => Promise.resolve()],
  ])('that %s is a 503, so that breaking the counter gains nothing', async (_, limit) => {
    const { ask, mails } = withMail({}, {}, { env: { RATE_LIMIT: { limit } } })
    expect((await ask()).answer.status).toBe(503)
    expect(mails).toEqual([])
  })

  it('that answers anything but success refuses', async () => {
    const env = { RATE_LIMIT: { limit: async () => ({}) } }
    const { ask, mails } = withMail({}, {}, { env })
    expect((await ask()).answer.status).toBe(429)
    expect(mails).toEqual([])
  })
})

describe('without that binding, as on Node', () => {
  const guessing = (config: Partial<AuthConfig> = {}) => {
    const authorize = vi.fn(({ password, username }: Record<string, unknown>) =>
      password === 'right' ? { id: String(username) } : null,
    )
    const provider = credentials({ credentials: { username: {}, password: {} }, authorize })
    const made = withMail({}, { providers: [provider], ...config })
    const attempt = (username: string, password: string, network: string) =>
      made.browser(from(network)).submit('/auth/callback/credentials', { username, password })
    return { authorize, attempt }
  }

  it('a thousand accounts tried from one network are thirty in a minute', async () => {
    const { attempt, authorize } = guessing()
    const answers: Response[] = []
    for (let at = 0; at < 1_000; at++) {
      answers.push(await attempt(`u${at}`, 'wrong', `2001:db8:1:2::${at % 10}`))
    }
    expect(authorize).toHaveBeenCalledTimes(30)
    expect(statuses(answers.slice(30))).toEqual(times(970, 429))
    expect(answers[999]?.headers.get('retry-after')).toBe('60')
    expect((await attempt('ada', 'wrong', '2001:db8:1:3::1')).status).toBe(302)
    pass(60)
    expect((await attempt('ada', 'wrong', '2001:db8:1:2::1')).status).toBe(302)
  })

  it('600 mails asked for at once by one network are thirty', async () => {
    const { ask, browser, mails } = withMail()
    await Promise.all(
      times(600, 0).map((_, at) => ask(`p${at}@example.com`, browser(from('192.0.2.1')))),
    )
    expect(mails).toHaveLength(30)
    await ask('ada@example.com', browser(from('192.0.2.2')))
    expect(mails).toHaveLength(31)
  })

  it('right passwords do not count: a school signs in behind one address', async () => {
    const { attempt } = guessing()
    for (let at = 0; at < 100; at++) {
      expect(setsSession(await attempt(`u${at}`, 'right', '192.0.2.1'))).toBe(true)
    }
  })

  it('clients with an unknown network share a count, ten times as large', async () => {
    const { attempt, authorize } = guessing()
    for (let at = 0; at < 320; at++) await attempt(`u${at}`, 'wrong', 'unknown')
    expect(authorize).toHaveBeenCalledTimes(300)
    expect((await attempt('ada', 'wrong', '192.0.2.1')).status).toBe(302)
  })

  it('a configuration and a store that are made for each request begin no new count', async () => {
    const authorize = vi.fn(() => null)
    const config = configWith({
      providers: [credentials({ credentials: { username: {} }, authorize })],
    })
    const auth = createAuth(() => ({ ...config, store: memoryStore() }))
    for (let at = 0; at < 50; at++) {
      const browser = new Browser(config, { answer: (request) => auth.fetch(request) })
      await browser.submit('/auth/callback/credentials', { username: `u${at}` }, from('192.0.2.1'))
    }
    expect(authorize).toHaveBeenCalledTimes(30)
  })
})
