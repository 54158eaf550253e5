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
import type { AuthConfig, Environment } from '../../types.js'

const { takeTimers, pass } = clock({ start: 'now' })
const turnstile = siteverify()

const FIELD = 'cf-turnstile-response'
const JSON_PLEASE = { 'x-auth-return-redirect': '1' }
const ada = { username: 'ada', password: 'lovelace' }
const email = 'ada@example.com'
const byPassword = '/auth/callback/credentials'
const byMail = '/auth/signin/email'
const REFUSED = '/auth/error AccessDenied turnstile'

interface Try {
  readonly path?: string
  /** Beside a right response, or in its place. */
  readonly fields?: Readonly<Record<string, unknown>>
  readonly headers?: Record<string, string>
  readonly isJson?: boolean
  readonly env?: Environment
  readonly changes?: Partial<AuthConfig>
}

/** Sends Ada's right password, as a script does, in a deployment of its own. */
async function enter({
  path = byPassword,
  fields,
  headers = JSON_PLEASE,
  isJson,
  env,
  changes,
}: Try = {}) {
  const world = withTurnstile(turnstile, changes, env)
  const own = world.browser()
  const given = { ...ada, email, [FIELD]: turnstile.issue(), ...fields }
  const answer = isJson
    ? await own.send(path, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ ...given, csrfToken: await own.csrfToken() }),
      })
    : await own.submit(path, given as Record<string, string>, headers)
  const said = (await answer.clone().json()) as { error?: string; code?: string }
  const isIn = (await own.session()) !== null
  return { ...world, own, answer, status: answer.status, ...said, isIn }
}

/** Refused, before Cloudflare was asked and anything was tried. */
async function expectUnasked(one: Try): Promise<void> {
  const { status, code, tried, isIn } = await enter(one)
  expect([status, code, tried, isIn]).toEqual([403, 'turnstile', [], false])
  expect(turnstile.asked).toEqual([])
}

describe('a response of Turnstile', () => {
  test('that is right lets a password through, and is asked about with the secret key alone', async () => {
    const response = turnstile.issue(2_048)
    const { answer, own } = await enter({ fields: { [FIELD]: response, callbackUrl: '/inbox' } })
    expect(await answer.json()).toMatchObject({ url: `${origin}/inbox` })
    expect((await own.session())?.user?.name).toBe('Ada')
    const { secretKey: secret } = turnstileKeys
    expect(turnstile.asked.map((form) => Object.fromEntries(form))).toEqual([{ secret, response }])
  })

  test('lets a mail through, its code, and the page of its link in another browser', async () => {
    const { browser, mails } = withTurnstile(turnstile)
    const own = browser()
    const human = () => ({ [FIELD]: turnstile.issue() })
    const asked = await own.submit(byMail, { email, ...human() })
    const flow = new URL(locationOf(asked)).searchParams.get('flow')
    await own.submit('/auth/callback/email', { flow, code: mails[0]?.code, ...human() })
    expect((await own.session())?.user?.email).toBe(email)

    await browser().submit(byMail, { email: 'bob@example.com', ...human() })
    const elsewhere = browser()
    const { pathname, search, searchParams } = new URL(mails[1]?.url ?? '')
    expect(await (await elsewhere.get(pathname + search)).text()).toContain('cf-turnstile')
    const token = searchParams.get('token')
    await elsewhere.submit('/auth/callback/email', { token, ...human() })
    expect((await elsewhere.session())?.user?.email).toBe('bob@example.com')
  })

  test('may come in JSON', async () => {
    expect((await enter({ isJson: true })).isIn).toBe(true)
  })

  test('counts once: one that was bought does not try a hundred passwords', async () => {
    const { browser, tried, mails } = withTurnstile(turnstile)
    const own = browser()
    const once = { [FIELD]: turnstile.issue() }
    await own.submit(byPassword, { ...ada, password: 'wrong', ...once })
    for (const path of [byPassword, byMail]) {
      expect(errorOf(await own.submit(path, { ...ada, email, ...once }))).toBe(REFUSED)
    }
    expect([tried, mails, await own.session()]).toEqual([['ada'], [], null])
  })
})

describe('a form without a right response', () => {
  test('ends at the error page, which leads back to the user’s target', async () => {
    const { browser, errors, tried } = withTurnstile(turnstile)
    const own = browser()
    const answer = await own.submit(byPassword, { ...ada, callbackUrl: '/inbox', maxAge: '300' })
    expect([answer.status, errorOf(answer)]).toEqual([302, REFUSED])
    const { pathname, search } = new URL(locationOf(answer))
    const shown = await own.get(pathname + search)
    expect(shown.status).toBe(403)
    const [, href = ''] = (await shown.text()).match(/href="(\/auth\/signin[^"]*)"/) ?? []
    const form = await (await own.get(href.replaceAll('&amp;', '&'))).text()
    expect(form).toContain('Wait until the check is done, then send the form again.')
    expect(form).toContain(`name="callbackUrl" value="${origin}/inbox"`)
    expect(form).toContain('name="maxAge" value="300"')
    expect([errors.map(({ name }) => name), tried]).toEqual([['AccessDenied'], []])
  })

  test('is 403 with the same words as JSON', async () => {
    const { answer, status } = await enter({ path: byMail, fields: { [FIELD]: '' } })
    const url = `${origin}/auth/error?error=AccessDenied&code=turnstile`
    expect(status).toBe(403)
    expect(await answer.json()).toEqual({ url, error: 'AccessDenied', code: 'turnstile' })
  })

  test('does not make the error page lead to another site: open redirect', async () => {
    const own = withTurnstile(turnstile).browser()
    const query = new URLSearchParams({ error: 'AccessDenied', code: 'turnstile' })
    query.set('callbackUrl', 'https://evil.example/"><script>')
    const html = await (await own.get(`/auth/error?${query}`)).text()
    const [, href = ''] = html.match(/href="(\/auth\/signin[^"]*)"/) ?? []
    expect(html).not.toMatch(/"https:\/\/evil|<script/)
    const page = await own.get(href.replaceAll('&amp;', '&'))
    expect(await page.text()).not.toContain('evil.example')
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
    await expectUnasked({ isJson: true, fields: { [FIELD]: value } })
  })

  test.each<[string, (response: string) => Try]>([
    ['the query', (one) => ({ path: `${byPassword}?${new URLSearchParams({ [FIELD]: one })}` })],
    ['a header', (one) => ({ headers: { ...JSON_PLEASE, [FIELD]: one } })],
    ['a field of another spelling', (one) => ({ fields: { 'CF-Turnstile-Response': one } })],
    ['a field of an array', (one) => ({ fields: { 'cf-turnstile-response[]': one } })],
  ])('is refused if the response stands in %s', async (_, made) => {
    const { fields, ...rest } = made(turnstile.issue())
    await expectUnasked({ ...rest, fields: { ...fields, [FIELD]: '' } })
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
    for (const path of SPELLINGS) {
      const answer = await own.submit(path, { ...ada, email })
      const ending = answer.status === 302 ? errorOf(answer) : String(answer.status)
      expect([REFUSED, '404', '/auth/error Configuration']).toContain(ending)
    }
    expect([tried, mails, turnstile.asked]).toEqual([[], [], []])
  })

  test.each(['GET', 'HEAD', 'PUT', 'DELETE'])('%s starts and tries nothing', async (method) => {
    const { browser, tried, mails } = withTurnstile(turnstile)
    const own = browser()
    const query = `?${new URLSearchParams({ ...ada, email })}`
    for (const path of [byPassword, byMail, '/auth/callback/email', '/auth/ways/add']) {
      await own.send(path + query, { method })
    }
    expect([tried, mails, turnstile.asked]).toEqual([[], [], []])
  })

  test('is refused also if the app has checked the csrf token itself', async () => {
    const { browser, tried } = withTurnstile(turnstile, { skipCSRFCheck })
    expect(errorOf(await browser().post(byPassword, ada))).toBe(REFUSED)
    expect(tried).toEqual([])
  })

  test('throws to an app that asks for raw answers, also if there were too many wrong ones', async () => {
    const auth = createAuth(withTurnstile(turnstile, { skipCSRFCheck, raw }).config)
    const ask = (fields: Record<string, string>) => {
      const headers = { 'cf-connecting-ip': '192.0.2.1' }
      const init = { method: 'POST', headers, body: new URLSearchParams({ ...ada, ...fields }) }
      return auth.request(origin + byPassword, init, turnstile.env).catch((error) => error)
    }
    expect(await ask({})).toMatchObject({ type: 'AccessDenied', code: 'turnstile' })
    const wrong = { [FIELD]: 'made-up' }
    for (let count = 0; count < 30; count++) expect((await ask(wrong)).code).toBe('turnstile')
    const late = { message: 'Too many wrong responses.', retryAfter: 60 }
    expect(await ask(wrong)).toMatchObject(late)
  })

  test('uses none up without the csrf token: another site cannot spend a visitor’s', async () => {
    const own = withTurnstile(turnstile).browser()
    const answer = await own.post(byPassword, { ...ada, [FIELD]: turnstile.issue() })
    expect(errorOf(answer)).toBe('/auth/signin MissingCSRF')
    expect(turnstile.asked).toEqual([])
  })

  test('leads to the app’s own error page if it has one', async () => {
    const { browser } = withTurnstile(turnstile, { pages: { signIn: '/login', error: '/oops' } })
    const answer = await browser().submit(byPassword, { ...ada, callbackUrl: '/inbox' })
    const { pathname, searchParams } = new URL(locationOf(answer))
    const expected = ['/oops', `${origin}/inbox`, 'AccessDenied', 'turnstile']
    expect([pathname, ...searchParams.values()]).toEqual(expected)
  })

  test('for a way that is added is refused before anything is sent', async () => {
    const { own, mails } = await enter()
    const fields = { provider: 'email', email: 'eve@example.com' }
    expect(errorOf(await own.submit('/auth/ways/add', fields))).toBe(REFUSED)
    expect(mails).toEqual([])
    await own.submit('/auth/ways/add', { ...fields, [FIELD]: turnstile.issue() })
    expect(mails.map(({ identifier }) => identifier)).toEqual(['eve@example.com'])
  })

  test('many wrong ones of one network have to wait, and then Turnstile is not asked', async () => {
    const own = withTurnstile(turnstile).browser()
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

const SPELLINGS = [
  ...['', '/', '?', '?x=1', '//', ';x'].map((end) => byPassword + end),
  '/auth//callback/credentials',
  '/auth/./callback/credentials',
  '/auth/callback/../callback/credentials',
  '/auth/callback/%63redentials',
  '/AUTH/callback/credentials',
  '/auth/Callback/credentials',
  '/auth/callback/Credentials',
  '/auth/callback\\credentials',
  '/auth/signin/email',
  '/auth/signin/Email',
  '/auth/signin/email/',
  '/auth/signin/%65mail',
]

type Answer = Parameters<typeof turnstile.answerWith>[0]
const says =
  (body: unknown, status?: number): Answer =>
  (response) =>
    sendJson(response, body, status)

/** A try of a password and of a mail, while siteverify answers so. */
async function tryBoth(answerAs: Answer) {
  turnstile.answerWith(answerAs)
  const response = turnstile.issue()
  const tries = [byPassword, byMail].map((path) => enter({ path, fields: { [FIELD]: response } }))
  const both = await Promise.all(tries)
  for (const { tried, mails, isIn } of both) expect([tried, mails, isIn]).toEqual([[], [], false])
  return { both, response, errors: both.flatMap(({ errors }) => errors) }
}

/** Its log says which variable may be wrong, and no secret. */
function expectUnavailable(errors: readonly Error[], response: string): void {
  expect(new Set(errors.map(({ name }) => name))).toEqual(new Set(['StoreUnavailable']))
  const logged = errors.map((error) => everythingIn(error)).join()
  expect(logged).toContain('AUTH_TURNSTILE_SECRET_KEY')
  for (const secret of [turnstileKeys.secretKey, response]) expect(logged).not.toContain(secret)
}

describe('no user gets through, with 503, while siteverify', () => {
  test.each<[string, Answer]>([
    ['breaks the connection off', (response) => void response.destroy()],
    ['fails', says({ success: true }, 500)],
    ['fails with a verdict', says({ success: false }, 503)],
    ['limits us', says({ success: false }, 429)],
    ['redirects', (response) => void response.writeHead(302, { location: turnstile.url }).end()],
    ['is a page', (response) => void response.end('<html>Sorry</html>')],
    ['is empty', (response) => void response.end()],
    ['is a list', says([{ success: true }])],
    ['is a text', says('success')],
    ['is null', says(null)],
    ['is longer than it ever is', says({ success: true, x: 'x'.repeat(65_536) })],
    ['does not know our secret', says({ success: false, 'error-codes': ['invalid-input-secret'] })],
    ['has an internal error', says({ success: false, 'error-codes': ['internal-error'] })],
    ['succeeds with a fault', says({ success: true, 'error-codes': ['internal-error'] })],
    ['has codes that are not a list', says({ success: true, 'error-codes': { toString: 1 } })],
  ])('%s', async (_, answerAs) => {
    const { both, errors, response } = await tryBoth(answerAs)
    for (const { status, error } of both) expect([status, error]).toEqual([503, 'Configuration'])
    expectUnavailable(errors, response)
  })

  test('never ends, on a page that says so', async () => {
    const { browser, errors, tried } = withTurnstile(turnstile)
    const own = browser()
    const response = turnstile.issue()
    const fields = { ...ada, csrfToken: await own.csrfToken(), [FIELD]: response }
    turnstile.answerWith((answer) => void answer.write('{"success":true'))
    takeTimers()
    const sending = own.post(byPassword, fields, { accept: 'text/html' })
    await vi.waitFor(() => expect(turnstile.asked).toHaveLength(1), { timeout: 5_000 })
    await vi.advanceTimersByTimeAsync(10_000)
    const page = await sending
    expect([page.status, tried]).toEqual([503, []])
    expect(await page.text()).toContain('A service that sign-in needs is not responding.')
    expectUnavailable(errors, response)
  })

  test('cannot be reached', async () => {
    const env = { AUTH_TURNSTILE_VERIFY_URL: 'http://127.0.0.1:1/siteverify' }
    const { status, tried } = await enter({ env })
    expect([status, tried]).toEqual([503, []])
  })
})

test.each<[number, unknown]>(
  [
    ...[false, 'true', 1, {}, [true], null, undefined].map(
      (success) => [200, { success }] as const,
    ),
    [400, { success: true }],
    [400, { success: false, 'error-codes': ['invalid-input-response'] }],
  ].map(([status, body]) => [status as number, body]),
)('success is true and nothing else: %i with %j is refused', async (status, body) => {
  const { both } = await tryBoth(says(body, status))
  for (const one of both) expect([one.status, one.code]).toEqual([403, 'turnstile'])
})

test('the log names the error of a form, and the status of siteverify', async () => {
  for (const response of ['', 'made-up']) {
    const { errors } = await enter({ fields: { [FIELD]: response } })
    expect(errors[0]?.message).toContain('A form has no right cf-turnstile-response.')
  }
  turnstile.answerWith(says({ success: true }, 502))
  expect((await enter()).errors).toMatchObject([{ cause: { status: 502 } }])
})

test('without an address of its own a response is checked at Cloudflare, and nowhere else', async () => {
  const asked: string[] = []
  vi.stubGlobal('fetch', async (url: string) => {
    asked.push(url)
    return Response.json({ success: true })
  })
  const { isIn } = await enter({ env: { AUTH_TURNSTILE_VERIFY_URL: '' } })
  vi.unstubAllGlobals()
  expect(asked).toEqual(['https://challenges.cloudflare.com/turnstile/v0/siteverify'])
  expect(isIn).toBe(true)
})

test('the binding counts wrong responses apart from passwords, and no right ones', async () => {
  const keys: string[] = []
  const limit = async ({ key }: { key: string }) => ({ success: keys.push(key) > 0 })
  const { browser } = withTurnstile(turnstile, {}, { RATE_LIMIT: { limit } })
  const own = browser()
  for (const response of ['made-up', turnstile.issue()]) {
    const headers = { 'cf-connecting-ip': '192.0.2.1' }
    await own.submit(byPassword, { ...ada, [FIELD]: response }, headers)
  }
  expect(keys).toEqual(['human:192.0.2.1', 'credentials:192.0.2.1'])
})

test('nothing that siteverify says is logged: it may repeat the request', async () => {
  const repeated = (form: URLSearchParams) => ({
    'error-codes': ['timeout-or-duplicate', form.get('secret'), form.get('response'), 'x\nforged'],
    messages: [form.get('secret')],
  })
  for (const [name, answerAs] of [
    ['AccessDenied', (to, form) => sendJson(to, { success: false, ...repeated(form) })],
    ['StoreUnavailable', (to, form) => sendJson(to, { ...repeated(form), x: 'internal' }, 500)],
    ['StoreUnavailable', (to, form) => void to.end(`{"secret":"${form.get('secret')}`)],
  ] as [string, NonNullable<Answer>][]) {
    const { errors, response } = await tryBoth(answerAs)
    expect(errors.map((error) => error.name)).toEqual([name, name])
    const logged = errors.map((error) => everythingIn(error)).join()
    for (const secret of [turnstileKeys.secretKey, response, 'forged']) {
      expect(logged).not.toContain(secret)
    }
  }
})

test('a script that begins an account with a passkey gets that as JSON', async () => {
  const changes = { providers: [passkey({ rpName: 'Example' })] }
  const begin = async (purpose: unknown, response = '') => {
    const fields = { for: purpose, [FIELD]: response }
    const { answer, status } = await enter({
      path: '/auth/passkey/options',
      headers: {},
      isJson: true,
      changes,
      fields,
    })
    return { status, said: await answer.json() }
  }
  const told = { error: 'AccessDenied', code: 'turnstile' }
  expect(await begin('sign-up')).toEqual({ status: 403, said: told })
  for (const asked of [begin('sign-up', turnstile.issue()), begin('sign-in')]) {
    expect((await asked).said).toHaveProperty('publicKey.challenge')
  }
  for (const purpose of [['sign-up'], { 0: 'sign-up' }, 'Sign-Up', ' sign-up', 'sign-up\0']) {
    expect((await begin(purpose)).said).not.toHaveProperty('publicKey')
  }
})

test('half a configuration serves nothing, and says both names', async () => {
  const { browser, errors } = withTurnstile(turnstile, {}, { AUTH_TURNSTILE_SECRET_KEY: '' })
  expect((await browser().get('/auth/signin')).status).toBe(500)
  expect(errors[0]?.message).toMatch(/AUTH_TURNSTILE_SITE_KEY and AUTH_TURNSTILE_SECRET_KEY/)
})

test('without the variables no form has a widget', async () => {
  const env = { AUTH_TURNSTILE_SITE_KEY: '', AUTH_TURNSTILE_SECRET_KEY: '' }
  const { own, isIn } = await enter({ env, fields: { [FIELD]: '' } })
  expect(isIn).toBe(true)
  const page = await own.get('/auth/signin')
  expect(await page.text()).not.toMatch(/turnstile|<script|<noscript/)
  expect(page.headers.get('content-security-policy')).not.toMatch(/script-src|frame-src|challenges/)
  expect(turnstile.asked).toEqual([])
})

describe('the host of the page with the widget', () => {
  const AUTH_TURNSTILE_SECRET_KEY = '0x4AAAAAAA-a-secret-of-ours'
  const enterFrom = (hostname: unknown, env: Environment = {}, from?: string, changes = {}) => {
    turnstile.answerWith(says({ success: true, hostname }))
    const headers = { ...JSON_PLEASE, ...(from ? { origin: from } : {}) }
    return enter({ env: { AUTH_TURNSTILE_SECRET_KEY, ...env }, headers, changes })
  }

  test('attack: a response that was solved on another site is refused, and the log names its host', async () => {
    for (const hostname of ['evil.example', 'localhost.evil.example', 'xlocalhost', '']) {
      const { code, errors, isIn } = await enterFrom(hostname)
      expect([code, isIn]).toEqual(['turnstile', false])
      const [{ message, cause } = new Error()] = errors
      expect(message).toBe('A cf-turnstile-response comes from a page of another host.')
      if (hostname) expect(JSON.stringify(cause)).toContain(hostname)
    }
  })

  test('attack: a page of another site sends what its visitors solved there, to an app that checks no token', async () => {
    const from = 'https://evil.example'
    const { code, isIn } = await enterFrom('evil.example', {}, from, { skipCSRFCheck })
    expect([code, isIn]).toEqual(['turnstile', false])
  })

  test.each(['01x0000000AA', '1x0000000AAx'])(
    'attack: the secret key %s is not one of Cloudflare’s for tests',
    async (key) => {
      const { isIn } = await enterFrom('evil.example', { AUTH_TURNSTILE_SECRET_KEY: key })
      expect(isIn).toBe(false)
    },
  )

  test('that of the public origin is ours', async () => {
    expect((await enterFrom('localhost')).isIn).toBe(true)
    const AUTH_URL = 'https://auth.example'
    const { answer, status } = await enterFrom('auth.example', { AUTH_URL }, AUTH_URL)
    expect([setsSession(answer), status]).toEqual([true, 200])
  })

  test('that of a trusted origin is ours if the form comes from there', async () => {
    const env = { AUTH_TRUSTED_ORIGINS: 'https://app.example' }
    expect((await enterFrom('app.example', env, 'https://app.example')).isIn).toBe(true)
    expect((await enterFrom('app.example', env)).isIn).toBe(false)
  })

  test('a stand-in that says none, and Cloudflare’s keys for tests, pass', async () => {
    for (const none of [undefined, null, 7]) expect((await enterFrom(none)).isIn).toBe(true)
    const { secretKey } = turnstileKeys
    const env = { AUTH_TURNSTILE_SECRET_KEY: secretKey }
    expect((await enterFrom('example.com', env)).isIn).toBe(true)
  })
})
