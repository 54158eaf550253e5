import { describe, expect, test, vi } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { sendJson, siteverify, turnstileKeys } from '../../../../test/support/siteverify.js'
import { createAuth } from '../../index.js'
import { raw, skipCSRFCheck } from '../../lib/symbols.js'
import passkey from '../../providers/passkey.js'
import {
  errorOf,
  everythingIn,
  locationOf,
  origin,
  setsSession,
} from '../../test-support/browser.js'
import { withTurnstile } from '../../test-support/with-turnstile.js'

const { takeTimers, pass } = clock({ start: 'now' })
const turnstile = siteverify()

const FIELD = 'cf-turnstile-response'
const JSON_PLEASE = { 'x-auth-return-redirect': '1' }
const ada = { username: 'ada', password: 'lovelace' }
const byPassword = '/auth/callback/credentials'
const byMail = '/auth/signin/email'

describe('a response of Turnstile', () => {
  test('that is right lets a password through, and is asked about with the secret key alone', async () => {
    const { browser } = withTurnstile(turnstile)
    const own = browser()
    const response = turnstile.issue(2_048)
    const answer = await own.submit(byPassword, {
      ...ada,
      callbackUrl: '/inbox',
      [FIELD]: response,
    })
    expect(locationOf(answer)).toBe(`${origin}/inbox`)
    expect((await own.session())?.user?.name).toBe('Ada')
    const { secretKey: secret } = turnstileKeys
    expect(turnstile.asked.map((form) => Object.fromEntries(form))).toEqual([{ secret, response }])
  })

  test('lets a mail through, its code, and the page of its link in another browser', async () => {
    const { browser, mails } = withTurnstile(turnstile)
    const own = browser()
    const human = () => ({ [FIELD]: turnstile.issue() })
    const asked = await own.submit(byMail, { email: 'ada@example.com', ...human() })
    const flow = new URL(locationOf(asked)).searchParams.get('flow')
    const code = mails[0]?.code
    await own.submit('/auth/callback/email', { flow, code, ...human() })
    expect((await own.session())?.user?.email).toBe('ada@example.com')

    await browser().submit(byMail, { email: 'bob@example.com', ...human() })
    const elsewhere = browser()
    const link = new URL(mails[1]?.url ?? '')
    expect(await (await elsewhere.get(link.pathname + link.search)).text()).toContain(
      'cf-turnstile',
    )
    const token = link.searchParams.get('token')
    await elsewhere.submit('/auth/callback/email', { token, ...human() })
    expect((await elsewhere.session())?.user?.email).toBe('bob@example.com')
  })

  test('may come in JSON', async () => {
    const { browser } = withTurnstile(turnstile)
    const own = browser()
    const body = { ...ada, csrfToken: await own.csrfToken(), [FIELD]: turnstile.issue() }
    const headers = { 'content-type': 'application/json' }
    await own.send(byPassword, { method: 'POST', headers, body: JSON.stringify(body) })
    expect(await own.session()).not.toBeNull()
  })

  test('counts once: one that was bought does not try a hundred passwords', async () => {
    const { browser, tried, mails } = withTurnstile(turnstile)
    const own = browser()
    const once = { [FIELD]: turnstile.issue() }
    await own.submit(byPassword, { ...ada, password: 'wrong', ...once })
    for (const path of [byPassword, byMail]) {
      const answer = await own.submit(path, { ...ada, email: 'ada@example.com', ...once })
      expect(errorOf(answer)).toBe('/auth/error AccessDenied turnstile')
    }
    expect([tried, mails]).toEqual([['ada'], []])
    expect(await own.session()).toBeNull()
  })
})

describe('a form without a right response', () => {
  test('ends at the error page, which leads back to the user’s target', async () => {
    const { browser, errors, tried } = withTurnstile(turnstile)
    const own = browser()
    const fields = { ...ada, callbackUrl: '/inbox', maxAge: '300' }
    const answer = await own.submit(byPassword, fields)
    const page = new URL(locationOf(answer))
    expect([answer.status, errorOf(answer)]).toEqual([302, '/auth/error AccessDenied turnstile'])
    const shown = await own.get(page.pathname + page.search)
    expect(shown.status).toBe(403)
    const [, href = ''] = (await shown.text()).match(/href="(\/auth\/signin[^"]*)"/) ?? []
    const form = await (await own.get(href.replaceAll('&amp;', '&'))).text()
    expect(form).toContain('Wait until the check is done, then send the form again.')
    expect(form).toContain(`name="callbackUrl" value="${origin}/inbox"`)
    expect(form).toContain('name="maxAge" value="300"')
    expect(errors.map(({ name }) => name)).toEqual(['AccessDenied'])
    expect(tried).toEqual([])
  })

  test('is 403 with the same words as JSON', async () => {
    const { browser } = withTurnstile(turnstile)
    const answer = await browser().submit(byMail, { email: 'ada@example.com' }, JSON_PLEASE)
    expect(answer.status).toBe(403)
    const url = `${origin}/auth/error?error=AccessDenied&code=turnstile`
    expect(await answer.json()).toEqual({ url, error: 'AccessDenied', code: 'turnstile' })
  })

  test('does not make the error page lead to another site: open redirect', async () => {
    const { browser } = withTurnstile(turnstile)
    const own = browser()
    const query = new URLSearchParams({ error: 'AccessDenied', code: 'turnstile' })
    query.set('callbackUrl', 'https://evil.example/"><script>')
    const html = await (await own.get(`/auth/error?${query}`)).text()
    const [, href = ''] = html.match(/href="(\/auth\/signin[^"]*)"/) ?? []
    expect(html).not.toMatch(/"https:\/\/evil|<script/)
    expect(await (await own.get(href.replaceAll('&amp;', '&'))).text()).not.toContain(
      'evil.example',
    )
  })

  test.each<[string, unknown]>([
    ['empty', ''],
    ['longer than any', 'x'.repeat(2_049)],
    ['an array', ['x']],
    ['an object', { success: true }],
    ['true', true],
    ['a number', 1],
    ['null', null],
  ])('is refused without asking Cloudflare, if it is %s', async (_, value) => {
    const { browser, tried } = withTurnstile(turnstile)
    const own = browser()
    const body = JSON.stringify({ ...ada, csrfToken: await own.csrfToken(), [FIELD]: value })
    const headers = { 'content-type': 'application/json', ...JSON_PLEASE }
    const answer = await own.send(byPassword, { method: 'POST', headers, body })
    expect([answer.status, await answer.json()]).toMatchObject([403, { code: 'turnstile' }])
    expect([turnstile.asked, tried]).toEqual([[], []])
  })

  test.each([
    ['the query', byPassword, {}],
    ['a field of another spelling', byPassword, { 'CF-Turnstile-Response': 'x' }],
    ['a field of an array', byPassword, { 'cf-turnstile-response[]': 'x' }],
  ])('is refused if the response stands in %s', async (where, path, fields) => {
    const { browser } = withTurnstile(turnstile)
    const response = turnstile.issue()
    const given = Object.fromEntries(Object.keys(fields).map((name) => [name, response]))
    const query = where === 'the query' ? `?${new URLSearchParams({ [FIELD]: response })}` : ''
    const answer = await browser().submit(path + query, { ...ada, ...given }, JSON_PLEASE)
    expect(await answer.json()).toMatchObject({ code: 'turnstile' })
    expect(turnstile.asked).toEqual([])
  })

  test('is refused if a header asks for a header’s own response', async () => {
    const { browser } = withTurnstile(turnstile)
    const headers = { ...JSON_PLEASE, [FIELD]: turnstile.issue() }
    expect((await browser().submit(byPassword, ada, headers)).status).toBe(403)
  })

  test('is refused if it stands twice, the right one first or last', async () => {
    const { browser, tried } = withTurnstile(turnstile)
    const own = browser()
    for (const both of [
      [turnstile.issue(), 'x'],
      ['x', turnstile.issue()],
    ]) {
      const body = new URLSearchParams({ ...ada, csrfToken: await own.csrfToken() })
      for (const one of both) body.append(FIELD, one)
      expect((await own.send(byPassword, { method: 'POST', body })).status).toBe(400)
    }
    expect([turnstile.asked, tried]).toEqual([[], []])
  })

  test('is refused under every spelling of the path that reaches the route, and no other reaches it', async () => {
    const { browser, tried, mails } = withTurnstile(turnstile)
    const own = browser()
    const base = '/auth/callback/credentials'
    const spellings = [
      ...[base, `${base}/`, `${base}?`, `${base}?x=1`, `${base}//`, `/auth//callback/credentials`],
      ...['/auth/./callback/credentials', '/auth/callback/../callback/credentials'],
      ...[
        '/auth/callback/%63redentials',
        '/AUTH/callback/credentials',
        '/auth/Callback/credentials',
      ],
      ...[
        '/auth/callback/Credentials',
        '/auth/callback/credentials;x',
        '/auth/callback\\credentials',
      ],
      ...[
        '/auth/signin/email',
        '/auth/signin/Email',
        '/auth/signin/email/',
        '/auth/signin/%65mail',
      ],
    ]
    for (const path of spellings) {
      const answer = await own.submit(path, { ...ada, email: 'ada@example.com' })
      const ending = answer.status === 302 ? errorOf(answer) : String(answer.status)
      expect(['/auth/error AccessDenied turnstile', '404', '/auth/error Configuration']).toContain(
        ending,
      )
    }
    expect([tried, mails, turnstile.asked]).toEqual([[], [], []])
  })

  test.each(['GET', 'HEAD', 'PUT', 'DELETE'])('%s starts and tries nothing', async (method) => {
    const { browser, tried, mails } = withTurnstile(turnstile)
    const own = browser()
    const query = `?${new URLSearchParams({ ...ada, email: 'ada@example.com' })}`
    for (const path of [byPassword, byMail, '/auth/callback/email', '/auth/ways/add']) {
      await own.send(path + query, { method })
    }
    expect([tried, mails, turnstile.asked]).toEqual([[], [], []])
  })

  test('is refused also if the app has checked the csrf token itself', async () => {
    const { browser, tried } = withTurnstile(turnstile, { skipCSRFCheck })
    const answer = await browser().post(byPassword, ada)
    expect(errorOf(answer)).toBe('/auth/error AccessDenied turnstile')
    expect(tried).toEqual([])
  })

  test('throws to an app that asks for raw answers', async () => {
    const { config } = withTurnstile(turnstile, { skipCSRFCheck, raw })
    const body = new URLSearchParams(ada)
    const asking = createAuth(config).request(
      `${origin}${byPassword}`,
      { method: 'POST', body },
      turnstile.env,
    )
    await expect(asking).rejects.toMatchObject({ type: 'AccessDenied', code: 'turnstile' })
  })

  test('uses none up without the csrf token: another site cannot spend a visitor’s', async () => {
    const { browser } = withTurnstile(turnstile)
    const own = browser()
    const answer = await own.post(byPassword, { ...ada, [FIELD]: turnstile.issue() })
    expect(errorOf(answer)).toBe('/auth/signin MissingCSRF')
    expect(turnstile.asked).toEqual([])
  })

  test('leads to the app’s own error page if it has one', async () => {
    const { browser } = withTurnstile(turnstile, { pages: { signIn: '/login', error: '/oops' } })
    const answer = await browser().submit(byPassword, { ...ada, callbackUrl: '/inbox' })
    const page = new URL(locationOf(answer))
    expect([page.pathname, ...page.searchParams.values()]).toEqual([
      ...['/oops', `${origin}/inbox`, 'AccessDenied', 'turnstile'],
    ])
  })

  test('for a way that is added is refused before anything is sent', async () => {
    const { browser, mails } = withTurnstile(turnstile)
    const own = browser()
    await own.submit(byPassword, { ...ada, [FIELD]: turnstile.issue() })
    const fields = { provider: 'email', email: 'eve@example.com' }
    const answer = await own.submit('/auth/ways/add', fields)
    expect(errorOf(answer)).toBe('/auth/error AccessDenied turnstile')
    expect(mails).toEqual([])
    await own.submit('/auth/ways/add', { ...fields, [FIELD]: turnstile.issue() })
    expect(mails.map(({ identifier }) => identifier)).toEqual(['eve@example.com'])
  })

  test('many wrong ones of one network have to wait, and then Turnstile is not asked', async () => {
    const { browser } = withTurnstile(turnstile)
    const own = browser()
    const send = (network: string, response: string) => {
      const headers = { ...JSON_PLEASE, 'cf-connecting-ip': network }
      return own.submit(byPassword, { ...ada, [FIELD]: response }, headers)
    }
    for (let count = 0; count < 30; count++) await send('192.0.2.1', 'made-up')
    const asked = turnstile.asked.length
    const answer = await send('192.0.2.1', turnstile.issue())
    expect([answer.status, turnstile.asked.length]).toEqual([429, asked])
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await send('192.0.2.2', turnstile.issue())).status).toBe(200)
    pass(61)
    expect((await send('192.0.2.1', turnstile.issue())).status).toBe(200)
  })
})

describe('no user gets through, with 503, while siteverify', () => {
  const cases: [string, Parameters<typeof turnstile.answerWith>[0]][] = [
    ['breaks the connection off', (response) => void response.destroy()],
    ['fails', (response) => sendJson(response, { success: true }, 500)],
    ['fails with a verdict', (response) => sendJson(response, { success: false }, 503)],
    ['limits us', (response) => sendJson(response, { success: false }, 429)],
    ['redirects', (response) => void response.writeHead(302, { location: turnstile.url }).end()],
    ['is a page', (response) => void response.end('<html>Sorry</html>')],
    ['is empty', (response) => void response.end()],
    ['is a list', (response) => sendJson(response, [{ success: true }])],
    ['is a text', (response) => sendJson(response, 'success')],
    ['is null', (response) => sendJson(response, null)],
    [
      'is longer than it ever is',
      (response) => sendJson(response, { success: true, x: 'x'.repeat(65_536) }),
    ],
    ['never ends', (response) => void response.write('{"success":true')],
    [
      'does not know our secret',
      (response) => sendJson(response, { success: false, 'error-codes': ['invalid-input-secret'] }),
    ],
    [
      'has an internal error',
      (response) => sendJson(response, { success: false, 'error-codes': ['internal-error'] }),
    ],
  ]

  test.each(cases)('%s', async (what, answerAs) => {
    const { browser, errors, tried, mails } = withTurnstile(turnstile)
    const own = browser()
    const csrfToken = await own.csrfToken()
    turnstile.answerWith(answerAs)
    const response = turnstile.issue()
    const fields = { ...ada, email: 'ada@example.com', csrfToken, [FIELD]: response }
    if (what === 'never ends') takeTimers()
    const sending = own.post(byPassword, fields, { accept: 'text/html' })
    if (what === 'never ends') {
      await vi.waitFor(() => expect(turnstile.asked).toHaveLength(1), { timeout: 5_000 })
      await vi.advanceTimersByTimeAsync(10_000)
    }
    const page = await sending
    expect(page.status).toBe(503)
    expect(await page.text()).toContain('A service that sign-in needs is not responding.')
    if (what !== 'never ends') {
      const asJson = await own.post(byMail, fields, JSON_PLEASE)
      expect([asJson.status, await asJson.json()]).toMatchObject([503, { error: 'Configuration' }])
      expect((await own.post(byMail, fields)).status).toBe(503)
    }
    expect([tried, mails]).toEqual([[], []])
    expect(new Set(errors.map(({ name }) => name))).toEqual(new Set(['StoreUnavailable']))
    const logged = errors.map((error) => everythingIn(error)).join()
    expect(logged).toContain('AUTH_TURNSTILE_SECRET_KEY')
    for (const secret of [turnstileKeys.secretKey, response]) expect(logged).not.toContain(secret)
  })

  test('cannot be reached', async () => {
    const AUTH_TURNSTILE_VERIFY_URL = 'http://127.0.0.1:1/siteverify'
    const { browser, tried } = withTurnstile(turnstile, {}, { AUTH_TURNSTILE_VERIFY_URL })
    const answer = await browser().submit(byPassword, { ...ada, [FIELD]: turnstile.issue() })
    expect([answer.status, tried]).toEqual([503, []])
  })
})

describe('success is true and nothing else', () => {
  test.each([false, 'true', 1, {}, [true], null, undefined])('%j', async (success) => {
    const { browser, tried } = withTurnstile(turnstile)
    turnstile.answerWith((response) => sendJson(response, { success }))
    const fields = { ...ada, [FIELD]: turnstile.issue() }
    const answer = await browser().submit(byPassword, fields, JSON_PLEASE)
    expect([answer.status, tried]).toEqual([403, []])
  })
})

test.each([
  [400, { success: true }, 403],
  [400, { success: false, 'error-codes': ['invalid-input-response'] }, 403],
  [200, { success: true, 'error-codes': ['internal-error'] }, 503],
  [200, { success: true, 'error-codes': { toString: 1 } }, 503],
])('status %i with %j lets no user through: %i', async (status, body, expected) => {
  const { browser, tried } = withTurnstile(turnstile)
  turnstile.answerWith((response) => sendJson(response, body, status))
  const fields = { ...ada, [FIELD]: turnstile.issue() }
  const answer = await browser().submit(byPassword, fields, JSON_PLEASE)
  expect([answer.status, tried]).toEqual([expected, []])
})

test('the log names the error of a form, and the status of siteverify', async () => {
  const { browser, errors } = withTurnstile(turnstile)
  const own = browser()
  await own.submit(byPassword, ada)
  turnstile.answerWith((response) => sendJson(response, { success: true }, 502))
  await own.submit(byPassword, { ...ada, [FIELD]: turnstile.issue() })
  expect(errors).toMatchObject([
    { message: expect.stringContaining('A form has no right cf-turnstile-response.') },
    { cause: { status: 502 } },
  ])
})

test('an app that asks for raw answers hears of too many wrong responses', async () => {
  const { config } = withTurnstile(turnstile, { skipCSRFCheck, raw })
  const auth = createAuth(config)
  const ask = () => {
    const init = {
      method: 'POST',
      headers: { 'cf-connecting-ip': '192.0.2.1' },
      body: new URLSearchParams({ ...ada, [FIELD]: 'made-up' }),
    }
    return auth.request(`${origin}${byPassword}`, init, turnstile.env).catch((error) => error)
  }
  for (let count = 0; count < 30; count++) expect((await ask()).code).toBe('turnstile')
  expect(await ask()).toMatchObject({ message: 'Too many wrong responses.', retryAfter: 60 })
})

test('without an address of its own a response is checked at Cloudflare, and nowhere else', async () => {
  const { browser } = withTurnstile(turnstile, {}, { AUTH_TURNSTILE_VERIFY_URL: '' })
  const asked: string[] = []
  vi.stubGlobal('fetch', async (url: string) => {
    asked.push(url)
    return Response.json({ success: true })
  })
  const own = browser()
  await own.submit(byPassword, { ...ada, [FIELD]: turnstile.issue() })
  vi.unstubAllGlobals()
  expect(asked).toEqual(['https://challenges.cloudflare.com/turnstile/v0/siteverify'])
  expect(await own.session()).not.toBeNull()
})

test('the binding counts wrong responses apart from passwords, and no right ones', async () => {
  const keys: string[] = []
  const limit = async ({ key }: { key: string }) => ({ success: keys.push(key) > 0 })
  const { browser } = withTurnstile(turnstile, {}, { RATE_LIMIT: { limit } })
  const headers = { 'cf-connecting-ip': '192.0.2.1' }
  const own = browser()
  await own.submit(byPassword, { ...ada, [FIELD]: 'made-up' }, headers)
  await own.submit(byPassword, { ...ada, [FIELD]: turnstile.issue() }, headers)
  expect(keys).toEqual(['human:192.0.2.1', 'credentials:192.0.2.1'])
})

test('nothing that siteverify says is logged: it may repeat the request', async () => {
  const { browser, errors } = withTurnstile(turnstile)
  const repeated = (form: URLSearchParams) => ({
    'error-codes': ['timeout-or-duplicate', form.get('secret'), form.get('response'), 'x\nforged'],
    messages: [form.get('secret')],
  })
  const fields = () => ({ ...ada, [FIELD]: response })
  const response = turnstile.issue()
  turnstile.answerWith((answer, form) => sendJson(answer, { success: false, ...repeated(form) }))
  await browser().submit(byPassword, fields())
  turnstile.answerWith((answer, form) =>
    sendJson(answer, { ...repeated(form), x: 'internal' }, 500),
  )
  await browser().submit(byPassword, fields())
  turnstile.answerWith((answer, form) => void answer.end(`{"secret":"${form.get('secret')}`))
  await browser().submit(byPassword, fields())
  expect(errors.map(({ name }) => name)).toEqual([
    ...['AccessDenied', 'StoreUnavailable', 'StoreUnavailable'],
  ])
  const logged = errors.map((error) => everythingIn(error)).join()
  for (const secret of [turnstileKeys.secretKey, response, 'forged']) {
    expect(logged).not.toContain(secret)
  }
})

test('a script that begins an account with a passkey gets that as JSON', async () => {
  const { browser } = withTurnstile(turnstile, { providers: [passkey({ rpName: 'Example' })] })
  const own = browser()
  const send = async (body: object) => {
    const csrfToken = await own.csrfToken()
    const headers = { 'content-type': 'application/json' }
    return own.send('/auth/passkey/options', {
      method: 'POST',
      headers,
      body: JSON.stringify({ csrfToken, ...body }),
    })
  }
  const refused = await send({ for: 'sign-up' })
  expect(refused.status).toBe(403)
  expect(await refused.json()).toEqual({ error: 'AccessDenied', code: 'turnstile' })
  const options = await send({ for: 'sign-up', [FIELD]: turnstile.issue() })
  expect(await options.json()).toHaveProperty('publicKey.challenge')
  expect(await (await send({ for: 'sign-in' })).json()).toHaveProperty('publicKey.challenge')
  for (const of of [['sign-up'], { 0: 'sign-up' }, 'Sign-Up', ' sign-up', 'sign-up\0']) {
    expect(await (await send({ for: of })).json()).not.toHaveProperty('publicKey')
  }
})

test('half a configuration serves nothing, and says both names', async () => {
  const { browser, errors } = withTurnstile(turnstile, {}, { AUTH_TURNSTILE_SECRET_KEY: '' })
  expect((await browser().get('/auth/signin')).status).toBe(500)
  expect(errors[0]?.message).toMatch(/AUTH_TURNSTILE_SITE_KEY and AUTH_TURNSTILE_SECRET_KEY/)
})

test('without the variables no form has a widget', async () => {
  const off = {
    env: { ...turnstile.env, AUTH_TURNSTILE_SITE_KEY: '', AUTH_TURNSTILE_SECRET_KEY: '' },
  }
  const { browser } = withTurnstile(off)
  const own = browser()
  await own.submit(byPassword, ada)
  expect(await own.session()).not.toBeNull()
  const page = await own.get('/auth/signin')
  expect(await page.text()).not.toMatch(/turnstile|<script|<noscript/)
  expect(page.headers.get('content-security-policy')).not.toMatch(/script-src|frame-src|challenges/)
  expect(turnstile.asked).toEqual([])
})

describe('the host of the page with the widget', () => {
  const secret = '0x4AAAAAAA-a-secret-of-ours'
  const from = (hostname: unknown) => {
    turnstile.answerWith((response) => sendJson(response, { success: true, hostname }))
    return { ...turnstile.env, AUTH_TURNSTILE_SECRET_KEY: secret }
  }
  const enter = async (
    env: Record<string, string>,
    headers: Record<string, string> = {},
    changes = {},
  ) => {
    const { browser, errors } = withTurnstile({ env }, changes)
    const own = browser()
    const answer = await own.submit(byPassword, { ...ada, [FIELD]: 'a-response' }, headers)
    return { answer, errors, isIn: (await own.session()) !== null }
  }

  test('attack: a response that was solved on another site is refused, and the log names its host', async () => {
    for (const hostname of ['evil.example', 'localhost.evil.example', 'xlocalhost', '']) {
      const { answer, errors, isIn } = await enter(from(hostname))
      expect([errorOf(answer), isIn]).toEqual(['/auth/error AccessDenied turnstile', false])
      if (hostname) expect(JSON.stringify(errors.map(({ cause }) => cause))).toContain(hostname)
    }
  })

  test('that of the public origin is ours', async () => {
    expect((await enter(from('localhost'))).isIn).toBe(true)
    const env = { ...from('auth.example'), AUTH_URL: 'https://auth.example' }
    const { answer } = await enter(env, { origin: 'https://auth.example' })
    expect([setsSession(answer), answer.status]).toEqual([true, 302])
  })

  test('that of a trusted origin is ours if the form comes from there', async () => {
    const env = { ...from('app.example'), AUTH_TRUSTED_ORIGINS: 'https://app.example' }
    expect((await enter(env, { origin: 'https://app.example' })).isIn).toBe(true)
    expect((await enter(env)).isIn).toBe(false)
  })

  test('a stand-in that says none, and Cloudflare’s keys for tests, pass', async () => {
    expect((await enter(from(undefined))).isIn).toBe(true)
    const env = {
      ...from('example.com'),
      AUTH_TURNSTILE_SECRET_KEY: turnstile.env.AUTH_TURNSTILE_SECRET_KEY ?? '',
    }
    expect((await enter(env)).isIn).toBe(true)
  })
})
