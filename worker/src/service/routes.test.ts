import { describe, expect, it } from 'vitest'
import credentials from '../providers/credentials.js'
import { memoryStore } from '../stores/memory.js'
import { Browser, configWith, errorOf, fakeProvider } from '../test-support/browser.js'
import { asStore } from '../test-support/own-ledger.js'

const providers = [fakeProvider(), credentials({ authorize: () => ({ id: 'ada' }) })]
const GETS = [
  '/csrf',
  '/providers',
  '/session',
  '/signin',
  '/callback/fake',
  '/signout',
  '/error',
  '/jwks.json',
]
const POSTS = ['/session', '/signin/fake', '/callback/credentials', '/signout']

describe('methods', () => {
  const cases: [string, string, string][] = [
    ['/csrf', 'POST', 'GET, HEAD'],
    ['/providers', 'DELETE', 'GET, HEAD'],
    ['/session', 'PUT', 'GET, HEAD, POST'],
    ['/session', 'OPTIONS', 'GET, HEAD, POST'],
    ['/signin', 'POST', 'GET, HEAD'],
    ['/signin/fake', 'GET', 'POST'],
    ['/signin/fake', 'HEAD', 'POST'],
    ['/signin/fake', 'PATCH', 'POST'],
    ['/callback/fake', 'PUT', 'GET, HEAD, POST'],
    ['/signout', 'DELETE', 'GET, HEAD, POST'],
    ['/error', 'POST', 'GET, HEAD'],
    ['/jwks.json', 'POST', 'GET, HEAD'],
  ]

  it.each(cases)('%s %s is 405 and allows %s', async (path, method, allow) => {
    const response = await new Browser(configWith({ providers })).send(`/auth${path}`, { method })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe(allow)
    expect(response.headers.getSetCookie()).toEqual([])
  })

  it('X-HTTP-Method-Override changes nothing', async () => {
    const browser = new Browser(configWith({ providers }))
    const headers = { 'x-http-method-override': 'POST', 'x-method-override': 'POST' }
    expect((await browser.get('/auth/signin/fake?_method=POST', headers)).status).toBe(405)
  })
})

describe('paths', () => {
  it.each([
    '/',
    '/auth',
    '/auth/',
    '/auth//session',
    '/auth/session/',
    '/auth/Session',
    '/auth/sessions/x',
    '/auth/%73ession',
    '/auth/callback/%66ake',
    '/auth/signin/%66ake',
    '/auth/signin/fake%00',
    '/auth/callback/fake%00',
    '/auth/session%2f',
    '/auth/session;x',
    '/auth/nothing',
    '/auth/jwksXjson',
    '/auth/signin/',
    '/auth/callback/fake/',
    '/auth/signin/fake/x',
    '/auth/callback',
    '/auth/callback/',
    '/auth/providers/fake',
    '/authsession',
    '/auth-evil/session',
    '/x/auth/session',
    '/AUTH/session',
    '/auth/constructor',
    '/auth/__proto__',
    '//auth/session',
  ])('%s is 404', async (path) => {
    const response = await new Browser(configWith({ providers })).get(path)
    expect(response.status).toBe(404)
    expect(response.headers.getSetCookie()).toEqual([])
  })

  it('a prefix that contains an action’s name works', async () => {
    const browser = new Browser(configWith({ basePath: '/session/signin' }))
    expect((await browser.get('/session/signin/session')).status).toBe(200)
    expect((await browser.get('/session')).status).toBe(404)
  })
})

describe('HEAD', () => {
  it.each(GETS)('%s answers like GET, sets no cookie and writes nothing', async (path) => {
    const store = memoryStore()
    const writes: string[] = []
    const counting = asStore({
      sessions: {
        ...store.sessions,
        put: async () => void writes.push('put'),
        delete: async () => void writes.push('delete'),
      },
      ledger: {
        ...store.ledger,
        consume: async () => writes.push('consume') > 0,
        enter: async () => ({ isFirst: writes.push('enter') > 0 }),
        revoke: async () => void writes.push('revoke'),
      },
    })
    const browser = new Browser(configWith({ providers, store: counting }))
    const response = await browser.send(`/auth${path}`, { method: 'HEAD' })
    expect(response.status).toBe(200)
    expect(response.headers.getSetCookie()).toEqual([])
    expect(response.headers.has('cache-control')).toBe(true)
    expect(await response.text()).toBe('')
    expect(writes).toEqual([])
  })

  it('for a callback does not use up a sign-in, since link previews request a link before people do', async () => {
    const browser = new Browser(configWith({ providers }))
    const state = (await browser.start('fake')).searchParams.get('state') ?? ''
    const path = `/auth/callback/fake?code=c&state=${state}`
    await browser.send(path, { method: 'HEAD' })
    expect(errorOf(await browser.get(path))).toBe('/inbox')
  })
})

describe('Cache-Control', () => {
  const isPrivate = (response: Response) =>
    expect(response.headers.get('cache-control')).toBe('private, no-store')

  it.each(GETS.filter((path) => !['/jwks.json', '/providers'].includes(path)))(
    'GET %s is private, with and without cookies',
    async (path) => {
      const browser = new Browser(configWith({ providers }))
      isPrivate(await browser.get(`/auth${path}`))
      await browser.signIn('fake')
      isPrivate(await browser.get(`/auth${path}`))
    },
  )

  it.each(POSTS)('POST %s is private, refused or not', async (path) => {
    const browser = new Browser(configWith({ providers }))
    isPrivate(await browser.post(`/auth${path}`, {}))
    isPrivate(await browser.submit(`/auth${path}`))
    isPrivate(await browser.submit(`/auth${path}`, {}, { 'x-auth-return-redirect': '1' }))
  })

  it('the public keys may be cached, and come without cookies', async () => {
    const response = await new Browser(configWith({ providers })).get('/auth/jwks.json')
    expect(response.headers.get('cache-control')).toBe('public, max-age=300')
    expect(response.headers.getSetCookie()).toEqual([])
    const { keys } = (await response.json()) as { keys: Record<string, unknown>[] }
    for (const key of keys) expect(key).not.toHaveProperty('d')
  })
})

describe('pages', () => {
  it.each([
    ['Configuration', 500],
    ['AccessDenied', 403],
    ['Verification', 403],
    ['OAuthCallbackError', 200],
    ['constructor', 200],
    ['__proto__', 200],
    ['<script>alert(1)</script>', 200],
  ])('the error page of %s has status %i and repeats nothing', async (error, status) => {
    const browser = new Browser(configWith({ providers }))
    const response = await browser.get(`/auth/error?${new URLSearchParams({ error })}`)
    expect(response.status).toBe(status)
    expect(await response.text()).not.toContain('<script')
  })

  it('headers prevent clickjacking, sniffing and scripts', async () => {
    for (const path of ['/auth/signin', '/auth/signout', '/auth/error']) {
      const { headers } = await new Browser(configWith({ providers })).get(path)
      const policy = headers.get('content-security-policy') ?? ''
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).toContain("default-src 'none'")
      expect(policy).not.toContain('script')
      expect(policy).not.toContain('unsafe')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.has('referrer-policy')).toBe(true)
      expect(headers.has('cross-origin-opener-policy')).toBe(true)
    }
  })

  it('HSTS is sent on https only', async () => {
    const at = 'https://example.com'
    const secure = await new Browser(configWith({ providers }), { at }).get('/auth/signin')
    const plain = await new Browser(configWith({ providers })).get('/auth/signin')
    expect(secure.headers.has('strict-transport-security')).toBe(true)
    expect(plain.headers.has('strict-transport-security')).toBe(false)
  })

  it('a link signs no user out', async () => {
    const browser = new Browser(configWith({ providers }))
    await browser.signIn('fake')
    await browser.get('/auth/signout?callbackUrl=/x')
    expect(await browser.session()).not.toBeNull()
  })
})

describe('headers that every answer has', () => {
  const at = 'https://example.com'
  const cases: [string, RequestInit][] = [
    ...[
      ...GETS,
      '/revocations',
      '/account',
      '/account/ways',
      '/renew',
      '/sessions',
      '/nothing',
      '/signin/fake',
    ].map((path): [string, RequestInit] => [path, {}]),
    ...POSTS.map((path): [string, RequestInit] => [path, { method: 'POST' }]),
    ['/session', { method: 'PUT' }],
    ['/callback/fake?code=c&state=s', {}],
    ['/callback/fake', { headers: { 'sec-purpose': 'prefetch' } }],
    ['/signin/fake', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'x' }],
    ['/callback/unknown', {}],
  ]

  it.each(cases)('sniffing and leaking addresses are shut out: %s %o', async (path, init) => {
    for (const json of [{}, { 'x-auth-return-redirect': '1' }]) {
      const headers = { ...(init.headers as object), ...json }
      const browser = new Browser(configWith({ providers }), { at })
      const answer = await browser.send(`/auth${path}`, { ...init, headers })
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
      expect(answer.headers.get('referrer-policy')).toBe('strict-origin')
      expect(answer.headers.get('strict-transport-security')).toBe('max-age=63072000')
    }
  })

  it('also if the configuration cannot be used, or the host is unknown', async () => {
    const broken = new Browser(configWith({ secret: 'short' }), { at })
    const anyHost = new Browser(configWith({ trustHost: true }), { at })
    const answers = [
      await broken.get('/auth/session'),
      await anyHost.get('/auth/session', { 'x-forwarded-host': 'a b' }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([500, 400])
    for (const { headers } of answers) {
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('referrer-policy')).toBe('strict-origin')
      expect(headers.has('strict-transport-security')).toBe(true)
    }
  })

  it('cache poisoning: what names our host is kept for that host alone', async () => {
    const browser = new Browser(configWith({ providers, trustHost: true }))
    for (const path of ['/revocations', '/providers']) {
      const { headers } = await browser.get(`/auth${path}`)
      const isPublic = headers.get('cache-control')?.startsWith('public')
      const vary = headers.get('vary') ?? ''
      if (isPublic) expect(vary).toBe('Host, X-Forwarded-Host, X-Forwarded-Proto')
      else expect(headers.get('cache-control')).toBe('private, no-store')
    }
    expect((await browser.get('/auth/revocations')).headers.get('vary')).toContain('Host')
  })
})
