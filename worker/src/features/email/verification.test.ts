import { describe, expect, it, vi } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { digest } from '../../lib/base64url.js'
import {
  errorOf,
  everythingIn,
  locationOf,
  origin,
  setsSession,
} from '../../test-support/browser.js'
import { mailProvider, withMail, wrong } from '../../test-support/email.js'
import { fails, faulty, type StoreMethod } from '../../test-support/faulty.js'
import { people } from '../../test-support/people.js'
import type { EmailUserConfig, VerificationRequest } from '../../types.js'

const { pass } = clock({ timers: true })

const ended = '/auth/error Verification'
const old = 'the-old-secret-of-the-tests-0123456789'
const fresh = 'the-new-secret-of-the-tests-0123456789'

describe('a link belongs to the provider and mount that mailed it', () => {
  it.each(['GET', 'POST'])(
    'at another provider with the same ledger it is unknown, by %s, and not used up there',
    async (method) => {
      const mails: VerificationRequest[] = []
      const { ask, browser } = withMail(
        {},
        { providers: [mailProvider(mails), mailProvider(mails, { id: 'staff', name: 'Staff' })] },
      )
      const asking = browser()
      await ask('ada@example.com', asking)
      const token = new URL(mails[0]?.url ?? '').searchParams.get('token') ?? ''
      const elsewhere =
        method === 'GET'
          ? await asking.get(`/auth/callback/staff?token=${token}`)
          : await asking.submit('/auth/callback/staff', { token })
      expect(errorOf(elsewhere)).toBe(ended)
      expect(setsSession(elsewhere)).toBe(false)
      const here = await asking.get(`/auth/callback/email?token=${token}`)
      expect(locationOf(here)).toBe(`${origin}/inbox`)
    },
  )

  it.each([
    ['mount', { changes: { basePath: '/other' }, path: '/other', at: origin }],
    ['origin', { changes: {}, path: '/auth', at: 'https://other.example' }],
  ])('at another %s with the same ledger and secret it is unknown', async (_, other) => {
    const { ask, store } = withMail()
    const { path, browser, token } = await ask()
    const elsewhere = withMail({}, { store, ...other.changes }, other)
    const stranger = elsewhere.browser()
    const opened = await stranger.get(`${other.path}/callback/email?token=${token}`)
    expect(locationOf(opened)).toMatch(/\/error\?error=Verification$/)
    const { csrfToken } = await (await stranger.get(`${other.path}/csrf`)).json<never>()
    const posted = await stranger.post(`${other.path}/callback/email`, { csrfToken, token })
    expect(locationOf(posted)).toMatch(/\/error\?error=Verification$/)
    expect(locationOf(await browser.get(path))).toBe(`${origin}/inbox`)
  })

  it('after a rotation the old secret, still listed, opens it', async () => {
    const { ask, store, mails } = withMail({}, { secret: old })
    const { path, flow, code, browser } = await ask()
    const rotated = withMail({}, { store, secret: [fresh, old] })
    const there = rotated.browser()
    for (const [name, value] of browser.jar) there.jar.set(name, value)
    expect(locationOf(await there.submit('/auth/callback/email', { flow, code }))).toBe(
      `${origin}/inbox`,
    )
    const { path: next } = await withMail({}, { store, secret: old }).ask()
    expect(mails).toHaveLength(1)
    expect(next).not.toBe(path)
    const page = await rotated.browser().get(next)
    expect(await page.text()).toContain('ada@example.com')
  })

  it('with another secret, or the old one no longer listed, neither link nor code works', async () => {
    const { ask, store } = withMail({}, { secret: old })
    const { path, token, flow, code, browser } = await ask()
    const rotated = withMail({}, { store, secret: fresh })
    const there = rotated.browser()
    for (const [name, value] of browser.jar) there.jar.set(name, value)
    expect(errorOf(await there.get(path))).toBe(ended)
    expect(errorOf(await there.submit('/auth/callback/email', { flow, code }))).toBe(
      '/auth/signin InvalidCheck',
    )
    expect(errorOf(await there.submit('/auth/callback/email', { token }))).toBe(ended)
    expect(await there.session()).toBeNull()
  })
})

describe('its lifetime', () => {
  it.each([
    [undefined, 600],
    [60, 60],
    [7200, 7200],
  ])(
    'with maxAge %s link and code end after %i seconds, and no sooner',
    async (maxAge, seconds) => {
      const { ask } = withMail(maxAge === undefined ? {} : { maxAge })
      const one = await ask()
      expect(one.mail?.expires.getTime()).toBe(Date.now() + seconds * 1000)
      pass(seconds - 1)
      const last = { flow: one.flow, code: one.code }
      expect(locationOf(await one.browser.submit('/auth/callback/email', last))).toBe(
        `${origin}/inbox`,
      )
      const two = await ask()
      pass(seconds)
      expect(errorOf(await two.browser.get(two.path))).toBe(ended)
      expect(errorOf(await two.browser.submit('/auth/callback/email', { token: two.token }))).toBe(
        ended,
      )
      const { flow, code } = two
      const late = await two.browser.submit('/auth/callback/email', { flow, code })
      expect(setsSession(late)).toBe(false)
      expect(await two.browser.session()).toBeNull()
    },
  )

  it.each([
    [60, 900],
    [900, 900],
    [7200, 7200],
  ])(
    'with maxAge %i the browser knows the needs for %i seconds: then it says that it was too late',
    async (maxAge, seconds) => {
      const { ask } = withMail({ maxAge })
      const { answer, browser, flow, code } = await ask()
      const [line = ''] = answer.headers.getSetCookie().filter((one) => one.includes('flow'))
      expect(line).toContain(`Max-Age=${seconds};`)
      pass(seconds - 1)
      const late = await browser.submit('/auth/callback/email', { flow, code })
      expect(setsSession(late)).toBe(maxAge >= seconds)
      if (maxAge < seconds) {
        expect(errorOf(late)).toBe('/auth/verify-request Verification wrong_code')
      }
    },
  )

  it('a maxAge that is changed meanwhile neither revives nor ends a mail', async () => {
    const { ask, store } = withMail({ maxAge: 60 })
    const { path, browser } = await ask()
    pass(61)
    const longer = withMail({ maxAge: 3600 }, { store }).browser()
    expect(errorOf(await longer.get(path))).toBe(ended)
    expect(errorOf(await browser.get(path))).toBe(ended)
  })

  it('an address that the provider now refuses is not signed in by an earlier mail', async () => {
    const { ask, store } = withMail()
    const { path, token } = await ask()
    const normalizeIdentifier = (address: string) => {
      if (!address.endsWith('@company.example')) throw new Error('no')
      return address
    }
    const strict = withMail({ normalizeIdentifier }, { store }).browser()
    expect(errorOf(await strict.get(path))).toBe(ended)
    expect(errorOf(await strict.submit('/auth/callback/email', { token }))).toBe(ended)
  })
})

describe('used once', () => {
  it('the back button, a second click and a second confirmation end in an error page', async () => {
    const { ask } = withMail()
    const { path, token, browser } = await ask()
    await browser.get(path)
    expect(errorOf(await browser.get(path))).toBe(ended)
    expect(errorOf(await browser.submit('/auth/callback/email', { token }))).toBe(ended)
    expect(await browser.session()).not.toBeNull()
  })

  it('after signing out neither the link nor the code signs in again', async () => {
    const { ask } = withMail()
    const { path, token, flow, code, browser } = await ask()
    const { cookie } = browser
    await browser.submit('/auth/callback/email', { flow, code })
    await browser.submit('/auth/signout')
    expect(await browser.session()).toBeNull()
    const csrfToken = await browser.csrfToken()
    const csrf = browser.cookie
    const both = { cookie: `${cookie}; ${csrf}` }
    const answers = [
      await browser.get(path, both),
      await browser.post('/auth/callback/email', { csrfToken, token }, both),
      await browser.post('/auth/callback/email', { csrfToken, flow, code }, both),
    ]
    expect(answers.map(setsSession)).toEqual([false, false, false])
  })

  it('using the code ends the link, and the other way round', async () => {
    const { ask } = withMail()
    const one = await ask()
    await one.browser.submit('/auth/callback/email', { flow: one.flow, code: one.code })
    expect(errorOf(await one.browser.get(one.path))).toBe(ended)
    const two = await ask('grace@example.com')
    const { cookie } = two.browser
    await two.browser.get(two.path)
    const csrfToken = await two.browser.csrfToken()
    const late = await two.browser.post(
      '/auth/callback/email',
      { csrfToken, flow: two.flow, code: two.code },
      { cookie: `${cookie}; ${two.browser.cookie}` },
    )
    expect(errorOf(late)).toBe('/auth/verify-request Verification wrong_code')
  })

  it('a new request ends the link and the code of the one before, in every browser', async () => {
    const { ask, browser } = withMail()
    const first = await ask()
    const second = await ask('ADA@example.com', first.browser)
    expect(errorOf(await first.browser.get(first.path))).toBe(ended)
    expect(errorOf(await browser().submit('/auth/callback/email', { token: first.token }))).toBe(
      ended,
    )
    const old = await first.browser.submit('/auth/callback/email', {
      flow: first.flow,
      code: first.code,
    })
    expect(errorOf(old)).toBe('/auth/verify-request Verification wrong_code')
    expect(locationOf(await first.browser.get(second.path))).toBe(`${origin}/inbox`)
  })
})

describe('generateVerificationToken', () => {
  it('that is the same each time opens no other person’s link', async () => {
    const constant = 'the-same-token-for-everybody'
    const { ask, browser, mails } = withMail({ generateVerificationToken: () => constant })
    const own = await ask('eve@example.com')
    const victim = await ask('ada@example.com')
    expect([own.token, victim.token].every((token) => token.includes(constant))).toBe(true)
    const [subject] = victim.token.split('.')
    const guesses = [constant, own.token.split('.')[1], `${constant}${'A'.repeat(43)}`]
    for (const guess of guesses) {
      const token = `${subject}.${guess}`
      const eve = browser()
      expect(errorOf(await eve.get(`/auth/callback/email?token=${token}`))).toBe(ended)
      expect(errorOf(await eve.submit('/auth/callback/email', { token }))).toBe(ended)
    }
    expect(mails).toHaveLength(2)
    expect(locationOf(await victim.browser.get(victim.path))).toBe(`${origin}/inbox`)
  })

  it.each<[string, () => unknown]>([
    ['is short', () => '123456'],
    ['is empty', () => ''],
    ['is too long', () => 'a'.repeat(257)],
    ['has other characters', () => `${'a'.repeat(30)}&x=1`],
    ['is a number', () => 1234567890123456],
    ['is an object', () => ({ toString: () => 'a'.repeat(30) })],
    ['is nothing', () => undefined],
  ])(
    'that %s sends and stores nothing, and the error describes the right form',
    async (_, make) => {
      const [error] = await refusedToken(make)
      expect(error?.message).toBe(
        'generateVerificationToken of provider "email" must return 22 to 256 characters of base64url. The six-digit code is made for you.',
      )
    },
  )

  it.each<[string, () => unknown, string | undefined]>([
    [
      'throws',
      () => {
        throw new Error('no entropy')
      },
      'no entropy',
    ],
    ['rejects', () => Promise.reject(new Error('no entropy')), 'no entropy'],
    ['rejects with nothing', () => Promise.reject(), undefined],
    ['hangs', () => new Promise(() => {}), 'No answer within 5000 ms.'],
  ])('that %s sends and stores nothing, and the error has the reason', async (_, make, reason) => {
    const [error] = await refusedToken(make)
    expect(error?.message).toBe('generateVerificationToken of provider "email" failed.')
    expect((error?.cause as { err?: Error } | undefined)?.err?.message).toBe(reason)
  })

  /** @returns the errors in the log */
  async function refusedToken(make: () => unknown): Promise<Error[]> {
    const { ask, mails, errors, store } = withMail({
      generateVerificationToken: make as () => string,
    })
    const start = vi.spyOn(store.ledger, 'startVerification')
    const { answer } = await ask()
    expect(errorOf(answer)).toBe('/auth/error Configuration')
    expect(mails).toEqual([])
    expect(start).not.toHaveBeenCalled()
    expect(errors.map(({ name }) => name)).toEqual(['ProviderMisconfigured'])
    return errors
  }
})

describe('sendVerificationRequest', () => {
  const failing = (fail: (request: VerificationRequest) => unknown) => {
    const seen: VerificationRequest[] = []
    const options: EmailUserConfig = {
      sendVerificationRequest: (request) => {
        seen.push({ ...request })
        return fail(request) as Promise<void>
      },
    }
    return { ...withMail(options), seen }
  }

  it.each<[string, (request: VerificationRequest) => unknown]>([
    [
      'throws its argument',
      ({ url, code, identifier }) => {
        throw new Error(`Cannot send ${url} and ${code} to ${identifier}`)
      },
    ],
    ['rejects with the mail', ({ mail }) => Promise.reject(new Error(mail.text))],
    ['rejects with the HTML', ({ mail }) => Promise.reject(new Error(mail.html))],
    [
      'rejects with parts of the link, and the address in capitals',
      ({ url, identifier }) => {
        const token = url.split('token=')[1] ?? ''
        const half = token.slice(0, 60)
        return Promise.reject(
          new Error(`550 <${identifier.toUpperCase()}> ${token.split('.')[1]} ${half}`),
        )
      },
    ],
    [
      'rejects with an encoded link',
      ({ url }) => Promise.reject(new Error(encodeURIComponent(url))),
    ],
    [
      'changes its argument and rejects with the original',
      (request) => {
        const { url, code, identifier } = request
        Object.assign(request, { url: origin, code: '', identifier: '' })
        return Promise.reject(
          new Error(`${code} ${url.split('token=')[1]?.slice(0, 60)} ${identifier}`),
        )
      },
    ],
    ['rejects with nothing', () => Promise.reject()],
    ['rejects with a text', ({ url }) => Promise.reject(url)],
    [
      'rejects with an error that has the request',
      (request) => Promise.reject(Object.assign(new Error('x'), { request, cause: request })),
    ],
    ['never answers', () => new Promise(() => {})],
  ])(
    'that %s: a page reports it, no secret is logged, and neither link nor code works',
    async (_, fail) => {
      const { ask, seen, errors, lines, browser } = failing(fail)
      const { answer, browser: asking } = await ask()
      expect(errorOf(answer)).toBe('/auth/signin Verification not_sent')
      const page = await asking.get(`/auth/signin?error=Verification&code=not_sent`)
      expect(await page.text()).toContain('The email could not be sent.')
      expect(errors.map(({ name }) => name)).toEqual(['EmailNotSent'])
      const [{ url = '', code = '', identifier = '' } = {}] = seen
      const token = new URL(url).searchParams.get('token') ?? ''
      const said = everythingIn([errors, lines]) + (errors[0] as Error).stack
      for (const secret of [...token.split('.'), token.slice(30, 60), code, identifier]) {
        expect(said.toLowerCase()).not.toContain(secret.toLowerCase())
      }
      expect(errorOf(await browser().get(`/auth/callback/email?token=${token}`))).toBe(ended)
      expect([...asking.jar.keys()].filter((name) => name.includes('flow'))).toEqual([])
    },
  )

  it.each([
    ['its words, as the docs have them', new Error('Status 503.'), 'Status 503.'],
    ['its name as well, if that says something', new TypeError('x'), 'TypeError: x'],
    ['without a name as unknown', undefined, 'unknown'],
    [
      'without an address',
      new Error('550 <Bob.Smith+x@mail.example>: no such user'),
      '550 [hidden] no such user',
    ],
    ['with a thousand characters whole', new Error(`${'x'.repeat(994)} whole`), '[hidden] whole'],
    [
      'with more by its first words, so that no half of a secret is left',
      new Error(`${'x'.repeat(990)} whole halved and more`),
      '[hidden] whole ',
    ],
  ])('the log shows an error %s', async (_, thrown, reason) => {
    const { ask, errors } = failing(() => Promise.reject(thrown))
    await ask()
    expect(errors[0]?.message).toBe('A sign-in mail could not be sent.')
    expect((errors[0] as Error).cause).toEqual({ provider: 'email', reason })
  })

  it('a mail that arrives after the deadline does not sign in', async () => {
    let send = () => {}
    const { ask, seen, browser } = failing(
      () =>
        new Promise<void>((resolve) => {
          send = resolve
        }),
    )
    const { answer } = await ask()
    send()
    expect(errorOf(answer)).toBe('/auth/signin Verification not_sent')
    const { pathname, search } = new URL(seen[0]?.url ?? '')
    expect(errorOf(await browser().get(pathname + search))).toBe(ended)
  })

  it('a failure does not end a mail that another browser asked for meanwhile', async () => {
    let fail = (_: Error) => {}
    const held = new Promise<void>((_, reject) => {
      fail = reject
    })
    const sent: VerificationRequest[] = []
    const { ask, browser } = withMail({
      sendVerificationRequest: (request) => {
        sent.push(request)
        return sent.length === 1 ? held : undefined
      },
    })
    const first = ask()
    await expect.poll(() => sent).toHaveLength(1)
    const asking = browser()
    await ask('ada@example.com', asking)
    fail(new Error('down'))
    expect(errorOf((await first).answer)).toBe('/auth/signin Verification not_sent')
    const { pathname, search } = new URL(sent[1]?.url ?? '')
    expect(locationOf(await asking.get(pathname + search))).toBe(`${origin}/inbox`)
  })

  it('changes to its arguments have no effect', async () => {
    const { ask, mails, browser } = withMail({
      sendVerificationRequest: (request) => {
        const real = { ...request, mail: { ...request.mail } }
        mails.push(real)
        Object.assign(request, { identifier: 'eve@example.com', code: '000000', url: origin })
        Object.assign(request.mail, { to: 'eve@example.com' })
        request.expires.setFullYear(2100)
      },
    })
    const { path, flow, code, browser: asking } = await ask()
    expect((await ask('grace@example.com', browser())).mail?.mail.to).toBe('grace@example.com')
    const zero = await asking.submit('/auth/callback/email', { flow, code: wrong(code) })
    expect(setsSession(zero)).toBe(false)
    await asking.get(path)
    expect((await asking.session())?.user?.email).toBe('ada@example.com')
  })

  it('that sends twice sends the same link and code, which work once', async () => {
    const { ask, mails } = withMail({
      sendVerificationRequest: (request) => void mails.push(request, request),
    })
    const { path, browser } = await ask()
    expect(mails).toHaveLength(2)
    expect(locationOf(await browser.get(path))).toBe(`${origin}/inbox`)
    expect(errorOf(await browser.get(path))).toBe(ended)
  })
})

describe('the ledger’s rows', () => {
  it('hold no address, link, code or flow in plain text, and no credential', async () => {
    const { ask, store, browser } = withMail()
    const kept: unknown[][] = []
    const { startVerification } = store.ledger
    store.ledger.startVerification = (...args) => {
      kept.push(args)
      return startVerification(...args)
    }
    const { token, code, flow, browser: asking } = await ask()
    expect(kept).toHaveLength(1)
    const stored = everythingIn(kept)
    const secret = token.split('.')[1] ?? ''
    for (const text of ['ada', secret, code, flow]) expect(stored).not.toContain(text)
    const [key, { link = '', code: hash = '', sealed = '' } = {}] = kept[0] as [string, never]
    const subject = String(key).slice('email:'.length)
    const tokens = [link, hash, sealed, `${subject}.${link}`, `${subject}.${hash}`]
    for (const one of [...tokens, `${subject}.${sealed.split('.')[1]}`]) {
      const reader = browser()
      expect(errorOf(await reader.get(`/auth/callback/email?token=${one}`))).toBe(ended)
      expect(errorOf(await reader.submit('/auth/callback/email', { token: one }))).toBe(ended)
      const typed = await asking.submit('/auth/callback/email', { flow, code: one })
      expect(setsSession(typed)).toBe(false)
    }
    const cookie = `auth.flow.${flow}=${sealed}`
    const forged = await browser().get(`/auth/verify-request?provider=email&flow=${flow}`, {
      cookie,
    })
    expect(await forged.text()).not.toContain('ada@example.com')
  })

  it('do not reveal a code to a search through all million codes', async () => {
    const { ask, store } = withMail()
    const kept: string[] = []
    const { startVerification } = store.ledger
    store.ledger.startVerification = (key, verification) => {
      kept.push(verification.code)
      return startVerification(key, verification)
    }
    const { code, flow } = await ask()
    // The attacker knows the ledger's rows and the URL in the browser.
    for (const secret of ['', flow, kept[0] ?? '']) {
      const name = JSON.stringify(['latchkey/email/v1', 'code', secret, code])
      const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(name))
      expect(Buffer.from(digest).toString('base64url')).not.toBe(kept[0])
    }
  })
})

describe('a mail of another version of the service', () => {
  it('works, since the form of its row is that of every version', async () => {
    const { ask, store } = withMail()
    const start = vi.spyOn(store.ledger, 'startVerification')
    const { token } = await ask()
    const [subject, secret] = token.split('.')
    const name = JSON.stringify(['latchkey/email/v1', 'link', `${origin}/auth`, 'email', secret])
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(name))
    const [key, { link }] = start.mock.lastCall ?? ['', { link: '' }]
    expect(key).toBe(`email:${subject}`)
    expect(link).toBe(Buffer.from(digest).toString('base64url'))
  })
})

describe('a link that cannot be one of ours', () => {
  it.each([
    ['nothing', ''],
    ['a subject alone', `${'a'.repeat(22)}.`],
    ['a secret alone', `.${'a'.repeat(43)}`],
    ['something before it', ` ${'a'.repeat(22)}.${'a'.repeat(43)}`],
    ['something behind it', `${'a'.repeat(22)}.${'a'.repeat(43)}.a`],
    ['a subject that is too short', `${'a'.repeat(21)}.${'a'.repeat(43)}`],
    ['a secret that is too short', `${'a'.repeat(22)}.${'a'.repeat(42)}`],
    ['a secret that is too long', `${'a'.repeat(22)}.${'a'.repeat(300)}`],
  ])('%s: costs no call of the ledger', async (_, token) => {
    const { store, calls } = faulty()
    const { browser } = withMail({}, { store })
    const where = browser()
    expect(errorOf(await where.get(`/auth/callback/email?${new URLSearchParams({ token })}`))).toBe(
      ended,
    )
    expect(errorOf(await where.submit('/auth/callback/email', { token }))).toBe(ended)
    expect(calls.map(({ name }) => name)).toEqual([])
  })
})

it('a store that gives a mail’s contents beside “wrong” signs no user in', async () => {
  const { store } = faulty()
  const { ask } = withMail({}, { store })
  const { redeemVerification } = store.ledger
  store.ledger.redeemVerification = async (...asked) => {
    const answer = await redeemVerification(...asked)
    return { ...answer, state: 'wrong' } as const
  }
  const { browser, path, flow, code } = await ask()
  expect(setsSession(await browser.submit('/auth/callback/email', { flow, code }))).toBe(false)
  expect(setsSession(await browser.get(path))).toBe(false)
  expect(await browser.session()).toBeNull()
})

describe('the sender of a mail', () => {
  it.each([
    ['sign-in@mail.example', 'sign-in@mail.example'],
    [undefined, 'no-reply@localhost'],
  ])('if the test says %s, is %s', async (from, expected) => {
    const mails: VerificationRequest[] = []
    const { ask } = withMail({}, { providers: [mailProvider(mails, { from: from as string })] })
    await ask()
    expect(mails[0]?.mail.from).toBe(expected)
  })
})

describe('codes', () => {
  it('are six digits, with leading zeros', async () => {
    const { ask } = withMail()
    let next = 7
    vi.spyOn(crypto, 'getRandomValues').mockImplementation((array) => {
      if (array instanceof Uint32Array) array[0] = next
      else if (array instanceof Uint8Array) for (let at = 0; at < array.length; at++) array[at] = at
      return array
    })
    const one = await ask()
    expect(one.code).toBe('000007')
    next = 4_293_999_999
    expect((await ask()).code).toBe('999999')
    vi.restoreAllMocks()
  })

  it('are uniformly distributed: a draw beyond the last full million is repeated', async () => {
    const { ask } = withMail()
    const draws = [4_294_000_000, 4_294_967_295, 42]
    const real = crypto.getRandomValues.bind(crypto)
    vi.spyOn(crypto, 'getRandomValues').mockImplementation((array) => {
      if (!(array instanceof Uint32Array)) return real(array as never)
      array[0] = draws.shift() ?? 0
      return array
    })
    expect((await ask()).code).toBe('000042')
    expect(draws).toEqual([])
    vi.restoreAllMocks()
  })
})

describe('a ledger that fails', () => {
  const asking = async (...failing: StoreMethod[]) => {
    const { store, faults } = faulty()
    for (const method of failing) faults.set(method, fails)
    const made = withMail({}, { store })
    const asked = await made.ask('ada@example.com', made.browser({ accept: 'text/html' }))
    return { ...made, asked, faults }
  }

  it.each(['admit', 'startVerification'] as const)(
    '%s: 503, and no mail is sent that could not be stored',
    async (method) => {
      const { asked, mails, errors } = await asking(method)
      expect(asked.answer.status).toBe(503)
      expect(mails).toEqual([])
      expect(errors.map(({ name }) => name)).toEqual(['StoreUnavailable'])
    },
  )

  it('findVerification and redeemVerification: 503, no user is signed in, and the link still works', async () => {
    for (const method of ['findVerification', 'redeemVerification', 'admit'] as const) {
      const { asked, faults } = await asking()
      const { browser, path, token, flow, code } = asked
      faults.set(method, fails)
      const answers = [
        ...(method === 'admit' ? [] : [await browser.get(path)]),
        ...(method === 'redeemVerification'
          ? [await browser.submit('/auth/callback/email', { token })]
          : []),
        ...(method === 'findVerification'
          ? []
          : [await browser.submit('/auth/callback/email', { flow, code })]),
      ]
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 503))
      expect(answers.some(setsSession)).toBe(false)
      faults.clear()
      expect(locationOf(await browser.get(path))).toBe(`${origin}/inbox`)
    }
  })

  it('withdrawVerification: the person learns that no mail was sent, and the log has both failures', async () => {
    const { store, faults } = faulty()
    faults.set('withdrawVerification', fails)
    const { errors, ask } = withMail({ sendVerificationRequest: fails }, { store })
    const { answer } = await ask()
    expect(errorOf(answer)).toBe('/auth/signin Verification not_sent')
    expect(errors.map(({ name }) => name)).toEqual(['StoreUnavailable', 'EmailNotSent'])
  })

  it('KV after the link was used: 503, no user is signed in, and the link is gone', async () => {
    const { store, faults } = faulty()
    faults.set('put', fails)
    const { ask } = withMail({}, { store })
    const { browser, path } = await ask()
    const answer = await browser.get(path, { accept: 'text/html' })
    expect([answer.status, setsSession(answer)]).toEqual([503, false])
    faults.clear()
    expect(errorOf(await browser.get(path))).toBe(ended)
  })
})

describe('the request to an app’s own sender', () => {
  it('has the purpose of the mail, its address, and its target', async () => {
    const { signIn, startAdding, mails } = people()
    const ada = await signIn('email', 'ada@mail.example')
    await startAdding(ada, 'email', { email: 'more@mail.example' })
    const told = mails.map(({ purpose, identifier, mail }) => [purpose, identifier, mail.subject])
    expect(told).toEqual([
      [
        'sign-in',
        'ada@mail.example',
        expect.stringMatching(/^Sign in to localhost:8787 · [A-Z]{4}$/),
      ],
      [
        'add',
        'more@mail.example',
        expect.stringMatching(/^Add this address to an account at localhost:8787 · [A-Z]{4}$/),
      ],
    ])
    expect(mails[0]?.mail.text).not.toBe(mails[1]?.mail.text)
    await ada.get(new URL(mails[1]?.url ?? '').pathname + new URL(mails[1]?.url ?? '').search)
    const notices = mails.slice(2)
    expect(notices.map(({ identifier }) => identifier).sort()).toEqual([
      'ada@mail.example',
      'more@mail.example',
    ])
    for (const { purpose, url, code, expires } of notices) {
      expect([purpose, url, code, expires.getTime()]).toEqual([
        'notice',
        `${origin}/auth/account`,
        '',
        Date.now(),
      ])
    }
  })

  it.each([
    ['Acme <post@acme.example>', 'Acme <post@acme.example>'],
    [undefined, 'no-reply@localhost'],
  ])('has the sender of a mail, a notice too: %s', async (configured, from) => {
    const mails: VerificationRequest[] = []
    const { from: _, ...unsigned } = mailProvider(mails)
    const provider = configured === undefined ? unsigned : { ...unsigned, from: configured }
    const world = people({ providers: [provider as typeof unsigned & { from: string }] })
    const follow = async () => {
      const { pathname, search } = new URL(mails.at(-1)?.url ?? '')
      await ada.get(pathname + search)
    }
    const ada = world.browser()
    await ada.submit('/auth/signin/email', { email: 'ada@mail.example' })
    await follow()
    await world.startAdding(ada, 'email', { email: 'more@mail.example' })
    await follow()
    const told = mails.map(({ purpose, mail }) => [purpose, mail.from])
    expect(told).toEqual(['sign-in', 'add', 'notice', 'notice'].map((purpose) => [purpose, from]))
  })
})

it('the secret of a link is known by a hash that is the same forever, for each kind of link', async () => {
  const { signIn, startAdding, mails, calls } = people()
  const ada = await signIn('email', 'ada@mail.example')
  await startAdding(ada, 'email', { email: 'more@mail.example' })
  const links = calls.flatMap(({ name, args }) =>
    name === 'startVerification' ? [(args[1] as { link: string }).link] : [],
  )
  const tokens = mails.map(({ url }) => new URL(url).searchParams.get('token') ?? '')
  const expected = tokens.map((token, at) => {
    const secret = token.split(at === 0 ? '.' : '~')[1] ?? ''
    const kind = at === 0 ? 'link' : 'add'
    return digest(['latchkey/email/v1', kind, `${origin}/auth`, 'email', secret])
  })
  expect(links).toEqual(await Promise.all(expected))
})
