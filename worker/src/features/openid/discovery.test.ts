import { beforeEach, describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { createAuth } from '../../index.js'
import { customFetch } from '../../lib/symbols.js'
import { memoryStore } from '../../stores/memory.js'
import {
  Browser,
  configWith,
  errorOf,
  fakeProvider,
  secret,
  signInAt,
} from '../../test-support/browser.js'
import { providerAt, type TestIssuer, testIssuer } from '../../test-support/issuer.js'
import type { Provider } from '../../types.js'

let issuer: TestIssuer
let errors: Error[]

const at = 'https://issuer.example'
const document = 'openid-configuration'
const failed = '/auth/signin OAuthCallbackError'
const MINUTE = 60
const DAY = 24 * 60 * MINUTE

const { pass } = clock()

beforeEach(async () => {
  issuer = await testIssuer(at, { alg: 'ES256' })
  errors = []
})

const logger = { error: (error: Error) => void errors.push(error) }
const readsOf = (name: string, { requests } = issuer) =>
  requests.filter(({ url }) => url.endsWith(`/${name}`)).length
const browserFor = (...providers: Provider[]) => new Browser(configWith({ providers, logger }))
const ended = async (browser: Browser) => errorOf(await signInAt(browser))
/** The page and the error words of a failed start, or the provider's URL. */
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
    pass(60 * MINUTE - 0.001)
    expect(await started(browser)).toBe(at)
    expect(readsOf(document)).toBe(1)
    pass(0.001)
    expect(await started(browser)).toBe('https://moved.example')
    expect(readsOf(document)).toBe(2)
  })

  it('is used for a day while the issuer is down, and not longer', async () => {
    const browser = browserFor(providerAt(issuer))
    await ended(browser)
    down()
    issuer.answers.keys = () => new Response('down', { status: 503 })
    pass(DAY - 0.001)
    expect(await ended(browser)).toBe('/inbox')
    pass(0.001)
    expect(await started(browser)).toBe(failed)
    issuer.answers = {}
    expect(await ended(browser)).toBe('/inbox')
  })

  it('that fails its check at a later reading does not replace a good one', async () => {
    const browser = browserFor(providerAt(issuer))
    await started(browser)
    issuer.metadata = { issuer: 'https://evil.example', token_endpoint: 'https://evil.example/' }
    pass(2 * 60 * MINUTE)
    await ended(browser)
    expect(issuer.requests.filter(({ url }) => url.includes('evil'))).toEqual([])
    pass(DAY)
    expect(await started(browser)).toBe(failed)
  })

  it('that fails its check is not cached', async () => {
    issuer.metadata = { issuer: 'https://evil.example' }
    const browser = browserFor(providerAt(issuer))
    expect(await started(browser)).toBe(failed)
    issuer.metadata = {}
    expect(await ended(browser)).toBe('/inbox')
    expect(readsOf(document)).toBe(2)
  })

  it.each(['authorization_endpoint', 'token_endpoint', 'jwks_uri'])(
    'that lacks its %s is not cached',
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

  it('is read by 20 simultaneous sign-ins without waiting for each other, and then stays', async () => {
    const config = configWith({ providers: [providerAt(issuer)] })
    const starts = Array.from({ length: 20 }, () => started(new Browser(config)))
    expect(new Set(await Promise.all(starts))).toEqual(new Set([at]))
    const reads = readsOf(document)
    expect(reads).toBeLessThanOrEqual(20)
    expect(await started(new Browser(config))).toBe(at)
    expect(readsOf(document)).toBe(reads)
  })

  it('is never shared between two services with different fetches', async () => {
    const other = await testIssuer(at, { alg: 'ES256' })
    other.metadata = { authorization_endpoint: 'https://other.example/authorize' }
    expect(await started(browserFor(providerAt(issuer)))).toBe(at)
    expect(await started(browserFor(providerAt(other)))).toBe('https://other.example')
    expect([readsOf(document), readsOf(document, other)]).toEqual([1, 1])
  })

  it('belongs to one issuer: two providers with one fetch read one each', async () => {
    const fetch = async (input: unknown) => {
      const { origin: iss } = new URL(String(input))
      const endpoints = {
        authorization_endpoint: `${iss}/a`,
        token_endpoint: `${iss}/t`,
        jwks_uri: `${iss}/k`,
      }
      return Response.json({ issuer: iss, ...endpoints })
    }
    const at = (id: string) => providerAt({ ...issuer, fetch, issuer: `https://${id}.example` })
    const browser = browserFor({ ...at('one'), id: 'one' }, { ...at('two'), id: 'two' })
    expect(await started(browser, 'one')).toBe('https://one.example')
    expect(await started(browser, 'two')).toBe('https://two.example')
  })

  it('is not read for each request of a config that is made for each', async () => {
    const store = memoryStore()
    const handler = createAuth(() => ({
      ...configWith({ secret, store, providers: [providerAt(issuer)] }),
    }))
    const browser = new Browser(configWith(), { answer: (request) => handler.fetch(request) })
    for (let count = 0; count < 3; count++) expect(await ended(browser)).toBe('/inbox')
    expect([readsOf(document), readsOf('keys')]).toEqual([1, 1])
  })
})

describe('the configuration', () => {
  const own = 'https://own.example'

  it('wins over discovery, endpoint by endpoint', async () => {
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

  it('adds its parameters to a discovered endpoint as well', async () => {
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
    ['no slash if the document has one', at, `${at}/`],
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

  it('wellKnown is read instead of the issuer’s own URL, and must be of the same issuer', async () => {
    const wellKnown = 'https://elsewhere.example/tenant/openid-configuration?v=2'
    const browser = browserFor(providerAt(issuer, { wellKnown }))
    expect(await ended(browser)).toBe('/inbox')
    expect(issuer.requests[0]?.url).toBe(wellKnown)
    const other = browserFor(providerAt(issuer, { wellKnown, issuer: 'https://evil.example' }))
    expect(await started(other)).toBe(failed)
  })

  it('type oauth with an issuer alone discovers its endpoints', async () => {
    issuer.userinfo = { sub: 'ada', name: 'Ada' }
    const { fromEnvironment: _, ...client } = providerAt(issuer)
    const browser = browserFor({ ...client, type: 'oauth' })
    expect((await browser.start('test')).searchParams.has('nonce')).toBe(false)
    expect(errorOf(await browser.signIn('test'))).toBe('/inbox')
    expect((await browser.session())?.user?.name).toBe('Ada')
    expect(readsOf('keys')).toBe(0)
  })

  it('makes discovery unnecessary when it has every endpoint', async () => {
    const browser = browserFor(fakeProvider({}, { issuer: at, [customFetch]: issuer.fetch }))
    await browser.start('fake')
    expect(issuer.requests).toEqual([])
  })
})
