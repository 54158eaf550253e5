import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { createAuth } from '../../index.js'
import password from '../../providers/password.js'
import { Browser, claimsIn, copyOf, setsSession } from '../../test-support/browser.js'
import { mailProvider } from '../../test-support/email.js'
import { fails, hangs } from '../../test-support/faulty.js'
import { importRequest } from '../../test-support/importing.js'
import { accountsAt, people } from '../../test-support/people.js'
import { setUpFactor } from '../../test-support/set-up-factor.js'
import type { AuthConfig, Environment, VerificationRequest } from '../../types.js'
import { passwords } from '../passwords/index.js'
import { newBrowsers } from './index.js'
import { browsersOf } from './limits.js'

const { pass } = clock()

const ADA = 'ada@mail.example'
const PHRASE = 'a long enough phrase'
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

/** Accounts with an address that their provider has verified, and one of eve with ada's, which it has not. */
const profiles = {
  ada: { email: ADA, email_verified: true },
  'ada-at-work': { email: 'ada@work.example', email_verified: true },
  grace: { email: 'grace@mail.example', email_verified: true },
  eve: { email: ADA, email_verified: false },
}

/** People whose mails are known once all work after the answers is done. */
function world(
  changes: Partial<AuthConfig> = {},
  { env = {}, more = [] }: { env?: Environment; more?: AuthConfig['providers'] } = {},
) {
  const mails: VerificationRequest[] = []
  const set = people(
    {
      providers: [
        accountsAt('one', profiles),
        accountsAt('two', profiles),
        mailProvider(mails),
        ...more,
      ],
      features: [newBrowsers],
      newBrowserMail: true,
      ...changes,
    },
    { mails },
  )
  const auth = createAuth(set.config)
  const work: Promise<unknown>[] = []
  const context = { waitUntil: (one: Promise<unknown>) => void work.push(one) }
  const answer = (request: Request) =>
    auth.fetch(request, env, context as unknown as ExecutionContext)
  const browser = (headers: Record<string, string> = {}, cf: object = {}) =>
    new Browser(set.config, {
      answer: (request) => {
        for (const [name, value] of Object.entries(headers)) request.headers.set(name, value)
        return answer(Object.assign(request, { cf }))
      },
    })
  return {
    ...set,
    auth,
    answer,
    browser,
    /** All work after the answers. */
    async done() {
      while (work.length > 0) await Promise.all(work.splice(0))
    },
    async signIn(provider: string, account: string, one = browser()) {
      if (provider !== 'email') return set.signIn(provider, account, one)
      await one.submit('/auth/signin/email', { email: account })
      const url = new URL(mails.findLast(({ purpose }) => purpose !== 'notice')?.url ?? '')
      await one.get(url.pathname + url.search)
      return one
    },
    /** The notices that were sent since the last call. */
    async notices() {
      while (work.length > 0) await Promise.all(work.splice(0))
      return mails.splice(0).filter(({ purpose }) => purpose === 'notice')
    },
    announced: () =>
      set.lines.filter((line) => (line as { event?: string }).event === 'new-browser'),
  }
}

const recipients = (notices: readonly VerificationRequest[]) =>
  notices.map(({ identifier }) => identifier).toSorted()

describe('a person who signs in from a new browser', () => {
  it('hears of it, but not at the first sign-in, and not from the same browser again', async () => {
    const { announced, browser, notices, signIn } = world()
    await signIn('one', 'ada')
    expect(await notices()).toEqual([])
    const phone = browser({ 'user-agent': FIREFOX }, { city: 'Berlin', country: 'DE' })
    await signIn('one', 'ada', phone)
    const [notice, ...more] = await notices()
    expect(more).toEqual([])
    expect(notice).toMatchObject({ identifier: ADA, code: '', mail: { to: ADA } })
    expect(notice?.mail.subject).toBe('New sign-in to your account')
    expect(notice?.mail.text).toBe(
      [
        'New sign-in to your account',
        'A browser that you had not used here before signed in to your account: 2026-11-01 00:00 UTC',
        'If that was not you, another person is signed in to your account. Sign in, open your account page, remove what you do not recognize, and choose “Sign out everywhere”.',
        'Signed in at localhost:8787, from: Firefox on Linux, Berlin, DE\n',
      ].join('\n\n'),
    )
    await phone.submit('/auth/signout')
    pass(3_600)
    await signIn('one', 'ada', phone)
    expect(await notices()).toEqual([])
    expect(announced()).toMatchObject([{ event: 'new-browser', provider: 'one' }])
  })

  it('hears of it by any way, at each of their verified addresses', async () => {
    const { add, browser, notices, signIn } = world()
    const ada = await signIn('one', 'ada')
    await add(ada, 'two', 'ada-at-work')
    await notices()
    for (const [provider, account] of [
      ['one', 'ada'],
      ['two', 'ada-at-work'],
    ] as const) {
      await signIn(provider, account, browser())
      expect(recipients(await notices())).toEqual([ADA, 'ada@work.example'])
    }
    // The browser is known to the person, and not to one way of theirs.
    await signIn('two', 'ada-at-work', ada)
    await ada.submit('/auth/signout')
    await signIn('two', 'ada-at-work', ada)
    expect(await notices()).toEqual([])
  })

  it('hears of it by a sign-in with a mail, and with a password', async () => {
    const { browser, notices, signIn } = world(
      { features: [passwords, newBrowsers] },
      { more: [password()] },
    )
    const titles = async () => (await notices()).map(({ mail }) => mail.subject)
    const laptop = await signIn('email', ADA)
    expect(await titles()).toEqual([])
    await laptop.submit('/auth/password/set', { password: PHRASE })
    await titles()
    await signIn('email', ADA)
    expect(await titles()).toEqual(['New sign-in to your account'])
    const phone = browser()
    const login = { email: ADA, password: PHRASE }
    await phone.submit('/auth/callback/password', login)
    expect(await titles()).toEqual(['New sign-in to your account'])
    for (const one of [laptop, phone]) {
      await one.submit('/auth/signout')
      await one.submit('/auth/callback/password', login)
      expect(await one.session()).not.toBeNull()
    }
    expect(await titles()).toEqual([])
  })

  it('hears of it once a second factor is given, and not before', async () => {
    const { browser, notices, signIn } = world()
    const ada = await signIn('one', 'ada')
    const { app } = await setUpFactor(ada)
    await notices()
    const phone = await signIn('one', 'ada', browser())
    expect(await phone.session()).toBeNull()
    expect(await notices()).toEqual([])
    pass(60)
    await phone.submit('/auth/factor', { code: app.code() })
    expect(await phone.session()).not.toBeNull()
    expect(recipients(await notices())).toEqual([ADA])
  })

  it('gets no mail about a step-up, and about a sign-in in a browser where they are signed in', async () => {
    const { notices, signIn } = world()
    const ada = await signIn('email', ADA)
    // As after the option was switched on.
    ada.jar.delete('auth.device')
    await signIn('email', ADA, ada)
    expect(await notices()).toEqual([])
    ada.jar.delete('auth.device')
    await ada.submit('/auth/signin/email', { email: ADA, maxAge: '0' })
    expect(await notices()).toEqual([])
  })

  it.each([
    ['de', 'Neue Anmeldung bei Ihrem Konto', 'angemeldet: 2026-11-01 00:00 UTC'],
    ['ar', 'تسجيل دخول جديد إلى حسابك', '\u20662026-11-01 00:00 UTC\u2069'],
  ])('hears in the language of the page: %s', async (tag, title, time) => {
    const { browser, notices, signIn } = world()
    await signIn('one', 'ada')
    await signIn('one', 'ada', browser({ 'accept-language': tag }))
    const [notice] = await notices()
    expect(notice?.mail.subject).toBe(title)
    expect(notice?.mail.text).toContain(time)
  })

  it('hears of each browser once more after ninety days', async () => {
    const { notices, signIn } = world()
    const ada = await signIn('one', 'ada')
    await ada.submit('/auth/signout')
    pass(90 * 86_400 - 1)
    await signIn('one', 'ada', ada)
    expect(await notices()).toEqual([])
    await ada.submit('/auth/signout')
    pass(90 * 86_400 + 1)
    await signIn('one', 'ada', ada)
    expect(await notices()).toHaveLength(1)
  })

  it('hears nothing at the first sign-in after an import', async () => {
    const env = { AUTH_IMPORT_UNTIL: new Date(Date.UTC(2026, 10, 2)).toISOString() }
    const { answer, browser, notices, signIn } = world({}, { env })
    const imported = await answer(await importRequest([['user-1', 'one', 'ada']]))
    expect(await imported.json()).toMatchObject({ added: 1 })
    await signIn('one', 'ada')
    expect(await notices()).toEqual([])
    await signIn('one', 'ada', browser())
    expect(recipients(await notices())).toEqual([ADA])
  })
})

describe('the announcement', () => {
  it('costs nothing while it is off: the same calls, and no cookie', async () => {
    const run = async (features: AuthConfig['features']) => {
      const { calls, signIn } = world({ features: features ?? [], newBrowserMail: false })
      const ada = await signIn('one', 'ada')
      await signIn('one', 'ada')
      return [calls.map(({ name }) => name), [...ada.jar.keys()]]
    }
    expect(await run([newBrowsers])).toEqual(await run([]))
  })

  it('costs one call in a known browser, and in a new one three with a row', async () => {
    const { browser, calls, notices, signIn } = world()
    const ada = await signIn('one', 'ada')
    await ada.submit('/auth/signout')
    const during = async (one: Browser) => {
      await notices()
      const before = calls.length
      await signIn('one', 'ada', one)
      await notices()
      return calls.slice(before).map(({ name }) => name)
    }
    const off = world({ newBrowserMail: false })
    await off.signIn('one', 'ada')
    const before = off.calls.length
    await off.signIn('one', 'ada')
    const plain = off.calls.slice(before).map(({ name }) => name)
    const more = (all: readonly string[]) => {
      const left = [...plain]
      return all.filter((name) => {
        const at = left.indexOf(name)
        if (at >= 0) left.splice(at, 1)
        return at < 0
      })
    }
    // The first call asks if it is the first sign-in.
    expect(more(await during(ada))).toEqual(['document', 'isRevoked'])
    expect(more(await during(browser()))).toEqual(['document', 'document', 'admit'])
  })

  it('asks once who is new, also if the app asks', async () => {
    const count = async (changes: Partial<AuthConfig>) => {
      const { calls, signIn } = world(changes)
      const ada = await signIn('one', 'ada')
      calls.length = 0
      await signIn('one', 'ada', ada)
      return calls.filter(({ name }) => name === 'document').length
    }
    const events = { signIn: () => {} }
    expect(await count({ events })).toBe(await count({ newBrowserMail: false, events }))
  })

  it.each([
    ['hangs', hangs],
    ['fails', fails],
  ])('keeps nobody waiting and fails no sign-in if the mail %s', async (_, send) => {
    const { browser, errors, signIn } = world({
      providers: [
        accountsAt('one', profiles),
        mailProvider([], { sendVerificationRequest: send as () => Promise<void> }),
      ],
    })
    await signIn('one', 'ada')
    const phone = browser()
    expect(setsSession(await phone.signIn('one', 'ada'))).toBe(true)
    expect(await phone.session()).not.toBeNull()
    if (send === fails) await expect.poll(() => errors.length).toBe(1)
  })

  it.each(['isRevoked', 'admit'] as const)('fails no sign-in while %s fails', async (method) => {
    const { browser, errors, faults, notices, signIn } = world()
    const ada = await signIn('one', 'ada')
    await ada.submit('/auth/signout')
    faults.set(method, fails)
    for (const one of [ada, browser()]) {
      expect(setsSession(await one.signIn('one', 'ada'))).toBe(true)
    }
    expect(await notices()).toHaveLength(method === 'admit' ? 0 : 1)
    expect(errors.length).toBeGreaterThan(0)
  })

  it('is on by the variable as well, and by nothing else', async () => {
    const sent = async (changes: Partial<AuthConfig>, env: Environment) => {
      const { browser, notices, signIn } = world(changes, { env })
      await signIn('one', 'ada')
      await signIn('one', 'ada', browser())
      return (await notices()).length
    }
    const unset = { newBrowserMail: undefined as never }
    const on = { AUTH_NEW_BROWSER_MAIL: 'true' }
    expect(await sent(unset, on)).toBe(1)
    expect(await sent(unset, {})).toBe(0)
    expect(await sent(unset, { AUTH_NEW_BROWSER_MAIL: 'false' })).toBe(0)
    expect(await sent({ newBrowserMail: false }, on)).toBe(0)
  })

  it.each([
    [{ newBrowserMail: 'yes' as never }, {}, 'newBrowserMail'],
    [
      { newBrowserMail: undefined as never },
      { AUTH_NEW_BROWSER_MAIL: 'yes' },
      'AUTH_NEW_BROWSER_MAIL',
    ],
  ])('with %o and %o is an error that names %s', async (changes, env, named) => {
    const { answer, errors } = world(changes, { env: env as Environment })
    expect((await answer(new Request('http://localhost:8787/auth/csrf'))).status).toBe(500)
    expect(errors.join()).toContain(named)
  })
})

describe('attack:', () => {
  it('the headers of a browser and of its network put no line, no link and no markup into the mail', async () => {
    const { browser, notices, signIn } = world()
    await signIn('one', 'ada')
    const hostile =
      '<img src=x onerror=alert(1)>\u0085\u2028Bcc: eve@evil.example https://evil.example'
    const phone = browser(
      { 'user-agent': `Firefox/140 ${encodeURI(hostile)} <b>Windows</b> evil.example` },
      { city: hostile, country: 'X\r\nBcc: eve@evil.example' },
    )
    await signIn('one', 'ada', phone)
    const [notice] = await notices()
    const { subject = '', text = '', html = '' } = notice?.mail ?? {}
    expect(subject).toBe('New sign-in to your account')
    expect(text.split('\n\n')).toHaveLength(4)
    expect(text).not.toMatch(/https?:|@|[<>\r\u0085\u2028]/)
    // A mail program makes a link of a name with a dot.
    expect(text).not.toMatch(/evil\.example/)
    expect(html).not.toMatch(/<img src=x|<b>|evil\.example|https?:\/\/evil/)
  })

  it('the mail has no link and no secret that signs in', async () => {
    const { browser, notices, signIn } = world()
    await signIn('one', 'ada')
    const phone = await signIn('one', 'ada', browser())
    const [notice] = await notices()
    const text = JSON.stringify(notice?.mail)
    expect(text).not.toMatch(/href=|token/)
    expect(notice?.mail.text).not.toMatch(/\d{6}/)
    const { sub, sid } = claimsIn(phone)
    const secrets = [...phone.jar.values()].filter(({ length }) => length > 20)
    expect(secrets.length).toBeGreaterThan(2)
    for (const secret of [...secrets, sub, sid]) expect(text).not.toContain(secret)
  })

  it('an account with another person’s address, which its provider has not verified, mails them nothing', async () => {
    const { announced, browser, notices, signIn } = world()
    await signIn('one', 'ada')
    await signIn('one', 'eve')
    await signIn('one', 'eve', browser())
    expect(await notices()).toEqual([])
    expect(announced()).toHaveLength(1)
  })

  it('a mail bomb: sign-ins without end send three mails an hour, and six a day', async () => {
    const { announced, browser, notices, signIn } = world()
    await signIn('one', 'ada')
    const flood = async () => {
      for (let times = 0; times < 10; times++) await signIn('one', 'ada', browser())
      return (await notices()).length
    }
    expect(await flood()).toBe(3)
    // At once as well.
    await Promise.all(Array.from({ length: 10 }, () => browser().signIn('one', 'ada')))
    expect(await notices()).toHaveLength(0)
    pass(3_601)
    expect(await flood()).toBe(3)
    pass(3_601)
    expect(await flood()).toBe(0)
    pass(86_401)
    expect(await flood()).toBe(3)
    // The limits are for the mailbox: the log has each sign-in.
    expect(announced().length).toBeGreaterThan(20)
    // Another person hears of theirs, and a mail with a link still comes.
    await signIn('one', 'grace')
    await signIn('one', 'grace', browser())
    expect(recipients(await notices())).toEqual(['grace@mail.example'])
    await browser().submit('/auth/signin/email', { email: ADA })
  })

  it('a browser that another person has signed in with is new', async () => {
    const { browser, notices, signIn } = world()
    await signIn('one', 'ada')
    const eve = await signIn('one', 'eve', browser())
    await eve.submit('/auth/signout')
    await signIn('one', 'ada', eve)
    expect(recipients(await notices())).toEqual([ADA])
  })

  it.each([
    ['made up', 'x'.repeat(200)],
    ['empty', ''],
  ])('a cookie of known browsers that is %s makes none known', async (_, value) => {
    const { browser, notices, signIn } = world()
    await signIn('one', 'ada')
    const phone = browser()
    phone.jar.set('auth.device', value)
    await signIn('one', 'ada', phone)
    expect(recipients(await notices())).toEqual([ADA])
  })

  it('a thief’s browser is new again once the person has signed out everywhere', async () => {
    const { config, notices, signIn, browser } = world()
    const ada = await signIn('one', 'ada')
    const thief = await signIn('one', 'ada', browser())
    expect(await notices()).toHaveLength(1)
    const copy = copyOf(thief, config, { answer: thief.answer })
    pass(2)
    await ada.submit('/auth/sessions/revoke', { session: 'others' })
    pass(2)
    await signIn('one', 'ada', copy)
    expect(await notices()).toHaveLength(1)
    // The browser that ended the others stays known.
    await ada.submit('/auth/signout')
    await signIn('one', 'ada', ada)
    expect(await notices()).toEqual([])
  })

  it('a person who is blocked hears nothing', async () => {
    const { auth, browser, notices, signIn, subOf } = world()
    await auth.blockPerson({ sub: subOf(await signIn('one', 'ada')) }, {})
    expect(setsSession(await browser().signIn('one', 'ada'))).toBe(false)
    expect(await notices()).toEqual([])
  })

  it.each(['blocked', 'erased'])(
    'a person who is %s right after the sign-in hears nothing',
    async (how) => {
      const { add, announced, auth, faults, inner, notices, signIn, subOf } = world()
      const ada = await signIn('one', 'ada')
      await add(ada, 'two', 'ada-at-work')
      await notices()
      const sub = subOf(ada)
      let isOver = false
      faults.set('document', async (...args) => {
        if (announced().length > 0 && !isOver) {
          isOver = true
          await (how === 'blocked' ? auth.blockPerson({ sub }, {}) : auth.deletePerson(sub, {}))
        }
        return inner.ledger.document(...(args as [string]))
      })
      await signIn('one', 'ada')
      expect((await notices()).filter(({ mail }) => mail.subject.startsWith('New'))).toEqual([])
      expect(isOver).toBe(true)
    },
  )

  it('a person who was erased hears nothing when they begin again', async () => {
    const { auth, inner, notices, signIn, subOf } = world()
    const ada = await signIn('one', 'ada')
    await signIn('one', 'ada')
    expect(await notices()).toHaveLength(1)
    const key = await browsersOf(subOf(ada))
    const limit = [{ name: 'mails', max: 1, period: 3_600 }]
    expect(await inner.ledger.admit(key, limit)).toBeGreaterThan(0)
    await auth.deletePerson(subOf(ada), {})
    expect(await inner.ledger.admit(key, limit)).toBe(0)
    pass(2)
    await signIn('one', 'ada', ada)
    expect(await notices()).toEqual([])
  })
})
