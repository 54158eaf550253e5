import { describe, expect, it, vi } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { TooManyAttempts, Verification } from '../../errors.js'
import { Auth } from '../../index.js'
import { raw, skipCSRFCheck } from '../../lib/symbols.js'
import {
  configWith,
  copyOf,
  errorOf,
  everythingIn,
  fakeProvider,
  locationOf,
  origin,
  setsSession,
} from '../../test-support/browser.js'
import { mailProvider, withMail, wrong } from '../../test-support/email.js'
import { people } from '../../test-support/people.js'
import type { AuthConfig } from '../../types.js'

const { advance } = clock({ timers: true })

const json = { 'x-auth-return-redirect': '1' }
const invalid = '/auth/signin CredentialsSignin invalid_address'

describe('the typed address', () => {
  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['an empty text', ''],
    ['no address', 'ada'],
    ['two addresses', 'ada@example.com,eve@example.com'],
    ['a list', ['ada@example.com', 'eve@example.com']],
    ['a list of one', ['ada@example.com']],
    ['an object', { email: 'ada@example.com' }],
    ['an object that is not text', { toString: 1 }],
    ['a number', 1],
    ['null', null],
    ['a header', 'ada@example.com\r\nBcc: eve@example.com'],
    ['a header in its beginning', 'Bcc: eve@example.com\nada@example.com'],
    ['a name', 'Ada <ada@example.com>'],
    ['markup', '<script>alert(1)</script>@example.com'],
    ['sixty thousand letters', `${'a'.repeat(60_000)}@example.com`],
    ['a lone surrogate', '\ud800@example.com'],
    ['NUL', 'ada\u0000@example.com'],
    ['__proto__', '__proto__'],
  ])(
    '%s: the sign-in page refuses it, and nothing is mailed, stored or counted',
    async (_, email) => {
      const { browser, mails, store } = withMail()
      const admit = vi.spyOn(store.ledger, 'admit')
      const start = vi.spyOn(store.ledger, 'startVerification')
      const where = browser()
      const answer = await where.send('/auth/signin/email', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ csrfToken: await where.csrfToken(), email, callbackUrl: '/inbox' }),
      })
      expect(errorOf(answer)).toBe(invalid)
      expect(new URL(locationOf(answer)).searchParams.get('callbackUrl')).toBe(`${origin}/inbox`)
      expect(locationOf(answer)).not.toMatch(/ada|eve|script/)
      expect(mails).toEqual([])
      expect(admit).not.toHaveBeenCalled()
      expect(start).not.toHaveBeenCalled()
      const { pathname, search } = new URL(locationOf(answer))
      expect(await (await where.get(pathname + search)).text()).toContain(
        'not a valid email address',
      )
    },
  )

  it('is stored, shown, signed in and mailed to in one spelling', async () => {
    const { ask } = withMail()
    const { mail, browser, path, flow } = await ask('  ADA@BÜCHER.example ')
    const address = 'ada@xn--bcher-kva.example'
    expect([mail?.identifier, mail?.mail.to]).toEqual([address, address])
    const page = await browser.get(`/auth/verify-request?provider=email&flow=${flow}`)
    expect(await page.text()).toContain(address)
    await browser.get(path)
    expect((await browser.session())?.user?.email).toBe(address)
  })
})

describe('the page that asks for the code', () => {
  const targetsOf = (page: string) =>
    [...page.matchAll(/name="callbackUrl" value="([^"]*)"|[?]callbackUrl=([^"]*)"/g)].map(
      ([, value, query]) => value ?? decodeURIComponent(query ?? ''),
    )

  it('leads to the target of the first mail, by the code, a new mail and another address', async () => {
    const { ask } = withMail()
    const { browser, flow } = await ask()
    const page = await (
      await browser.get(`/auth/verify-request?provider=email&flow=${flow}`)
    ).text()
    expect(page).toContain('<title>Check your email')
    expect(targetsOf(page)).toEqual(Array(3).fill(`${origin}/inbox`))
  })

  it('leads to the root in a browser that has not asked', async () => {
    const { ask, browser } = withMail()
    const { flow } = await ask()
    const answer = await browser().get(`/auth/verify-request?provider=email&flow=${flow}`)
    const page = await answer.text()
    expect(targetsOf(page)).toEqual([`${origin}/`])
    expect(page).not.toContain('ada@example.com')
  })
})

describe('invalid requests', () => {
  it.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS'])('%s is not allowed', async (method) => {
    const { browser } = withMail()
    for (const [path, allow] of [
      ['/auth/signin/email', 'POST'],
      ['/auth/callback/email', 'GET, HEAD, POST'],
      ['/auth/verify-request', 'GET, HEAD'],
    ] as const) {
      const answer = await browser().send(path, { method })
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow])
    }
  })

  it('GET /signin/email starts nothing', async () => {
    const { browser, mails } = withMail()
    const answer = await browser().get('/auth/signin/email?email=ada@example.com')
    expect(answer.status).toBe(405)
    expect(mails).toEqual([])
  })

  it.each<[string, RequestInit, number]>([
    ['multipart', { body: new FormData() }, 415],
    ['text', { body: 'email=ada@example.com', headers: { 'content-type': 'text/plain' } }, 415],
    ['no body', {}, 415],
    ['broken JSON', { body: '{', headers: { 'content-type': 'application/json' } }, 400],
    ['a JSON list', { body: '[]', headers: { 'content-type': 'application/json' } }, 400],
    ['too much', { body: new URLSearchParams({ email: 'a'.repeat(70_000) }) }, 413],
    [
      'two addresses',
      { body: new URLSearchParams('email=ada@example.com&email=eve@example.com') },
      400,
    ],
  ])('%s is refused, at both routes', async (_, init, status) => {
    const { browser, mails } = withMail()
    for (const path of ['/auth/signin/email', '/auth/callback/email']) {
      expect((await browser().send(path, { method: 'POST', ...init })).status).toBe(status)
    }
    expect(mails).toEqual([])
  })

  it('a request from another site, or without the csrf token, mails nothing', async () => {
    const { browser, mails, store } = withMail()
    const admit = vi.spyOn(store.ledger, 'admit')
    const where = browser()
    const email = 'ada@example.com'
    const answers = [
      await where.submit('/auth/signin/email', { email }, { origin: 'https://evil.example' }),
      await where.submit('/auth/signin/email', { email }, { 'sec-fetch-site': 'cross-site' }),
      await where.post('/auth/signin/email', { email }),
      await where.post('/auth/signin/email', { email, csrfToken: 'x' }),
    ]
    expect(answers.map(errorOf)).toEqual(Array(4).fill('/auth/signin MissingCSRF'))
    expect(mails).toEqual([])
    expect(admit).not.toHaveBeenCalled()
  })

  it('with skipCSRFCheck the link of another browser still asks first', async () => {
    const { browser, ask } = withMail({}, { skipCSRFCheck })
    const asked = await ask()
    const posted = await browser().post('/auth/signin/email', { email: 'ada@example.com' })
    expect(posted.status).toBe(302)
    const page = await browser().get(asked.path)
    expect(setsSession(page)).toBe(false)
  })
})

describe('/verify-request', () => {
  it('repeats no part of its query', async () => {
    const { browser } = withMail()
    const hostile = '"><script>alert(1)</script>'
    for (const name of ['error', 'code', 'flow', 'provider', 'callbackUrl', 'email', 'token']) {
      const query = new URLSearchParams({ error: 'Verification', [name]: hostile })
      const answer = await browser().get(`/auth/verify-request?${query}`)
      const page = await answer.text()
      expect([200, 403]).toContain(answer.status)
      expect(page).not.toMatch(/<script|alert\(1\)/)
    }
  })

  it.each(['constructor', '__proto__', 'toString', ''])(
    'the unknown error word %j is not shown',
    async (word) => {
      const { browser } = withMail()
      const query = new URLSearchParams({ error: word, code: word })
      const answer = await browser().get(`/auth/verify-request?${query}`)
      expect(answer.status).toBe(200)
      expect(await answer.text()).not.toContain('function')
    },
  )

  it('in a browser without the flow it names no address, whatever the query', async () => {
    const { ask, browser } = withMail()
    const { flow } = await ask()
    for (const query of [
      `provider=email&flow=${flow}`,
      `flow=${flow}`,
      'provider=email',
      `provider=google&flow=${flow}`,
      'provider=__proto__&flow=__proto__',
    ]) {
      const page = await (await browser().get(`/auth/verify-request?${query}`)).text()
      expect(page).not.toContain('ada@example.com')
      expect(page).not.toContain('name="code"')
    }
  })

  it('a flow of another kind of provider asks for no code', async () => {
    const { browser } = withMail({}, { providers: [mailProvider([]), fakeProvider()] })
    const where = browser()
    const state = (await where.start('fake')).searchParams.get('state') ?? ''
    const [flow = ''] = state.split('.')
    for (const provider of ['fake', 'email']) {
      const page = await where.get(`/auth/verify-request?provider=${provider}&flow=${flow}`)
      expect(page.status).toBe(200)
      expect(await page.text()).not.toMatch(/name="(?:code|email)"|undefined/)
    }
  })

  it('for an address that is added says so, and asks for another mail there', async () => {
    const { signIn, startAdding } = people()
    const ada = await signIn('one', 'ada')
    const start = await startAdding(ada, 'email', { email: 'more@mail.example' })
    const { pathname, search } = new URL(locationOf(start))
    const page = await (await ada.get(pathname + search)).text()
    expect(page).toContain('Add this address')
    expect(page).toContain('action="/auth/ways/add"')
    expect(page).not.toContain('action="/auth/signin/email"')
  })

  it('for a provider that is gone meanwhile asks for no code', async () => {
    const { ask } = withMail()
    const { browser, flow } = await ask()
    const later = copyOf(browser, configWith({ providers: [fakeProvider()] }))
    const page = await later.get(`/auth/verify-request?provider=email&flow=${flow}`)
    expect(page.status).toBe(200)
    expect(await page.text()).not.toContain('name="code"')
  })

  it('says how long they work still, and when another mail may be asked for', async () => {
    const { ask } = withMail()
    const { browser, flow } = await ask()
    const after = async (seconds: number) => {
      await advance(seconds * 1_000)
      const page = await (
        await browser.get(`/auth/verify-request?provider=email&flow=${flow}`)
      ).text()
      const [works] = page.match(/\d+ more minutes?|has expired/) ?? []
      const [wait] = page.match(/after \d+ seconds/) ?? []
      return [works, wait]
    }
    expect(await after(0)).toEqual(['10 more minutes', 'after 20 seconds'])
    expect(await after(9)).toEqual(['10 more minutes', 'after 20 seconds'])
    expect(await after(1)).toEqual(['10 more minutes', 'after 10 seconds'])
    expect(await after(10)).toEqual(['10 more minutes', undefined])
    expect(await after(280)).toEqual(['5 more minutes', undefined])
    expect(await after(299)).toEqual(['1 more minute', undefined])
    expect(await after(1)).toEqual(['has expired', undefined])
    expect(await after(200)).toEqual(['has expired', undefined])
  })

  it('after a wrong code it is a 403 with the error, and asks again', async () => {
    const { ask } = withMail()
    const { browser, flow, code } = await ask()
    const typed = await browser.submit('/auth/callback/email', { flow, code: wrong(code) })
    const { pathname, search } = new URL(locationOf(typed))
    const answer = await browser.get(pathname + search)
    expect(answer.status).toBe(403)
    const page = await answer.text()
    expect(page).toContain('That code is wrong')
    expect(page).toContain(`name="flow" value="${flow}"`)
  })

  it('HEAD sets no cookie', async () => {
    const { browser } = withMail()
    const answer = await browser().send('/auth/verify-request', { method: 'HEAD' })
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([200, []])
  })
})

describe('a caller that asked for JSON', () => {
  it('gets the URL to go to, and no secret', async () => {
    const { ask, browser } = withMail()
    const { answer, token, code } = await ask('ada@example.com', browser(), { headers: json })
    expect(answer.status).toBe(200)
    const text = await answer.text()
    expect(JSON.parse(text)).toEqual({ url: expect.stringContaining('/auth/verify-request?') })
    for (const secret of [token, code, 'ada']) expect(text).not.toContain(secret)
  })

  it('after an invalid address, a mail that was not sent, a wrong code', async () => {
    const { browser } = withMail({ sendVerificationRequest: () => Promise.reject(new Error('x')) })
    const where = browser()
    const none = await where.submit('/auth/signin/email', { email: 'x' }, json)
    expect([none.status, await none.json()]).toEqual([
      401,
      {
        url: `${origin}/auth/signin?error=CredentialsSignin&code=invalid_address`,
        error: 'CredentialsSignin',
        code: 'invalid_address',
      },
    ])
    const failed = await where.submit('/auth/signin/email', { email: 'ada@example.com' }, json)
    expect([failed.status, await failed.json()]).toEqual([
      503,
      {
        url: `${origin}/auth/signin?error=Verification&code=not_sent`,
        error: 'Verification',
        code: 'not_sent',
      },
    ])
    const { ask } = withMail()
    const asked = await ask()
    const fields = { flow: asked.flow, code: wrong(asked.code) }
    const typed = await asked.browser.submit('/auth/callback/email', fields, json)
    expect([typed.status, await typed.json()]).toEqual([
      403,
      {
        url: `${origin}/auth/verify-request?provider=email&flow=${asked.flow}&error=Verification&code=wrong_code`,
        error: 'Verification',
        code: 'wrong_code',
      },
    ])
    const right = { flow: asked.flow, code: asked.code }
    const done = await asked.browser.submit('/auth/callback/email', right, json)
    expect([done.status, await done.json()]).toEqual([200, { url: `${origin}/inbox` }])
    expect(setsSession(done)).toBe(true)
  })

  it('over a limit: 429 with Retry-After, for mails and for codes', async () => {
    const { ask, browser } = withMail()
    const where = browser()
    let asked = await ask('ada@example.com', where)
    for (let count = 1; count < 5; count++) asked = await ask('ada@example.com', where)
    const { answer } = await ask('ada@example.com', where, { headers: json })
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '3600'])
    expect(await answer.json()).toMatchObject({ error: 'CredentialsSignin', code: 'rate_limited' })
    const fields = { flow: asked.flow, code: wrong(asked.code) }
    for (let count = 0; count < 10; count++) await where.submit('/auth/callback/email', fields)
    const typed = await where.submit('/auth/callback/email', fields, json)
    expect([typed.status, typed.headers.get('retry-after')]).toEqual([429, '3600'])
    expect(await typed.json()).toMatchObject({ error: 'CredentialsSignin', code: 'rate_limited' })
  })
})

describe('pages of the app’s own', () => {
  const pages = { signIn: '/login', verifyRequest: 'https://app.example/check' }

  it('get the parameters that they need, and no secret', async () => {
    const { ask } = withMail({}, { pages })
    const { answer, flow, token, code, browser } = await ask()
    expect(locationOf(answer)).toBe(`https://app.example/check?provider=email&flow=${flow}`)
    for (const secret of [token, code, 'ada']) expect(locationOf(answer)).not.toContain(secret)
    const typed = await browser.submit('/auth/callback/email', { flow, code: wrong(code) })
    expect(locationOf(typed)).toBe(
      `https://app.example/check?provider=email&flow=${flow}&error=Verification&code=wrong_code`,
    )
    const shown = await browser.get(
      `/auth/verify-request?provider=email&flow=${flow}&error=x&code=y`,
    )
    expect(locationOf(shown)).toBe(
      `https://app.example/check?provider=email&flow=${flow}&error=x&code=y`,
    )
  })

  it('over a limit: a redirect with error and code, and Retry-After', async () => {
    const { ask, browser } = withMail({}, { pages })
    const where = browser()
    let asked = await ask('ada@example.com', where)
    for (let count = 1; count < 5; count++) asked = await ask('ada@example.com', where)
    const { answer } = await ask('ada@example.com', where)
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([302, '3600'])
    const url = new URL(locationOf(answer))
    expect(url.pathname).toBe('/login')
    expect(Object.fromEntries(url.searchParams)).toEqual({
      error: 'CredentialsSignin',
      code: 'rate_limited',
      callbackUrl: `${origin}/inbox`,
    })
    const fields = { flow: asked.flow, code: wrong(asked.code) }
    for (let count = 0; count < 10; count++) await where.submit('/auth/callback/email', fields)
    const typed = await where.submit('/auth/callback/email', fields)
    expect([typed.status, typed.headers.get('retry-after')]).toEqual([302, '3600'])
    expect(locationOf(typed)).toContain('https://app.example/check?')
    expect(locationOf(typed)).toContain('code=rate_limited')
  })

  it('a foreign page in the query is ignored', async () => {
    const { browser } = withMail({}, { pages })
    const query = 'callbackUrl=https://evil.example&pages=https://evil.example'
    const answer = await browser().get(`/auth/verify-request?${query}`)
    expect(locationOf(answer)).toBe('https://app.example/check')
  })
})

describe('raw', () => {
  const caller = async () => {
    const { config, mails, errors } = withMail()
    const rawConfig: AuthConfig & { raw: typeof raw } = { ...config, skipCSRFCheck, raw }
    const cookies = new Map<string, string>()
    const ask = async (path: string, fields?: Record<string, string>) => {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const body = fields && { method: 'POST', body: new URLSearchParams(fields) }
      const request = new Request(origin + path, { headers: { cookie }, ...body })
      const answer = await Auth(request, rawConfig)
      for (const { name, value } of answer.cookies) cookies.set(name, value)
      return answer
    }
    return { ask, mails, errors }
  }

  it('a mail, a wrong code, too many, and the right one', async () => {
    const { ask, mails, errors } = await caller()
    const { redirect = '' } = await ask('/auth/signin/email', { email: 'ada@example.com' })
    const flow = new URL(redirect).searchParams.get('flow') ?? ''
    const code = mails[0]?.code ?? ''
    const guess = ask('/auth/callback/email', { flow, code: wrong(code) })
    await expect(guess).rejects.toThrow(Verification)
    expect(errors.map(({ name }) => name)).toEqual(['Verification'])
    const done = await ask('/auth/callback/email', { flow, code })
    expect(done.redirect).toBe(`${origin}/`)
    expect(done.cookies.map(({ name }) => name)).toContain('auth.session-token')
  })

  it('over a limit the error says how long to wait', async () => {
    const { ask, errors } = await caller()
    for (let count = 0; count < 5; count++) {
      await ask('/auth/signin/email', { email: 'ada@example.com' })
    }
    const error = await ask('/auth/signin/email', { email: 'ada@example.com' }).catch((it) => it)
    expect(error).toBeInstanceOf(TooManyAttempts)
    expect(error).toMatchObject({ retryAfter: 3600, code: 'rate_limited' })
    expect(errors.map(({ name }) => name)).toEqual(['TooManyAttempts'])
  })
})

describe('secrets', () => {
  it('are only in the mail, the link and the confirmation page', async () => {
    const mails: Parameters<typeof mailProvider>[0] = []
    const { errors, lines, browser } = withMail({}, { providers: [mailProvider(mails)] })
    const seen: string[] = []
    const keep = async (answer: Response) => {
      const copy = answer.clone()
      seen.push([...copy.headers].join('\n') + (await copy.text()))
      return answer
    }
    const [where, other] = [browser(), browser()]
    for (const email of ['ada@example.com', 'x']) {
      await keep(await where.submit('/auth/signin/email', { email }))
    }
    const [{ url = '', code = '' } = {}] = mails
    const token = new URL(url).searchParams.get('token') ?? ''
    const [flow = ''] = [...where.jar.keys()].flatMap((name) =>
      name.startsWith('auth.flow.') ? name.slice('auth.flow.'.length) : [],
    )
    const fields = { flow, code: wrong(code) }
    for (let count = 0; count < 12; count++) {
      await keep(await where.submit('/auth/callback/email', fields))
    }
    await keep(await where.get('/auth/verify-request'))
    await keep(await other.get('/auth/callback/email?token=x'))
    await other.get(`/auth/callback/email?token=${token}`)
    await keep(await other.submit('/auth/callback/email', { token }))
    await keep(await other.submit('/auth/callback/email', { token }))
    await keep(await where.get(`/auth/callback/email?token=${token}`))
    const flowCookie = where.jar.get(`auth.flow.${flow}`) ?? 'none'
    const secrets = [token, token.split('.')[1] ?? '', code]
    for (const secret of secrets) expect(seen.join('\n')).not.toContain(secret)
    const logged = everythingIn([errors, lines]) + errors.map(({ stack }) => stack).join()
    for (const secret of [...secrets, 'ada@example.com', flowCookie]) {
      expect(logged).not.toContain(secret)
    }
    expect(lines.length).toBeGreaterThan(0)
    expect(errors.length).toBeGreaterThan(5)
    // The person who asked sees the address in pages, never in a header.
    const headers = seen.map((text) => text.split('<!DOCTYPE')[0])
    expect(headers.join('\n')).not.toContain('ada@example.com')
  })

  it('the flow cookie shows neither the address nor its secret', async () => {
    const { ask } = withMail()
    const { browser, flow } = await ask('ada@example.com')
    const sealed = browser.jar.get(`auth.flow.${flow}`) ?? ''
    const shown = sealed.split('.').map((part) => Buffer.from(part, 'base64url').toString('latin1'))
    expect(shown.join()).not.toMatch(/ada|inbox|state/)
    expect(sealed).not.toContain(flow)
  })

  it('a used link is not in the URL that the browser ends at', async () => {
    const { ask } = withMail()
    const { browser, path, token } = await ask()
    for (const answer of [await browser.get(path), await browser.get(path)]) {
      expect(locationOf(answer)).not.toContain(token.split('.')[1])
    }
  })
})
