import { describe, expect, it } from 'vitest'
import { AuthenticatorApp, fieldOn, keyOn } from '../../../../test/support/authenticator-app.js'
import { clock } from '../../../../test/support/clock.js'
import { memoryStore } from '../../stores/memory.js'
import {
  Browser,
  claimsIn,
  errorOf,
  locationOf,
  origin,
  setsSession,
} from '../../test-support/browser.js'
import { people } from '../../test-support/people.js'
import { setUpFactor } from '../../test-support/set-up-factor.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1, 10) + 990 })

/** A later step of the apps, since each code works once. */
const later = () => pass(30)

const JSON_CALLER = { 'x-auth-return-redirect': '1' }

describe('a sign-in of a user with a second factor', () => {
  it('makes no session until a code of the app is there, and then says how they signed in', async () => {
    const { signIn, browser, subOf } = people()
    const ada = await signIn('one', 'ada')
    const { app } = await setUpFactor(ada)
    later()
    const other = browser()
    const first = await other.signIn('one', 'ada')
    expect([first.status, locationOf(first)]).toEqual([302, `${origin}/auth/factor`])
    expect(setsSession(first)).toBe(false)
    expect(await other.session()).toBeNull()
    const page = await other.get('/auth/factor')
    expect(page.status).toBe(200)
    expect(await page.text()).toContain('ada at one')
    const second = await other.submit('/auth/factor', { code: app.code() })
    expect([second.status, locationOf(second)]).toEqual([302, `${origin}/inbox`])
    expect(claimsIn(other)).toMatchObject({ sub: subOf(ada), amr: ['one', 'otp', 'mfa'] })
    expect((await other.session())?.user).toMatchObject({ name: 'ada at one' })
  })

  it('has a field for recovery codes behind a link, which a mistake leads back to', async () => {
    const { signIn, browser } = people()
    const { codes } = await setUpFactor(await signIn('one', 'ada'))
    later()
    const other = browser()
    await other.signIn('one', 'ada')
    const page = await (await other.get('/auth/factor')).text()
    expect(page).toMatch(/<input id="code" name="code" class="code"[^>]* inputmode="numeric"/)
    expect(page).toContain('href="/auth/factor?by=recovery"')
    const field = await (await other.get('/auth/factor?by=recovery')).text()
    expect(field).toMatch(
      /<label for="code">Recovery code<\/label><input id="code" name="code" class="mono"/,
    )
    expect(field).toContain('action="/auth/factor?by=recovery"')
    const wrong = await other.submit('/auth/factor?by=recovery', { code: 'aaaa-bbbb-cccc-dddd' })
    expect(new URL(locationOf(wrong)).search).toBe(
      '?by=recovery&error=CredentialsSignin&code=wrong_code',
    )
    const right = await other.submit('/auth/factor?by=recovery', { code: codes[0] })
    expect(locationOf(right)).toBe(`${origin}/inbox`)
  })

  it('tells a caller that wants JSON where to go', async () => {
    const { signIn, browser } = people()
    const { app } = await setUpFactor(await signIn('email', 'ada@mail.example'))
    later()
    const other = browser()
    await signIn('email', 'ada@mail.example', other)
    const wrong = await other.submit('/auth/factor', { code: '000000' }, JSON_CALLER)
    const url = `${origin}/auth/factor?error=CredentialsSignin&code=wrong_code`
    expect([wrong.status, await wrong.json()]).toEqual([
      401,
      { url, error: 'CredentialsSignin', code: 'wrong_code' },
    ])
    const right = await other.submit('/auth/factor', { code: app.code() }, JSON_CALLER)
    expect([right.status, await right.json()]).toEqual([200, { url: `${origin}/` }])
    expect(await other.session()).not.toBeNull()
  })

  it.each([
    ['spaces', (code: string) => ` ${code.slice(0, 3)} ${code.slice(3)}\t`],
    ['the step before', (_: string, app: AuthenticatorApp) => app.code(-1)],
    ['the step after', (_: string, app: AuthenticatorApp) => app.code(1)],
  ])('takes a code with %s', async (_, typed) => {
    const { signIn, browser } = people()
    const { app } = await setUpFactor(await signIn('one', 'ada'))
    pass(90)
    const other = browser()
    await other.signIn('one', 'ada')
    await other.submit('/auth/factor', { code: typed(app.code(), app) })
    expect(await other.session()).not.toBeNull()
  })

  it('takes no code that was used, nor one of a step before it: not in another sign-in either', async () => {
    const { signIn, browser } = people()
    const { app } = await setUpFactor(await signIn('one', 'ada'))
    const tryCode = async (code: string) => {
      const other = browser()
      await other.signIn('one', 'ada')
      await other.submit('/auth/factor', { code })
      return (await other.session()) !== null
    }
    // The code by which it was set up.
    expect(await tryCode(app.code())).toBe(false)
    pass(60)
    const [before, now] = [app.code(-1), app.code()]
    expect(await tryCode(now)).toBe(true)
    expect(await tryCode(now)).toBe(false)
    expect(await tryCode(before)).toBe(false)
    later()
    expect(await tryCode(app.code())).toBe(true)
  })

  it.each([
    (code: string) => code,
    (code: string) => code.toLowerCase().replaceAll('-', ''),
    (code: string) => ` ${code.replaceAll('-', ' ')} `,
  ])('takes a recovery code in any spelling, once (%#)', async (spelt) => {
    const { signIn, browser, lines } = people()
    const ada = await signIn('one', 'ada')
    const { codes } = await setUpFactor(ada)
    expect(codes).toHaveLength(10)
    const tryCode = async (code = '') => {
      const other = browser()
      await other.signIn('one', 'ada')
      await other.submit('/auth/factor', { code })
      return other
    }
    const other = await tryCode(spelt(codes[3] ?? ''))
    expect(claimsIn(other).amr).toEqual(['one', 'otp', 'mfa'])
    expect(await (await tryCode(codes[3])).session()).toBeNull()
    expect(await (await tryCode(codes[4])).session()).not.toBeNull()
    const used = lines.filter((line) => (line as { event: string }).event === 'recovery-code-used')
    expect(used).toHaveLength(2)
    expect(JSON.stringify(lines)).not.toContain(codes[3])
  })

  it('a wrong code leads back to the page, which says so; the sign-in goes on waiting', async () => {
    const { signIn, browser } = people()
    const { app } = await setUpFactor(await signIn('one', 'ada'))
    later()
    const other = browser()
    await other.signIn('one', 'ada')
    const wrong = await other.submit('/auth/factor', { code: '1234567' })
    expect(errorOf(wrong)).toBe('/auth/factor CredentialsSignin wrong_code')
    expect(
      await (await other.get('/auth/factor?error=CredentialsSignin&code=wrong_code')).text(),
    ).toContain('That code is wrong')
    await other.submit('/auth/factor', { code: app.code() })
    expect(await other.session()).not.toBeNull()
  })

  it('is asked for whatever the way: that of the start, and those that were added before or after', async () => {
    const { signIn, add, browser, subOf } = people()
    const ada = await signIn('email', 'ada@mail.example')
    await add(ada, 'one', 'a')
    await setUpFactor(ada)
    await add(ada, 'two', 'b')
    for (const [provider, account] of [
      ['email', 'ada@mail.example'],
      ['one', 'a'],
      ['two', 'b'],
    ] as const) {
      const other = browser()
      await signIn(provider, account, other)
      expect(await other.session()).toBeNull()
      expect((await other.get('/auth/factor')).status).toBe(200)
    }
    // Other users are not asked.
    expect(subOf(await signIn('one', 'bob'))).not.toBe(subOf(ada))
  })

  it('goes on to its target, also to an error page of its own', async () => {
    const { signIn, browser } = people()
    await setUpFactor(await signIn('one', 'ada'))
    const other = browser()
    const none = await other.submit('/auth/factor', { code: '123456' })
    expect(errorOf(none)).toBe('/auth/signin InvalidCheck')
    expect(errorOf(await other.get('/auth/factor'))).toBe('/auth/signin InvalidCheck')
  })
})

describe('the sign-in that waits', () => {
  async function waiting(changes = {}) {
    const world = people(changes)
    const ada = await world.signIn('one', 'ada')
    const { app, codes } = await setUpFactor(ada)
    later()
    const other = world.browser()
    await other.signIn('one', 'ada')
    return { ...world, ada, app, codes, other }
  }

  it('attack: it is used from another browser, which has its csrf token and code but not its cookie', async () => {
    const { app, other, browser } = await waiting()
    const thief = browser()
    const id = fieldOn(await (await other.get('/auth/factor')).text(), 'flow')
    expect(id).toMatch(/^[0-9a-z]{9}-/)
    const answer = await thief.submit('/auth/factor', { flow: id, code: app.code() })
    expect(errorOf(answer)).toBe('/auth/signin InvalidCheck')
    expect(await thief.session()).toBeNull()
    // The code was not even judged.
    await other.submit('/auth/factor', { code: app.code() })
    expect(await other.session()).not.toBeNull()
  })

  it('attack: it is used twice, by a copy of the browser with a code of its own', async () => {
    const { app, other, copyOf } = await waiting()
    const copy = copyOf(other)
    await other.submit('/auth/factor', { code: app.code() })
    expect(await other.session()).not.toBeNull()
    later()
    const again = await copy.submit('/auth/factor', { code: app.code() })
    expect(errorOf(again)).toBe('/auth/signin InvalidCheck')
    expect(await copy.session()).toBeNull()
  })

  it('the same form that is sent again ends like the first, and makes no second session', async () => {
    const { app, other, copyOf } = await waiting()
    const before = new Map(other.jar)
    const code = app.code()
    await other.submit('/auth/factor', { code })
    const { sid } = claimsIn(other)
    for (const [name, value] of before) if (name.includes('flow')) other.jar.set(name, value)
    const again = await other.submit('/auth/factor', { code })
    expect([again.status, locationOf(again)]).toEqual([302, `${origin}/inbox`])
    expect(claimsIn(other).sid).toBe(sid)
    const nobody = copyOf(other)
    nobody.jar.delete('auth.session-token')
    expect(errorOf(await nobody.submit('/auth/factor', { code }))).toBe('/auth/signin InvalidCheck')
  })

  it('attack: it is completed after the person has signed out everywhere', async () => {
    const { ada, app, other } = await waiting()
    await ada.submit('/auth/sessions/revoke', { session: 'all' })
    const answer = await other.submit('/auth/factor', { code: app.code() })
    expect(errorOf(answer)).toBe('/auth/signin InvalidCheck')
    expect(await other.session()).toBeNull()
  })

  it('attack: it is completed with a way that was removed meanwhile', async () => {
    const world = people()
    const ada = await world.signIn('one', 'ada')
    await world.add(ada, 'two', 'x')
    const { app } = await setUpFactor(ada)
    later()
    for (const [provider, account] of [
      ['two', 'x'],
      ['one', 'ada'],
    ] as const) {
      const other = world.browser()
      await other.signIn(provider, account)
      const listed = await world.ways(ada)
      const { id = '' } = listed.find((way) => way.provider === provider) ?? {}
      if (provider === 'one') await world.add(ada, 'two', 'y')
      await world.remove(ada, id)
      later()
      const answer = await other.submit('/auth/factor', { code: app.code() })
      expect(errorOf(answer)).toBe('/auth/signin InvalidCheck')
      expect(await other.session()).toBeNull()
    }
  })

  it('attack: it is completed after its person was erased, and no count of theirs is left either', async () => {
    const { ada, app, other, config, inner } = await waiting({ accountDeletion: true })
    const { sub } = claimsIn(ada)
    expect((await ada.submit('/auth/account/delete')).status).toBe(302)
    const answer = await other.submit('/auth/factor', { code: app.code() })
    expect(errorOf(answer)).toBe('/auth/signin InvalidCheck')
    expect(await other.session()).toBeNull()
    expect(config.store).toBeDefined()
    expect(await inner.ledger.document(`person\n${sub}`)).toBeUndefined()
    expect(await inner.ledger.admit(`factor:${sub}`, [{ name: 'codes', max: 1, period: 60 }])).toBe(
      0,
    )
  })

  it('ends after ten minutes', async () => {
    const { app, other } = await waiting()
    pass(10 * 60)
    const answer = await other.submit('/auth/factor', { code: app.code() })
    expect(errorOf(answer)).toBe('/auth/signin InvalidCheck')
  })

  it('attack: the callback is called again to skip the factor', async () => {
    const world = people()
    await setUpFactor(await world.signIn('one', 'ada'))
    const other = world.browser()
    const consent = await other.start('one')
    const before = new Map(other.jar)
    const back = `/auth/callback/one?code=ada&state=${consent.searchParams.get('state')}`
    expect(locationOf(await other.get(back))).toBe(`${origin}/auth/factor`)
    for (const [name, value] of before) other.jar.set(name, value)
    expect(errorOf(await other.get(back))).toBe('/auth/signin InvalidCheck')
    expect(await other.session()).toBeNull()
  })

  it('attack: its cookie is brought to a provider’s callback, and a provider’s to it', async () => {
    const { other } = await waiting()
    const id = fieldOn(await (await other.get('/auth/factor')).text(), 'flow')
    for (const path of [
      `/auth/callback/one?code=ada&state=${id}.x`,
      `/auth/verify-request?provider=email&flow=${id}`,
      `/auth/callback/factor?code=ada&state=${id}.x`,
    ]) {
      const answer = await other.get(path)
      expect(setsSession(answer)).toBe(false)
    }
    const starter = other
    const state = (await starter.start('one')).searchParams.get('state') ?? ''
    const flow = state.split('.', 1)[0]
    expect(errorOf(await starter.submit('/auth/factor', { flow, code: '123456' }))).toBe(
      '/auth/signin InvalidCheck',
    )
  })

  it('attack: csrf: a form of another site, or without the token, tries no code', async () => {
    const { other, app, calls } = await waiting()
    const csrfToken = await other.csrfToken()
    calls.length = 0
    const foreign = await other.post(
      '/auth/factor',
      { csrfToken, code: app.code() },
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    )
    expect(errorOf(foreign)).toBe('/auth/signin MissingCSRF')
    expect(errorOf(await other.post('/auth/factor', { code: app.code() }))).toBe(
      '/auth/signin MissingCSRF',
    )
    expect(calls).toEqual([])
  })

  it('attack: session fixation: the session that was there before is ended, not gone on with', async () => {
    const { app, config, signIn } = await waiting()
    const victim = await signIn('two', 'mallory')
    const planted = claimsIn(victim).sid
    const thief = new Browser(config)
    for (const [name, value] of victim.jar) thief.jar.set(name, value)
    await victim.signIn('one', 'ada')
    await victim.submit('/auth/factor', { code: app.code() })
    expect(claimsIn(victim).sid).not.toBe(planted)
    pass(6 * 60)
    expect(await thief.session()).toBeNull()
  })

  it('keeps nothing readable in the ledger, and no password at all', async () => {
    const { calls } = await waiting()
    const stored = JSON.stringify(calls.filter(({ name }) => name === 'startVerification'))
    expect(stored).toContain('factor:')
    expect(stored).not.toMatch(/ada|the-client|access_token/)
  })

  it('the app gets the same event at the end as without the factor', async () => {
    const told: unknown[] = []
    const world = people({
      callbacks: {
        jwt: ({ token, user, account, profile, trigger }) => {
          if (trigger === 'signIn') told.push({ user, account, profile })
          return token
        },
      },
      events: { signIn: (message) => void told.push(message) },
    })
    await world.signIn('one', 'ada')
    // No person is new twice.
    told.length = 0
    const ada = await world.signIn('one', 'ada')
    const { app } = await setUpFactor(ada)
    later()
    const other = world.browser()
    await other.signIn('one', 'ada')
    expect(told).toHaveLength(2)
    await other.submit('/auth/factor', { code: app.code() })
    expect(told.slice(2)).toEqual(told.slice(0, 2))
  })
})

describe('limits', () => {
  it('the eleventh wrong code of a network in a quarter of an hour is 429, and shows the page', async () => {
    const { signIn, browser } = people()
    const { app } = await setUpFactor(await signIn('one', 'ada'))
    const other = browser()
    await other.signIn('one', 'ada')
    const from = { 'cf-connecting-ip': '192.0.2.1' }
    for (let tries = 0; tries < 10; tries++) {
      const answer = await other.submit('/auth/factor', { code: '000000' }, from)
      expect(errorOf(answer)).toBe('/auth/factor CredentialsSignin wrong_code')
    }
    later()
    const answer = await other.submit('/auth/factor', { code: app.code() }, from)
    expect([answer.status, Number(answer.headers.get('retry-after'))]).toEqual([429, 870])
    expect(await answer.text()).toContain('Too many attempts')
    expect(await other.session()).toBeNull()
    const elsewhere = await other.submit(
      '/auth/factor',
      { code: app.code() },
      { 'cf-connecting-ip': '192.0.2.2' },
    )
    expect(elsewhere.status).toBe(302)
    expect(await other.session()).not.toBeNull()
  })

  it('attack: wrong codes are counted before they are judged, so many at once cannot pass', async () => {
    const { signIn, browser } = people()
    await setUpFactor(await signIn('one', 'ada'))
    const other = browser()
    await other.signIn('one', 'ada')
    const csrfToken = await other.csrfToken()
    const tries = Array.from({ length: 40 }, (_, at) =>
      other.post(
        '/auth/factor',
        { csrfToken, code: String(at).padStart(6, '0') },
        { 'cf-connecting-ip': '192.0.2.1' },
      ),
    )
    const statuses = (await Promise.all(tries)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 302).length).toBeLessThanOrEqual(10)
  })

  it('a person’s tries are counted over all networks: thirty an hour', async () => {
    const { signIn, browser } = people()
    await setUpFactor(await signIn('one', 'ada'))
    const other = browser()
    await other.signIn('one', 'ada')
    const statuses: number[] = []
    for (let tries = 0; tries < 31; tries++) {
      const from = { 'cf-connecting-ip': `203.0.113.${tries}` }
      statuses.push((await other.submit('/auth/factor', { code: '000000' }, from)).status)
    }
    expect(statuses).toEqual([...Array(30).fill(302), 429])
  })

  it('a browser that has signed in before is not locked out by a person with the first factor alone', async () => {
    const { signIn, browser, copyOf } = people()
    const { app } = await setUpFactor(await signIn('one', 'ada'))
    later()
    const own = browser()
    await own.signIn('one', 'ada')
    await own.submit('/auth/factor', { code: app.code() })
    const thief = browser()
    await thief.signIn('one', 'ada')
    for (let tries = 0; tries < 31; tries++) {
      const from = { 'cf-connecting-ip': `192.0.2.${tries}` }
      await thief.submit('/auth/factor', { code: '000000' }, from)
    }
    later()
    const known = copyOf(own)
    known.jar.delete('auth.session-token')
    await known.signIn('one', 'ada')
    await known.submit('/auth/factor', { code: app.code() })
    expect(await known.session()).not.toBeNull()
  })
})

describe('each code works once, among any number of tries', () => {
  const isolates = (world: ReturnType<typeof people>, count: number) =>
    Array.from({ length: count }, () => ({
      ...world.config,
      providers: [...world.config.providers],
    }))

  it.each(['of the app', 'for recovery'])(
    'under 200 parallel tries in four isolates: a code %s',
    async (which) => {
      const world = people({ store: memoryStore() })
      const { app, codes } = await setUpFactor(await world.signIn('one', 'ada'))
      later()
      const code = which === 'of the app' ? app.code() : (codes[0] ?? '')
      const configs = isolates(world, 4)
      // Each has a sign-in of its own that waits, and a network of its own.
      const browsers = await Promise.all(
        Array.from({ length: 200 }, async (_, at) => {
          const one = new Browser(configs[at % 4] ?? world.config)
          await one.signIn('one', 'ada')
          return { one, csrfToken: await one.csrfToken(), at }
        }),
      )
      // No more than thirty are judged in an hour, and each of these but one is wrong.
      await Promise.all(
        browsers.map(({ one, csrfToken, at }) =>
          one.post('/auth/factor', { csrfToken, code }, { 'cf-connecting-ip': `198.51.100.${at}` }),
        ),
      )
      const sessions = await Promise.all(browsers.map(({ one }) => one.session()))
      expect(sessions.filter(Boolean)).toHaveLength(1)
    },
  )
})

describe('secondFactor of the configuration', () => {
  it('has a user set a second factor up before they are signed in', async () => {
    const asked: unknown[] = []
    const world = people({
      secondFactor: (person) => asked.push(person) > 0,
    })
    const ada = world.browser()
    const first = await ada.signIn('one', 'ada')
    expect(locationOf(first)).toBe(`${origin}/auth/factor/setup`)
    expect(await ada.session()).toBeNull()
    expect(asked).toEqual([
      {
        sub: expect.any(String),
        user: expect.objectContaining({ name: 'ada at one' }),
        amr: ['one'],
      },
    ])
    expect(locationOf(await ada.get('/auth/factor'))).toBe(`${origin}/auth/factor/setup`)
    const page = await ada.get('/auth/factor/setup')
    expect(page.status).toBe(200)
    const { app, codes, page: shown } = await setUpFactor(ada)
    expect(codes).toHaveLength(10)
    expect(shown).toContain(`href="${origin}/inbox"`)
    expect(claimsIn(ada).amr).toEqual(['one', 'otp', 'mfa'])
    expect((await ada.session())?.user).toMatchObject({ name: 'ada at one' })
    later()
    const other = world.browser()
    await other.signIn('one', 'ada')
    expect(await other.session()).toBeNull()
    await other.submit('/auth/factor', { code: app.code() })
    expect(await other.session()).not.toBeNull()
    // A person with one is asked anyway.
    expect(asked).toHaveLength(1)
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('The database is down.')
      },
    ],
    ['rejects', () => Promise.reject(new Error('down'))],
    ['answers nothing', () => undefined],
    ['answers a text', () => 'false'],
    ['answers 0', () => 0],
    ['answers null', () => null],
  ])('that %s refuses the sign-in', async (_, secondFactor) => {
    const { browser } = people({ secondFactor: secondFactor as never })
    const ada = browser()
    expect(errorOf(await ada.signIn('one', 'ada'))).toMatch(/AccessDenied/)
    expect(await ada.session()).toBeNull()
  })

  it('attack: a sign-in that waits for a set-up sets up another one after the person has', async () => {
    let isAsked = false
    const world = people({ secondFactor: () => isAsked })
    const ada = await world.signIn('one', 'ada')
    isAsked = true
    const thief = world.browser()
    await thief.signIn('one', 'ada')
    const key = keyOn(await (await thief.get('/auth/factor/setup')).text())
    expect(key).not.toBe('')
    await setUpFactor(ada)
    later()
    const answer = await thief.submit('/auth/factor/setup', {
      code: new AuthenticatorApp(key).code(),
    })
    expect(locationOf(answer)).toBe(`${origin}/auth/factor`)
    expect(await thief.session()).toBeNull()
    expect((await thief.get('/auth/factor')).status).toBe(200)
    await thief.submit('/auth/factor', { code: new AuthenticatorApp(key).code() })
    expect(await thief.session()).toBeNull()
  })
})
