import type { Reading, Session } from '@latchkey/session'
import { NOBODY } from '@latchkey/session/internal'
import { toSession } from '@latchkey/session/issue'
import { claims } from '@latchkey/session/test-support/keys'
import { sessionReading } from '@latchkey/session/verifier/reading'
import { describe, expect, test } from 'vitest'
import { InvalidConfiguration } from '../shared/invalid-configuration.js'
import type { HostRequest } from './host-request.js'
import { detourOf, type RequireSessionOptions, sessionGate } from './session-gate.js'

const signedIn = 1_800_000_000
const ORIGIN = 'https://app.example'

interface Asked {
  readonly method?: string
  readonly target?: string
  readonly headers?: Readonly<Record<string, string>>
}

function requestOf({ method = 'GET', target = '/pay', headers = {} }: Asked): HostRequest {
  return { method, target, header: (name: string) => headers[name] } as unknown as HostRequest
}

/** A user with a sign-in at a known time, by these methods. */
function personBy(...amr: string[]): Reading {
  const good = { ...claims, iss: `${ORIGIN}/auth`, auth_time: signedIn, amr }
  return sessionReading({ claims: good, session: toSession({ ...good, session: { user: {} } }) })
}

const ann = personBy('credentials')

/** The answer to a request at this age of the sign-in, in seconds. */
async function answerTo(
  asked: Asked,
  options: RequireSessionOptions,
  { reading = ann, age = 0, prefix = '' } = {},
): Promise<Response | undefined> {
  const gate = sessionGate(options, () => (signedIn + age) * 1000)
  return gate(requestOf(asked), reading, { prefixOf: () => prefix })
}

/** No proxy takes anything off. */
const direct = { prefixOf: () => '' }

const stale = { age: 301 }

describe('a session passes', () => {
  test.each([
    [{ maxAge: 300 }, 0],
    [{ maxAge: 300 }, 300],
    [{ maxAge: 0 }, 0],
    [{ maxAge: 300 }, -3600],
    [{ acr: '1' }, 1e8],
    [{}, 1e8],
  ] as const)('%j after %d seconds', (options, age) => {
    const gate = sessionGate(options, () => (signedIn + age) * 1000)
    expect(gate(requestOf({}), ann, direct)).toBeUndefined()
  })

  test('a POST of a fresh session does', async () => {
    expect(await answerTo({ method: 'POST' }, { maxAge: 300 })).toBeUndefined()
  })
})

describe('a page', () => {
  test.each(['GET', 'HEAD'])(
    '%s is sent to sign in, with the needs of the route',
    async (method) => {
      const answer = await answerTo({ method, target: '/pay?to=bo&n=1' }, { maxAge: 300 }, stale)
      expect(answer?.status).toBe(302)
      expect(answer?.headers.get('location')).toBe(
        '/auth/signin?maxAge=300&callbackUrl=%2Fpay%3Fto%3Dbo%26n%3D1',
      )
      expect(answer?.headers.get('cache-control')).toBe('private, no-store')
      expect(answer?.headers.has('www-authenticate')).toBe(false)
    },
  )

  test.each([
    [{ acr: '2' }, '/auth/signin?acr=2&callbackUrl=%2Fpay'],
    [{ maxAge: 0, acr: '2' }, '/auth/signin?maxAge=0&acr=2&callbackUrl=%2Fpay'],
    [{ maxAge: 5, acr: '1' }, '/auth/signin?maxAge=5&acr=1&callbackUrl=%2Fpay'],
    [{ maxAge: 5, redirectTo: '/login' }, '/auth/signin?maxAge=5&callbackUrl=%2Fpay'],
    [
      { maxAge: 5, redirectTo: 'https://evil.example/?callbackUrl=x#y' },
      '/auth/signin?maxAge=5&callbackUrl=%2Fpay',
    ],
  ] as const)('%j leads to %s', async (options, location) => {
    const answer = await answerTo({}, options, stale)
    expect([answer?.status, answer?.headers.get('location')]).toEqual([302, location])
  })

  test('without the needs twice in the URL, the second factor alone leads there', async () => {
    const options = { maxAge: 300, acr: '2' } as const
    expect((await answerTo({}, options, { age: 0 }))?.status).toBe(302)
    const best = personBy('passkey', 'hwk', 'user')
    expect(await answerTo({}, options, { reading: best, age: 300 })).toBeUndefined()
    expect((await answerTo({}, options, { reading: best, age: 301 }))?.status).toBe(302)
  })

  test.each([
    '//evil.example/pay',
    '/\\evil.example',
    '/pay\\..\\evil',
    'https://evil.example/',
    'javascript:alert(1)',
    '/..//evil.example',
    '/.//evil.example',
    '/pay/..//evil.example',
    '/%2e%2e//evil.example?a',
    '/pay/.%2E///evil.example',
    '*',
    '',
  ])('%j is not the target of the sign-in', async (target) => {
    const answer = await answerTo({ target }, { maxAge: 300 }, stale)
    expect(answer?.headers.get('location')).toBe('/auth/signin?maxAge=300&callbackUrl=%2F')
  })

  test('the callbackUrl keeps the whole target, whatever it contains', async () => {
    const target = '/pay?maxAge=1&acr=1&callbackUrl=//evil.example#x'
    const answer = await answerTo({ target }, { maxAge: 300, acr: '2' }, stale)
    const { searchParams, hash } = new URL(answer?.headers.get('location') ?? '', ORIGIN)
    expect([...searchParams]).toEqual([
      ['maxAge', '300'],
      ['acr', '2'],
      ['callbackUrl', target],
    ])
    expect(hash).toBe('')
  })

  test('the page at redirectTo passes in exactly that spelling, as it does for strangers', async () => {
    const options = { redirectTo: '/login', maxAge: 300 }
    expect(await answerTo({ target: '/login?a=b' }, options, stale)).toBeUndefined()
    expect((await answerTo({ target: '/Login' }, options, stale))?.status).toBe(302)
    expect((await answerTo({ target: '/login/' }, options, stale))?.status).toBe(302)
  })
})

const clients: readonly Asked[] = [
  { method: 'POST' },
  { method: 'POST', headers: { accept: 'text/html', 'sec-fetch-dest': 'document' } },
  { method: 'PUT' },
  { method: 'DELETE' },
  { method: 'OPTIONS' },
  { method: 'get' },
  { headers: { accept: 'application/json' } },
  { headers: { 'x-requested-with': 'XMLHttpRequest' } },
  { headers: { 'sec-fetch-dest': 'empty' } },
  { method: 'HEAD', headers: { accept: 'application/json' } },
]

describe('any other client', () => {
  test.each(clients)('gets 401 with the needs of the route, and no redirect: %j', async (asked) => {
    const answer = await answerTo(asked, { maxAge: 300, acr: '2', redirectTo: '/login' }, stale)
    expect(answer?.status).toBe(401)
    expect(answer?.headers.has('location')).toBe(false)
    expect(await answer?.json()).toEqual({
      error: 'FreshSignInRequired',
      maxAge: 300,
      acr: '2',
      url: `${ORIGIN}/auth/signin?maxAge=300&acr=2`,
    })
    expect(answer?.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(answer?.headers.get('cache-control')).toBe('private, no-store')
  })

  test.each([
    [
      { maxAge: 300 },
      ann,
      'Bearer error="insufficient_user_authentication", max_age="300", error_description="More recent authentication is required"',
    ],
    [
      { acr: '2' },
      ann,
      'Bearer error="insufficient_user_authentication", acr_values="2", error_description="A different authentication level is required"',
    ],
    [
      { maxAge: 0, acr: '2' },
      ann,
      'Bearer error="insufficient_user_authentication", max_age="0", acr_values="2", error_description="More recent authentication is required"',
    ],
    [
      { maxAge: 500, acr: '2' },
      ann,
      'Bearer error="insufficient_user_authentication", max_age="500", acr_values="2", error_description="A different authentication level is required"',
    ],
  ] as const)('%j is a challenge of RFC 9470, section 3', async (options, reading, challenge) => {
    const answer = await answerTo({ method: 'POST' }, options, { reading, ...stale })
    expect(answer?.headers.get('www-authenticate')).toBe(challenge)
    const { error, url, ...asked } = ((await answer?.json()) ?? {}) as Record<string, unknown>
    expect(asked).toEqual(options)
  })

  test.each([
    [`${ORIGIN}/pay?to=bo`, '&callbackUrl=%2Fpay%3Fto%3Dbo'],
    [`${ORIGIN}/`, '&callbackUrl=%2F'],
    [ORIGIN, '&callbackUrl=%2F'],
    [`${ORIGIN}/a#fragment`, '&callbackUrl=%2Fa'],
    ['https://evil.example/pay', ''],
    [`${ORIGIN}.evil.example/pay`, ''],
    ['https://app.example@evil.example/pay', ''],
    ['http://app.example/pay', ''],
    ['https://app.example:8443/pay', ''],
    [`${ORIGIN}//evil.example/pay`, ''],
    [`${ORIGIN}/\\evil.example`, ''],
    ['/pay', ''],
    ['javascript:alert(1)', ''],
    ['about:blank', ''],
    ['', ''],
  ])('comes back to the page of this app that asked: %j', async (referer, callback) => {
    const asked = { method: 'POST', headers: { referer } }
    const answer = await answerTo(asked, { maxAge: 300 }, stale)
    expect(await answer?.json()).toMatchObject({
      url: `${ORIGIN}/auth/signin?maxAge=300${callback}`,
    })
  })

  test('is led to the base path of the service', async () => {
    const of = (path: string): Reading =>
      sessionReading({
        session: toSession({ ...claims, session: { user: {} } }),
        claims: { ...claims, iss: ORIGIN + path, auth_time: signedIn },
      })
    const led = async (path: string) => {
      const options = { ...stale, reading: of(path) }
      const page = await answerTo({}, { maxAge: 1 }, options)
      const told = await answerTo({ method: 'POST' }, { maxAge: 1 }, options)
      const { url } = JSON.parse((await told?.text()) ?? '') as { url: string }
      expect(page?.headers.get('location')).toBe(`${url.slice(ORIGIN.length)}&callbackUrl=%2Fpay`)
      return url
    }
    expect(await led('/a/b')).toBe(`${ORIGIN}/a/b/signin?maxAge=1`)
    for (const none of ['', '/', '//evil.example', '/a%2F', '/a b']) {
      expect(await led(none)).toBe(`${ORIGIN}/auth/signin?maxAge=1`)
    }
  })
})

describe('a request without a session', () => {
  const options = { maxAge: 300, acr: '2', redirectTo: '/login' } as const

  test('goes to redirectTo, whatever else is asked', async () => {
    const answer = await answerTo({}, options, { reading: NOBODY })
    expect([answer?.status, answer?.headers.get('location')]).toEqual([
      302,
      '/login?callbackUrl=%2Fpay',
    ])
  })

  test.each(clients)('gets SessionRequired without a challenge: %j', async (asked) => {
    const answer = await answerTo(asked, options, { reading: NOBODY })
    expect([answer?.status, await answer?.text()]).toEqual([401, '{"error":"SessionRequired"}'])
    expect(answer?.headers.has('www-authenticate')).toBe(false)
  })
})

describe('a route that needs a bound session', () => {
  const cnf = { jkt: 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs' }
  const boundBy = (...amr: string[]): Reading => {
    const good = { ...claims, iss: `${ORIGIN}/auth`, auth_time: signedIn, amr, cnf }
    return sessionReading({ claims: good, session: toSession({ ...good, session: { user: {} } }) })
  }
  const post = { method: 'POST' }

  test('lets one pass, however old', async () => {
    expect(await answerTo({}, { bound: true }, { reading: boundBy('a'), age: 1e8 })).toBeUndefined()
    const needs = { maxAge: 300, acr: '2', bound: true } as const
    const reading = boundBy('passkey', 'hwk', 'user')
    expect(await answerTo(post, needs, { reading, age: 300 })).toBeUndefined()
  })

  test.each([
    [{ bound: true }, '/auth/signin?bound=1&callbackUrl=%2Fpay'],
    [{ maxAge: 300, bound: true }, '/auth/signin?maxAge=300&bound=1&callbackUrl=%2Fpay'],
    [
      { acr: '1', bound: true, maxAge: 9 },
      '/auth/signin?maxAge=9&acr=1&bound=1&callbackUrl=%2Fpay',
    ],
  ] as const)('sends a page to sign in, all needs in one: %j', async (options, location) => {
    const answer = await answerTo({}, options)
    expect([answer?.status, answer?.headers.get('location')]).toEqual([302, location])
  })

  test.each(clients)('refuses any other client: %j', async (asked) => {
    const answer = await answerTo(asked, { maxAge: 300, bound: true })
    expect([answer?.status, await answer?.json()]).toEqual([
      401,
      {
        error: 'BoundSessionRequired',
        bound: true,
        url: `${ORIGIN}/auth/signin?maxAge=300&bound=1`,
      },
    ])
    // RFC 9470 is about how and when the user signed in.
    expect(answer?.headers.has('www-authenticate')).toBe(false)
  })

  test('asks for a fresh sign-in first', async () => {
    for (const reading of [ann, boundBy('credentials')]) {
      const more = { reading, ...stale }
      const answer = await answerTo(post, { maxAge: 300, acr: '2', bound: true }, more)
      expect(await answer?.json()).toEqual({
        error: 'FreshSignInRequired',
        maxAge: 300,
        acr: '2',
        bound: true,
        url: `${ORIGIN}/auth/signin?maxAge=300&acr=2&bound=1`,
      })
      expect(answer?.headers.get('www-authenticate')).toContain('max_age="300"')
    }
  })

  test('attack: a session that calls itself bound is not', async () => {
    const session = toSession({ ...claims, session: { user: {}, bound: true } })
    const reading = { ...ann, session }
    expect((await answerTo(post, { bound: true }, { reading }))?.status).toBe(401)
  })

  test('leads a page without a request there too', () => {
    const now = signedIn * 1000
    expect(detourOf({ bound: true }, ann, '/pay', now)).toBe(
      '/auth/signin?bound=1&callbackUrl=%2Fpay',
    )
    expect(detourOf({ bound: true }, boundBy('a'), '/pay', now)).toBeUndefined()
  })
})

test.each([{}, { user: null }])('a session without a user does not count: %j', async (session) => {
  const reading = { ...ann, session: session as unknown as Session }
  for (const options of [{}, { maxAge: 1e9 }]) {
    const answer = await answerTo({}, options, { reading })
    expect(answer?.headers.get('location')).toBe('/login?callbackUrl=%2Fpay')
  }
})

test('a reading without claims does not count', async () => {
  for (const options of [{ acr: '1' }, { maxAge: 300 }, {}] as const) {
    const answer = await answerTo({}, options, { reading: { ...ann, claims: null } })
    expect(answer?.headers.get('location')).toBe('/login?callbackUrl=%2Fpay')
  }
})

describe('behind a proxy that takes /app off', () => {
  const led = async (options: RequireSessionOptions, target: string, reading: Reading = NOBODY) => {
    const more = { reading, age: 301, prefix: '/app' }
    return (await answerTo({ target }, options, more))?.headers.get('location')
  }

  test('the page and the callbackUrl are those of the browser', async () => {
    expect(await led({}, '/pay?a=1')).toBe('/app/login?callbackUrl=%2Fapp%2Fpay%3Fa%3D1')
    expect(await led({ redirectTo: '/in' }, '//evil.example')).toBe('/app/in?callbackUrl=%2Fapp%2F')
    expect(await led({ maxAge: 300 }, '/pay', ann)).toBe(
      '/auth/signin?maxAge=300&callbackUrl=%2Fapp%2Fpay',
    )
  })

  test('a page that has the path already has it once, and a URL stays', async () => {
    expect(await led({ redirectTo: '/app/login?a' }, '/pay')).toBe(
      '/app/login?a&callbackUrl=%2Fapp%2Fpay',
    )
    expect(await led({ redirectTo: 'https://sso.example/' }, '/app/pay')).toBe(
      'https://sso.example/?callbackUrl=%2Fapp%2Fpay',
    )
    expect(await led({ redirectTo: '/apple' }, '/apple/x')).toBe(
      '/app/apple?callbackUrl=%2Fapp%2Fapple%2Fx',
    )
  })

  test('the page itself passes, as the app and as the browser name it', async () => {
    expect(await led({}, '/login?a')).toBeUndefined()
    expect(await led({ redirectTo: '/app/login' }, '/login')).toBeUndefined()
    expect(await led({ redirectTo: '/app/login' }, '/Login')).toBeDefined()
  })
})

test.each([
  [{ maxAge: -1 }, '`maxAge`'],
  [{ maxAge: 0.5 }, '`maxAge`'],
  [{ maxAge: '300' }, '`maxAge`'],
  [{ acr: 2 }, '`acr`'],
  [{ acr: '3' }, '`acr`'],
  [{ bound: false }, '`bound`'],
  [{ bound: 'true' }, '`bound`'],
  [{ bound: null }, '`bound`'],
  [{ maxage: 300 }, '`maxage`'],
  [{ redirectTo: 7 }, '`redirectTo`'],
  [{ redirectTo: '' }, '`redirectTo`'],
  [{ redirectTo: ' ' }, '`redirectTo`'],
  [{ redirectTo: '?error=x' }, '`redirectTo`'],
  [{ redirectTo: '#login' }, '`redirectTo`'],
  [{ redirectTo: '//evil.example' }, '`redirectTo`'],
  [{ redirectTo: '/\\evil.example' }, '`redirectTo`'],
  [{ redirectTo: '/\t/evil.example' }, '`redirectTo`'],
  [{ redirectTo: '/..//evil.example' }, '`redirectTo`'],
  [{ redirectTo: './/evil.example' }, '`redirectTo`'],
  [{ redirectTo: 'https:/\\evil.example' }, '`redirectTo`'],
  [{ redirectTo: 'javascript:alert(1)' }, '`redirectTo`'],
  [{ redirectTo: 'https://' }, '`redirectTo`'],
  ['/login', 'object'],
])('%j is refused when the gate is made', (options, named) => {
  const make = () => sessionGate(options as RequireSessionOptions)
  expect(make).toThrow(InvalidConfiguration)
  expect(make).toThrow(named)
})

test('options that are changed later ask the same', async () => {
  const options = { maxAge: 300 } as { maxAge: number }
  const gate = sessionGate(options, () => (signedIn + 301) * 1000)
  options.maxAge = 1e9
  expect((await gate(requestOf({}), ann, direct))?.status).toBe(302)
})
