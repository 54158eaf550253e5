import { afterEach, describe, expect, it, vi } from 'vitest'
import { OAuthCallbackError } from '../../errors.js'
import {
  type Answers,
  Browser,
  configWith,
  errorOf,
  everythingIn,
  fakeProvider,
  goodTokens,
} from '../../test-support/browser.js'

const failed = '/auth/signin OAuthCallbackError'
const html = (status: number) =>
  new Response('<html>the-access-token the-code</html>', {
    status,
    headers: { 'content-type': 'text/html' },
  })
const text = (body: string, type = 'application/json', status = 200) =>
  new Response(body, { status, headers: { 'content-type': type } })
const redirect = () =>
  new Response(null, { status: 302, headers: { location: 'http://169.254.169.254/?the-code' } })
const large = () => text(`{"sub":"ada","pad":"${'x'.repeat(1024 * 1024)}"}`)

const json = (body: unknown, status = 200) => Response.json(body, { status })
const refusal = { error: 'invalid_grant', error_description: 'no', log_id: 'LOG-1' }
const nested = (code: unknown) => ({ error: { code, message: 'no', log_id: 'LOG-2' } })

/** Answers of a hostile, broken or careless provider; each is a failed sign-in. */
const hostile: [string, Answers][] = [
  ['token: an error with status 400', { token: () => json(refusal, 400) }],
  ['token: an error with status 200', { token: () => json(refusal) }],
  ['token: an error beside tokens', { token: () => json({ ...goodTokens, ...refusal }) }],
  ['token: an error object with status 200', { token: () => json(nested('expired')) }],
  ['token: an error that is an empty string', { token: () => json({ ...goodTokens, error: '' }) }],
  ['token: an error that is a number', { token: () => json({ error: 7 }, 400) }],
  ['token: HTML with status 200', { token: () => html(200) }],
  ['token: HTML with status 500', { token: () => html(500) }],
  ['token: HTML that says it is JSON', { token: () => text('<html>the-code</html>') }],
  ['token: truncated JSON', { token: () => text('{"access_token":"the-access-token') }],
  ['token: nothing', { token: () => new Response(null) }],
  ['token: status 204', { token: () => new Response(null, { status: 204 }) }],
  ['token: an array', { token: () => json([goodTokens]) }],
  ['token: null', { token: () => json(null) }],
  ['token: a string', { token: () => json('the-access-token') }],
  ['token: over 1 MiB', { token: large }],
  ['token: a redirect', { token: redirect }],
  ['token: no token_type', { token: () => ({ access_token: 'the-access-token' }) }],
  ['token: token_type that is an object', { token: () => ({ ...goodTokens, token_type: {} }) }],
  ['token: an unknown token_type', { token: () => ({ ...goodTokens, token_type: 'mac' }) }],
  ['token: no access_token', { token: () => ({ token_type: 'bearer' }) }],
  ['token: an empty access_token', { token: () => ({ ...goodTokens, access_token: '' }) }],
  [
    'token: an access_token that is an object',
    { token: () => ({ ...goodTokens, access_token: {} }) },
  ],
  [
    'token: a newline in the access_token',
    { token: () => ({ ...goodTokens, access_token: 'the-access-token\r\nx: y' }) },
  ],
  ['token: refused connection', { token: () => Promise.reject(new TypeError('fetch failed')) }],
  [
    'token: a fetch that quotes what it sent',
    {
      token: () => Promise.reject(new Error('POST code=the-code&client_secret=the-client-secret')),
    },
  ],
  ['userinfo: an error with status 400', { userinfo: () => json(refusal, 400) }],
  [
    'userinfo: 401 with a challenge',
    {
      userinfo: () =>
        new Response('{}', {
          status: 401,
          headers: {
            'www-authenticate':
              'Bearer error="invalid_token", error_description="the-access-token"',
          },
        }),
    },
  ],
  ['userinfo: status 500 with a person', { userinfo: () => json({ sub: 'ada' }, 500) }],
  ['userinfo: HTML', { userinfo: () => html(200) }],
  ['userinfo: truncated JSON', { userinfo: () => text('{"sub":"ada","token":"the-access-token') }],
  ['userinfo: nothing', { userinfo: () => new Response(null) }],
  ['userinfo: null', { userinfo: () => json(null) }],
  ['userinfo: an array', { userinfo: () => json([{ sub: 'ada' }]) }],
  ['userinfo: over 1 MiB', { userinfo: large }],
  ['userinfo: a redirect', { userinfo: redirect }],
  ['userinfo: no id', { userinfo: () => ({ name: 'Ada' }) }],
  ['userinfo: an id that is empty', { userinfo: () => ({ sub: '' }) }],
  ['userinfo: an id of spaces', { userinfo: () => ({ sub: ' \t ' }) }],
  ['userinfo: an id that is an object', { userinfo: () => ({ sub: {} }) }],
  ['userinfo: an id that is an array', { userinfo: () => ({ sub: ['ada'] }) }],
  ['userinfo: an id that is true', { userinfo: () => ({ sub: true }) }],
  ['userinfo: an id that is a fraction', { userinfo: () => ({ sub: 1.5 }) }],
  ['userinfo: an id beyond exact numbers', { userinfo: () => text('{"sub":9007199254740993}') }],
  ['userinfo: an id that is infinite', { userinfo: () => text('{"sub":1e999}') }],
  ['userinfo: an id of 10,000 characters', { userinfo: () => ({ sub: 'a'.repeat(10_000) }) }],
  ['userinfo: an id in the prototype', { userinfo: () => text('{"__proto__":{"sub":"ada"}}') }],
  [
    'userinfo: refused connection',
    { userinfo: () => Promise.reject(new TypeError('fetch failed')) },
  ],
  [
    'token: a description that repeats the code',
    {
      token: () =>
        json(
          {
            error: 'invalid_grant',
            error_description: 'the-code with the-client-secret is expired',
            log_id: 'the-code',
          },
          400,
        ),
    },
  ],
  [
    'userinfo: an error that repeats the token',
    { userinfo: () => json({ error: 'the-access-token is bad' }, 400) },
  ],
]

afterEach(() => vi.restoreAllMocks())

describe('a hostile answer ends in OAuthCallbackError: no session, no 500, nothing secret logged', () => {
  it.each(hostile)('%s', async (_, answers) => {
    const consoles = (['error', 'warn', 'log', 'info', 'debug'] as const).map((name) =>
      vi.spyOn(console, name).mockImplementation(() => {}),
    )
    const errors: Error[] = []
    const logged: unknown[] = []
    const logger = {
      error: (error: Error) => {
        errors.push(error)
        logged.push(error)
        console.error(error, (error as { cause?: unknown }).cause)
      },
      warn: (...parts: unknown[]) => logged.push(parts),
      debug: (...parts: unknown[]) => logged.push(parts),
    }
    const config = configWith({ providers: [fakeProvider(answers)], logger, debug: true })
    const browser = new Browser(config)
    const url = await browser.start('fake')
    const state = url.searchParams.get('state') ?? ''
    const cookies = [...browser.jar.values()]
    const response = await browser.get(`/auth/callback/fake?code=the-code&state=${state}`)

    expect(response.status).toBe(302)
    expect(errorOf(response)).toBe(failed)
    expect([...browser.jar.keys()]).toEqual(['auth.csrf-token'])
    expect(await browser.session()).toBeNull()
    expect(errors).toHaveLength(1)
    expect(errors[0]).toBeInstanceOf(OAuthCallbackError)
    expect(errors[0]?.cause).toMatchObject({ provider: 'fake' })
    const lines = [logged, ...consoles.map((spy) => spy.mock.calls)]
      .map((part) => everythingIn(part))
      .join()
    const secrets = ['the-code', 'the-access-token', 'the-client-secret', state, ...cookies]
    for (const secret of secrets) expect(lines).not.toContain(secret)
  })
})

describe('the log of a hostile answer', () => {
  const causeOf = async (answers: Answers) => {
    const causes: unknown[] = []
    const logger = { error: (error: Error) => causes.push(error.cause) }
    await new Browser(configWith({ providers: [fakeProvider(answers)], logger })).signIn('fake')
    return causes[0]
  }

  it.each([
    [
      'status 400',
      () => json(refusal, 400),
      { status: 400, error: 'invalid_grant', log_id: 'LOG-1' },
    ],
    ['status 200', () => json(refusal), { status: 200, error: 'invalid_grant', log_id: 'LOG-1' }],
    ['an error object', () => json(nested('expired')), { error: 'expired', log_id: 'LOG-2' }],
  ])('token error with %s: code and log id', async (_, token, expected) => {
    expect(await causeOf({ token })).toMatchObject(expected)
  })

  it('user info error: code and log id', async () => {
    const userinfo = () => json(nested('scope_not_authorized'), 401)
    const expected = { status: 401, error: 'scope_not_authorized', log_id: 'LOG-2' }
    expect(await causeOf({ userinfo })).toMatchObject(expected)
  })

  it('log injection: control characters and length are cut', async () => {
    const evil = `x\r\n[auth][error] forged\u001b[31m${'y'.repeat(10_000)}`
    const cause = await causeOf({ token: () => json({ error: evil, log_id: evil }, 400) })
    const lines = everythingIn(cause)
    for (const mark of ['\r', '\u001b', '\n[auth]']) expect(lines).not.toContain(mark)
    expect(lines.length).toBeLessThan(1_000)
  })
})

describe('the callback itself', () => {
  const finish = async (query: Record<string, string>, options = {}) => {
    const errors: Error[] = []
    const logger = { error: (error: Error) => errors.push(error) }
    const browser = new Browser(configWith({ providers: [fakeProvider({}, options)], logger }))
    const state = (await browser.start('fake')).searchParams.get('state') ?? ''
    const params = new URLSearchParams({ state, ...query })
    const response = await browser.get(`/auth/callback/fake?${params}`)
    return { target: errorOf(response), cause: errors[0]?.cause, browser }
  }

  it('a cancel has its own code', async () => {
    const { target } = await finish({ error: 'access_denied', error_description: 'x' })
    expect(target).toBe(`${failed} access_denied`)
  })

  it('any other error is only logged', async () => {
    const { target, cause } = await finish({ error: 'server_error\r\nforged' })
    expect(target).toBe(failed)
    expect(cause).toMatchObject({ error: 'server_error??forged' })
  })

  it('an error beside a code signs no user in', async () => {
    const { browser } = await finish({ error: 'x', code: 'the-code' })
    expect(await browser.session()).toBeNull()
  })

  it('no code, an empty one, or a JARM response sign no user in', async () => {
    for (const query of [{}, { code: '' }, { code: 'the-code', response: 'e30.e30.' }]) {
      const { target, browser } = await finish(query as Record<string, string>)
      expect(target).toBe(failed)
      expect(await browser.session()).toBeNull()
    }
  })

  it('mix-up: an iss that is not the provider’s is refused (RFC 9207)', async () => {
    const options = { issuer: 'https://provider.example' }
    const evil = await finish({ code: 'the-code', iss: 'https://evil.example' }, options)
    expect(evil.target).toBe(failed)
    const own = await finish({ code: 'the-code', iss: 'https://provider.example' }, options)
    expect(own.target).toBe('/inbox')
  })
})
