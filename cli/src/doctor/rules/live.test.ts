import { afterEach, describe, expect, test } from 'vitest'
import { getWithin } from '../live/get.js'
import { readService } from '../live/read-service.js'
import { type Between, closeAll, runningService, serving } from '../test-support/running.js'
import { checkLive } from './live.js'

afterEach(closeAll)

/** The findings about a service. */
async function findingsAt(base: string, timeout = 20_000) {
  return checkLive(await readService(base, getWithin(timeout)))
}

/** The findings about the service behind something that spoils its answers. */
async function findingsBehind(between?: Between, env: Readonly<Record<string, string>> = {}) {
  return findingsAt(await runningService({}, between, env))
}

/** Changes the headers of the answers of a route. */
function withHeaders(path: string, change: (headers: Headers) => void): Between {
  return async (request, answer) => {
    const { body, status, headers } = await answer()
    const changed = new Headers(headers)
    if (new URL(request.url).pathname === `/auth${path}`) change(changed)
    return new Response(body, { status, headers: changed })
  }
}

/** Answers a route in the place of the service. */
function instead(path: string, given: () => Response | 'hang'): Between {
  return (request, answer) =>
    new URL(request.url).pathname === `/auth${path}` ? given() : answer()
}

test('a service that runs well has no findings', async () => {
  expect(await findingsBehind()).toEqual([])
})

describe('unreachable', () => {
  test.each<[string, Between, RegExp]>([
    [
      'a page',
      instead(
        '/providers',
        () => new Response('<h1>Hello</h1>', { headers: { 'content-type': 'text/html' } }),
      ),
      /\(200, text\/html\)/,
    ],
    ['another JSON', instead('/providers', () => Response.json([1])), /\(200, application\/json\)/],
    [
      'a redirect',
      instead('/providers', () => Response.redirect('https://login.example/x?token=canary')),
      /redirects to https:\/\/login\.example\./,
    ],
    ['nothing there', instead('/providers', () => new Response('', { status: 404 })), /\(404, /],
    [
      'an endless body',
      instead(
        '/providers',
        () =>
          new Response(new ReadableStream({ pull: (to) => to.enqueue(new Uint8Array(65_536)) })),
      ),
      /\(200, /,
    ],
  ])('%s', async (_, between, what) => {
    const found = await findingsBehind(between)
    expect(found.map(({ code }) => code)).toEqual(['unreachable'])
    expect(found[0]?.what).toMatch(what)
    expect(JSON.stringify(found)).not.toContain('canary')
  })

  test('a server that is not there, and one that never answers', async () => {
    const gone = await runningService()
    await closeAll()
    const found = await findingsAt(gone)
    expect(found.map(({ code, what }) => [code, what])).toEqual([
      ['unreachable', `${gone} cannot be reached (ECONNREFUSED).`],
    ])
    const silent = `${await serving(() => 'hang')}/auth`
    const [late] = await findingsAt(silent, 200)
    expect(late).toMatchObject({
      code: 'unreachable',
      what: `${silent} does not answer within 0.2 s.`,
    })
  })
})

test('configuration', async () => {
  const [found, ...more] = await findingsBehind(undefined, { AUTH_LOG: 'yaml' })
  expect(more).toEqual([])
  expect(found).toMatchObject({
    code: 'configuration',
    what: 'The service cannot serve /providers (500).',
  })
  const broken = instead('/session', () => new Response('bad gateway', { status: 502 }))
  expect(await findingsBehind(broken)).toMatchObject([
    { code: 'configuration', what: 'The service cannot serve /session (502).' },
  ])
})

test.each([
  [
    'AUTH_URL',
    'https://auth.example.com/auth',
    /takes https:\/\/auth\.example\.com for its origin/,
  ],
])('live-issuer: %s=%s', async (name, value, what) => {
  const found = await findingsBehind(undefined, { [name]: value })
  expect(found.map(({ code }) => code)).toContain('live-issuer')
  expect(found.find(({ code }) => code === 'live-issuer')?.what).toMatch(what)
})

describe('live-issuer', () => {
  /** The list of providers, with another text in its URLs. */
  const listed =
    (from: RegExp, to: string): Between =>
    async (request, answer) => {
      const given = await answer()
      if (!new URL(request.url).pathname.endsWith('/providers')) return given
      return new Response((await given.text()).replaceAll(from, to), { headers: given.headers })
    }

  test.each<[string, RegExp, string, RegExp]>([
    [
      'a proxy that is not believed',
      /http:/g,
      'https:',
      /https:\/\/ for its scheme, and not http:\/\/: it does not believe the proxy/,
    ],
    [
      'another base path',
      /\/auth\//g,
      '/api/auth/',
      /\/api\/auth for its base path, and not \/auth\./,
    ],
    [
      'another origin',
      /127\.0\.0\.1/g,
      'other.example',
      /http:\/\/other\.example:\d+ for its origin/,
    ],
    ['URLs of another form', /\/callback\//g, '/back/', /no one address/],
  ])('%s', async (_, from, to, what) => {
    const found = await findingsBehind(listed(from, to))
    expect(found.map(({ code }) => code)).toEqual(['live-issuer'])
    expect(found[0]?.what).toMatch(what)
  })
})

describe('feed', () => {
  test.each<[string, Between]>([
    ['500', instead('/revocations', () => new Response('', { status: 500 }))],
    [
      '500 to an app that starts',
      (request, answer) => {
        const { pathname, searchParams } = new URL(request.url)
        const isWhole = pathname === '/auth/revocations' && !searchParams.has('since')
        return isWhole ? new Response('', { status: 500 }) : answer()
      },
    ],
    ['503', instead('/revocations', () => new Response('', { status: 503 }))],
    ['404', instead('/revocations', () => new Response('', { status: 404 }))],
    ['a page', instead('/revocations', () => new Response('<h1>Hello</h1>'))],
    ['no keys', instead('/jwks.json', () => Response.json({ keys: [] }))],
    [
      'silence',
      instead(
        '/revocations',
        () => new Response(new ReadableStream({ start: (to) => to.error(new Error('gone')) })),
      ),
    ],
  ])('%s', async (_, between) => {
    const found = await findingsBehind(between)
    expect(found.map(({ code }) => code)).toEqual(['feed'])
  })

  test('that another key has signed', async () => {
    const other = await runningService({
      secret: 'b1946ac92492d2347c6235b4d2611184',
    })
    const jwks = await (await fetch(`${other}/jwks.json`)).text()
    const found = await findingsBehind(instead('/jwks.json', () => new Response(jwks)))
    expect(found.map(({ code }) => code)).toEqual(['feed'])
  })
})

test.each([
  [-45, ['clock'], /behind/],
  [45, ['clock'], /ahead of/],
  [-15, [], /^/],
  [15, [], /^/],
])('a clock that is %i s off', async (seconds, codes, what) => {
  const date = () => new Date(Date.now() + seconds * 1000).toUTCString()
  const found = await findingsBehind(withHeaders('/csrf', (headers) => headers.set('date', date())))
  expect(found.map(({ code }) => code)).toEqual(codes)
  expect(found.map((one) => one.what).join()).toMatch(what)
})

test.each<[string, (headers: Headers) => void]>([
  ['/csrf', (headers) => headers.set('cache-control', 'private, max-age=60')],
  ['/csrf', (headers) => headers.delete('cache-control')],
  ['/session', (headers) => headers.set('age', '3')],
  ['/session', (headers) => headers.set('cf-cache-status', 'HIT')],
])('cached: %s %#', async (path, change) => {
  const found = await findingsBehind(withHeaders(path, change))
  expect(found.map(({ code }) => code)).toEqual(['cached'])
  expect(found[0]?.where).toMatch(new RegExp(`${path}$`))
  const missed = withHeaders(path, (headers) => headers.set('cf-cache-status', 'DYNAMIC'))
  expect(await findingsBehind(missed)).toEqual([])
})

/** Each cookie of the answer in another form. */
function withCookies(change: (line: string) => readonly string[]): Between {
  return withHeaders('/csrf', (headers) => {
    const lines = headers.getSetCookie().flatMap(change)
    headers.delete('set-cookie')
    for (const line of lines) headers.append('set-cookie', line)
  })
}

test.each<[string, Between, RegExp | undefined]>([
  ['none', withCookies(() => []), /sets no cookie/],
  ['one of a proxy', withCookies(() => ['__cf_bm=x; HttpOnly']), /sets no cookie/],
  [
    'one that scripts read',
    withCookies((line) => [line.replace(/; HttpOnly/i, '')]),
    /lacks HttpOnly/,
  ],
  ['one more of a proxy', withCookies((line) => ['__cf_bm=x', line]), undefined],
])('cookie-lost: %s', async (_, between, what) => {
  const found = await findingsBehind(between)
  expect(found.map(({ code }) => code)).toEqual(what ? ['cookie-lost'] : [])
  if (what) expect(found[0]?.what).toMatch(what)
  // The cookie's value is for its browser alone.
  expect(JSON.stringify(found)).not.toMatch(/[\w-]{43}/)
})

test('on https the cookie has to be Secure', async () => {
  const base = await runningService()
  const live = await readService(base, getWithin(20_000))
  const secure = { ...live, base: base.replace('http:', 'https:') }
  const found = await checkLive(secure)
  expect(found.find(({ code }) => code === 'cookie-lost')?.what).toBe(
    'The cookie of the csrf token lacks Secure.',
  )
})
