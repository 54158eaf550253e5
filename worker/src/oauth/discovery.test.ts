import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createAuth } from '../auth.js'
import { OAuthCallbackError } from '../errors.js'
import { memoryStore } from '../stores/memory.js'
import { customFetch } from '../symbols.js'
import { providerAt, type TestIssuer, testIssuer } from '../test-issuer.js'
import {
  Browser,
  configWith,
  errorOf,
  everythingIn,
  fakeProvider,
  origin,
  secret,
  signInAt,
} from '../test-support.js'
import type { Provider } from '../types.js'

let issuer: TestIssuer
let errors: Error[]

const at = 'https://issuer.example'
const document = 'openid-configuration'
const failed = '/auth/signin OAuthCallbackError'
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 1) })
  issuer = await testIssuer(at)
  errors = []
})
afterEach(() => void vi.useRealTimers())

const logger = { error: (error: Error) => void errors.push(error) }
const pass = (milliseconds: number) => vi.setSystemTime(Date.now() + milliseconds)
const readsOf = (name: string, { requests } = issuer) =>
  requests.filter(({ url }) => url.endsWith(`/${name}`)).length
const browserFor = (...providers: Provider[]) => new Browser(configWith({ providers, logger }))
const ended = async (browser: Browser) => errorOf(await signInAt(browser))
/** The page and the words that a start ends with, or the provider's own address. */
const started = async (browser: Browser, provider = 'test') =>
  errorOf(await browser.submit(`/auth/signin/${provider}`))
const down = () => {
  issuer.answers = { [document]: () => new Response('down', { status: 503 }) }
}

describe('the discovery document', () => {
  it('is read once for any number of sign-ins', async () => {
    const browser = browserFor(providerAt(issuer))
    for (let count = 0; count < 5; count++) expect(await ended(browser)).toBe('/inbox')
    expect(readsOf(document)).toBe(1)
  })

  it('is used for an hour and read again after it', async () => {
    const browser = browserFor(providerAt(issuer))
    await started(browser)
    issuer.metadata = { authorization_endpoint: 'https://moved.example/authorize' }
    pass(60 * MINUTE - 1)
    expect(await started(browser)).toBe(at)
    expect(readsOf(document)).toBe(1)
    pass(1)
    expect(await started(browser)).toBe('https://moved.example')
    expect(readsOf(document)).toBe(2)
  })

  it('is used for a day while the issuer is down, and not longer', async () => {
    const browser = browserFor(providerAt(issuer))
    await ended(browser)
    down()
    issuer.answers.keys = () => new Response('down', { status: 503 })
    pass(DAY - 1)
    expect(await ended(browser)).toBe('/inbox')
    pass(1)
    expect(await started(browser)).toBe(failed)
    issuer.answers = {}
    expect(await ended(browser)).toBe('/inbox')
  })

  it('that failed its check at a later reading does not take the place of a good one', async () => {
    const browser = browserFor(providerAt(issuer))
    await started(browser)
    issuer.metadata = { issuer: 'https://evil.example', token_endpoint: 'https://evil.example/' }
    pass(2 * 60 * MINUTE)
    await ended(browser)
    expect(issuer.requests.filter(({ url }) => url.includes('evil'))).toEqual([])
    pass(DAY)
    expect(await started(browser)).toBe(failed)
  })

  it('that failed its check is not kept', async () => {
    issuer.metadata = { issuer: 'https://evil.example' }
    const browser = browserFor(providerAt(issuer))
    expect(await started(browser)).toBe(failed)
    issuer.metadata = {}
    expect(await ended(browser)).toBe('/inbox')
    expect(readsOf(document)).toBe(2)
  })

  it.fails.each(['authorization_endpoint', 'token_endpoint', 'jwks_uri'])(
    'that lacks its %s is not kept',
    async (name) => {
      issuer.metadata = { [name]: undefined }
      const browser = browserFor(providerAt(issuer))
      const first = await started(browser)
      expect(first === at ? await ended(browser) : first).toBe(failed)
      issuer.metadata = {}
      expect(await started(browser)).toBe(at)
      expect(await ended(browser)).toBe('/inbox')
    },
  )

  it.fails('is read a handful of times at most for 20 sign-ins at once', async () => {
    issuer.answers[document] = async () => {
      await new Promise((resolve) => setTimeout(resolve, 50))
      return Response.json(issuer.document())
    }
    const config = configWith({ providers: [providerAt(issuer)] })
    const starts = Array.from({ length: 20 }, () => started(new Browser(config)))
    expect(new Set(await Promise.all(starts))).toEqual(new Set([at]))
    expect(readsOf(document)).toBeLessThanOrEqual(5)
  })

  it('is never shared by two services with a fetch of their own', async () => {
    const other = await testIssuer(at)
    other.metadata = { authorization_endpoint: 'https://other.example/authorize' }
    expect(await started(browserFor(providerAt(issuer)))).toBe(at)
    expect(await started(browserFor(providerAt(other)))).toBe('https://other.example')
    expect([readsOf(document), readsOf(document, other)]).toEqual([1, 1])
  })

  it('is of one issuer: two providers with one fetch read one each', async () => {
    const fetch = async (input: unknown) => {
      const { origin: iss } = new URL(String(input))
      const endpoints = { authorization_endpoint: `${iss}/a`, token_endpoint: `${iss}/t` }
      return Response.json({ issuer: iss, ...endpoints })
    }
    const at = (id: string) => providerAt({ ...issuer, fetch, issuer: `https://${id}.example` })
    const browser = browserFor({ ...at('one'), id: 'one' }, { ...at('two'), id: 'two' })
    expect(await started(browser, 'one')).toBe('https://one.example')
    expect(await started(browser, 'two')).toBe('https://two.example')
  })

  it('is not read for each request of a config that is made anew', async () => {
    const store = memoryStore()
    const handler = createAuth(() => ({
      ...configWith({ secret, store, providers: [providerAt(issuer)] }),
    }))
    const browser = new Browser(configWith(), { answer: (request) => handler.fetch(request) })
    for (let count = 0; count < 3; count++) expect(await ended(browser)).toBe('/inbox')
    expect([readsOf(document), readsOf('keys')]).toEqual([1, 1])
  })
})

describe('what a hostile or broken issuer answers', () => {
  const pad = 'x'.repeat(5 * 1024 * 1024)
  const body = (text: string) => () => new Response(text)
  const without = (name: string) => ({ metadata: { [name]: undefined } })

  it.each<[string, Partial<TestIssuer> | (() => Response)]>([
    ['of another issuer', { metadata: { issuer: 'https://evil.example' } }],
    ['of an issuer whose name goes on', { metadata: { issuer: `${at}.evil.example` } }],
    ['of an issuer with two slashes', { metadata: { issuer: `${at}//` } }],
    ['of an issuer in capitals', { metadata: { issuer: 'https://ISSUER.example' } }],
    ['whose issuer is a list', { metadata: { issuer: [at] } }],
    ['without issuer', without('issuer')],
    ['without authorization endpoint', without('authorization_endpoint')],
    ['without token endpoint', without('token_endpoint')],
    ['without keys', without('jwks_uri')],
    ['that is HTML', body('<html>')],
    ['that is truncated', body(`{"issuer":"${at}","token_endpo`)],
    ['that is nothing', () => new Response(null)],
    ['that is null', body('null')],
    ['that is a list', body('[]')],
    ['of 5 MiB', () => Response.json({ ...issuer.document(), pad })],
    ['that is a redirect', () => Response.redirect('http://169.254.169.254/latest/meta-data/')],
    ['with status 500', () => Response.json(issuer.document(), { status: 500 })],
    ['with status 404', () => Response.json(issuer.document(), { status: 404 })],
  ])('a document %s: a friendly page, one line, and others still sign in', async (_, change) => {
    if (typeof change === 'function') issuer.answers = { [document]: change }
    else Object.assign(issuer, change)
    await refused(browserFor(providerAt(issuer), fakeProvider()))
  })

  it.each([
    'http://169.254.169.254/',
    'http://localhost:8787/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/html,x',
    '/relative',
    '',
    {},
    7,
    null,
    true,
  ])('an endpoint that is %j', async (url) => {
    for (const name of [
      'authorization_endpoint',
      'token_endpoint',
      'jwks_uri',
      'userinfo_endpoint',
    ]) {
      issuer = await testIssuer(at)
      issuer.metadata = { [name]: url }
      errors = []
      await refused(browserFor(providerAt(issuer), fakeProvider()))
      expect(issuer.requests.map((request) => request.url)).toEqual([
        `${at}/.well-known/${document}`,
      ])
    }
  })

  it.fails('an endpoint that is a list', async () => {
    issuer.metadata = { token_endpoint: [`${at}/token`] }
    await refused(browserFor(providerAt(issuer), fakeProvider()))
  })

  it('silence ends after ten seconds', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
    const browser = browserFor(providerAt(issuer), fakeProvider())
    const csrfToken = await browser.csrfToken()
    const asked = new Promise<void>((resolve) => {
      issuer.answers[document] = () => {
        resolve()
        return new Promise(() => {})
      }
    })
    let answer: Response | undefined
    const start = browser.post('/auth/signin/test', { csrfToken }).then((it) => {
      answer = it
    })
    await asked
    await vi.advanceTimersByTimeAsync(9_999)
    expect(answer).toBeUndefined()
    await vi.advanceTimersByTimeAsync(1)
    await start
    expect(errorOf(answer as unknown as Response)).toBe(failed)
    expect(issuer.requests[0]?.signal.aborted).toBe(true)
    expect(everythingIn(errors)).toContain('No answer within 10000 ms')
  })

  async function refused(browser: Browser): Promise<void> {
    const answer = await browser.submit('/auth/signin/test')
    const isStarted = errorOf(answer) === at
    const end = isStarted ? await signInAt(browser) : answer
    expect([end.status, errorOf(end)]).toEqual([302, failed])
    expect((await browser.get(end.headers.get('location')?.replace(origin, '') ?? '')).status).toBe(
      200,
    )
    expect(errors).toHaveLength(1)
    expect(errors[0]).toBeInstanceOf(OAuthCallbackError)
    expect(await browser.session()).toBeNull()
    expect(issuer.requests[0]?.redirect).toBe('manual')
    expect(errorOf(await browser.signIn('fake'))).toBe('/inbox')
  }
})

describe('what is configured', () => {
  const own = 'https://own.example'

  it('wins over what is discovered, endpoint by endpoint', async () => {
    issuer.userinfo = { sub: 'ada', name: 'Ada' }
    const options = { authorization: `${own}/authorize?x=1`, userinfo: `${own}/userinfo` }
    const browser = browserFor(providerAt(issuer, options))
    const url = await browser.start('test')
    expect([url.origin, url.searchParams.get('x')]).toEqual([own, '1'])
    expect(errorOf(await signInAt(browser))).toBe('/inbox')
    const asked = issuer.requests.map((request) => request.url)
    expect(asked).toContain(`${own}/userinfo`)
    expect(asked).not.toContain(`${at}/userinfo`)
    expect(asked).toContain(`${at}/token`)
  })

  it('parameters belong to the discovered endpoint as well', async () => {
    issuer.userinfo = { sub: 'ada' }
    const userinfo = { params: { fields: 'a,b' } }
    const authorization = { params: { prompt: 'consent', scope: 'openid x' } }
    const browser = browserFor(providerAt(issuer, { authorization, userinfo }))
    const { searchParams } = await browser.start('test')
    expect([searchParams.get('prompt'), searchParams.get('scope')]).toEqual(['consent', 'openid x'])
    expect(await ended(browser)).toBe('/inbox')
    expect(issuer.requests.at(-1)?.url).toBe(`${at}/userinfo?fields=a%2Cb`)
  })

  it.each([
    ['a slash that the document has not', `${at}/`, at],
    ['no slash where the document has one', at, `${at}/`],
  ])('an issuer with %s is the same one; the ID token has the document’s', async (_, given, is) => {
    issuer.metadata = { issuer: is }
    issuer.claims = { iss: is }
    expect(await ended(browserFor(providerAt(issuer, { issuer: given })))).toBe('/inbox')
    expect(issuer.requests[0]?.url).toBe(`${at}/.well-known/${document}`)
  })

  it('an issuer with a path has its document below it', async () => {
    issuer = await testIssuer(`${at}/realms/one`)
    expect(await ended(browserFor(providerAt(issuer)))).toBe('/inbox')
    expect(issuer.requests[0]?.url).toBe(`${at}/realms/one/.well-known/${document}`)
  })

  it('wellKnown is read in the place of the issuer’s own, and held to the same issuer', async () => {
    const wellKnown = 'https://elsewhere.example/tenant/openid-configuration?v=2'
    const browser = browserFor(providerAt(issuer, { wellKnown }))
    expect(await ended(browser)).toBe('/inbox')
    expect(issuer.requests[0]?.url).toBe(wellKnown)
    const other = browserFor(providerAt(issuer, { wellKnown, issuer: 'https://evil.example' }))
    expect(await started(other)).toBe(failed)
  })

  it('type oauth with an issuer alone discovers its endpoints', async () => {
    issuer.userinfo = { sub: 'ada', name: 'Ada' }
    const browser = browserFor({ ...providerAt(issuer), type: 'oauth' })
    expect((await browser.start('test')).searchParams.has('nonce')).toBe(false)
    expect(errorOf(await browser.signIn('test'))).toBe('/inbox')
    expect((await browser.session())?.user?.name).toBe('Ada')
    expect(readsOf('keys')).toBe(0)
  })

  it('a provider whose endpoints are all configured is not asked', async () => {
    const browser = browserFor(fakeProvider({}, { issuer: at, [customFetch]: issuer.fetch }))
    await browser.start('fake')
    expect(issuer.requests).toEqual([])
  })
})
