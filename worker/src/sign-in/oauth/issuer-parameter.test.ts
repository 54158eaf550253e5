import { beforeEach, describe, expect, it } from 'vitest'
import {
  Browser,
  configWith,
  errorOf,
  everythingIn,
  fakeProvider,
  locationOf,
  origin,
} from '../../test-support/browser.js'
import { providerAt, type TestIssuer, testIssuer } from '../../test-support/issuer.js'
import type { OIDCConfig, Provider } from '../../types.js'

let issuer: TestIssuer
let errors: Error[]

const at = 'https://issuer.example'
const done = '/inbox'
const failed = '/auth/signin OAuthCallbackError'
const advertised = { authorization_response_iss_parameter_supported: true }

beforeEach(async () => {
  issuer = await testIssuer(at, { alg: 'ES256' })
  errors = []
})

const browserFor = (...providers: Provider[]) => {
  const logger = { error: (error: Error) => void errors.push(error) }
  return new Browser(configWith({ providers, logger }))
}

/** Starts a sign-in and comes back with an answer to which the test adds parameters. */
async function answered(browser: Browser, added: string, provider = 'test') {
  const { searchParams } = await browser.start(provider)
  const [code, state] = ['nonce', 'state'].map((name) => searchParams.get(name) ?? '')
  const answer = new URLSearchParams([
    ['code', code || 'the-code'],
    ['state', state],
  ] as string[][])
  return browser.get(`/auth/callback/${provider}?${answer}${added}`)
}

async function end(added: string, options: Partial<OIDCConfig> = {}): Promise<string> {
  const browser = browserFor(providerAt(issuer, options))
  const target = errorOf(await answered(browser, added))
  const codesSent = issuer.requests.filter(({ method }) => method === 'POST').length
  // Refused before the code is sent: a code of another issuer stays unused.
  expect(codesSent).toBe(target === done ? 1 : 0)
  expect((await browser.session()) !== null).toBe(target === done)
  return target
}

const iss = (value: string) => `&iss=${encodeURIComponent(value)}`

describe('iss in the answer of an issuer that advertises it (RFC 9207)', () => {
  beforeEach(() => {
    issuer.metadata = advertised
  })

  it.each<[string, string, string]>([
    ['the issuer', iss(at), done],
    ['missing', '', failed],
    ['empty', '&iss=', failed],
    ['of another issuer', iss('https://evil.example'), failed],
    ['with a slash more', iss(`${at}/`), failed],
    ['in capitals', iss('https://ISSUER.example'), failed],
    ['with a port', iss(`${at}:443`), failed],
    ['with a space', iss(`${at} `), failed],
    ['twice', iss(at) + iss(at), failed],
    ['twice, another first', iss('https://evil.example') + iss(at), failed],
    ['twice, another last', iss(at) + iss('https://evil.example'), failed],
    ['under another name', `&ISS=${at}`, failed],
  ])('%s', async (_, added, target) => {
    expect(await end(added)).toBe(target)
  })

  it('is compared with the document’s issuer, if that differs by a slash', async () => {
    issuer.metadata = { ...advertised, issuer: `${at}/` }
    issuer.claims = { iss: `${at}/` }
    expect(await end(iss(`${at}/`))).toBe(done)
    issuer.requests.length = 0
    expect(await end(iss(at))).toBe(failed)
  })

  it('is not required if each tenant has an issuer of its own', async () => {
    expect(await end('', { issuerOf: () => at })).toBe(done)
  })

  it.each([
    ['a cancel that has it', iss(at), `${failed} access_denied`],
    ['a cancel without it', '', failed],
    ['a cancel at another issuer', iss('https://evil.example'), failed],
  ])('%s', async (_, added, target) => {
    const browser = browserFor(providerAt(issuer))
    const state = (await browser.start('test')).searchParams.get('state') ?? ''
    const query = new URLSearchParams({ error: 'access_denied', state })
    expect(errorOf(await browser.get(`/auth/callback/test?${query}${added}`))).toBe(target)
  })
})

describe('iss in the answer of an issuer that does not advertise it', () => {
  it.each<[unknown, string, string]>([
    [undefined, '', done],
    [undefined, iss(at), done],
    [undefined, iss('https://evil.example'), failed],
    [undefined, iss(at) + iss('https://evil.example'), failed],
    [undefined, iss('https://evil.example') + iss(at), failed],
    [false, '', done],
    [false, iss('https://evil.example'), failed],
    // Only the boolean true advertises it.
    ['true', '', done],
    [1, '', done],
  ])('advertised as %j, with %j', async (said, added, target) => {
    issuer.metadata = { authorization_response_iss_parameter_supported: said }
    expect(await end(added)).toBe(target)
  })
})

describe('mix-up attack', () => {
  it('a code of the honest issuer that comes back to the attacker’s provider is not sent there', async () => {
    const evil = await testIssuer('https://evil.example', { alg: 'ES256' })
    // The attacker's own document names the honest issuer's authorization endpoint, and does not
    // advertise iss.
    evil.metadata = { authorization_endpoint: `${at}/authorize` }
    issuer.metadata = advertised
    const browser = browserFor(
      providerAt(issuer, { id: 'honest' }),
      providerAt(evil, { id: 'evil' }),
    )
    expect(errorOf(await answered(browser, iss(at), 'evil'))).toBe(failed)
    expect(evil.requests.filter(({ method }) => method === 'POST')).toEqual([])
    expect(everythingIn(errors)).toContain('iss')
    expect(errorOf(await answered(browser, iss(at), 'honest'))).toBe(done)
  })

  it('an answer for one provider is refused at the callback of the other', async () => {
    const browser = browserFor(providerAt(issuer), providerAt(issuer, { id: 'other' }))
    const state = (await browser.start('test')).searchParams.get('state') ?? ''
    const query = new URLSearchParams({ code: 'c', state, iss: at })
    const answer = await browser.get(`/auth/callback/other?${query}`)
    expect(errorOf(answer)).toBe('/auth/signin InvalidCheck')
  })
})

describe('iss in a posted answer', () => {
  it.each([
    [at, done],
    ['https://evil.example', failed],
    [undefined, failed],
  ])('of %s', async (value, target) => {
    issuer.metadata = advertised
    const browser = browserFor(providerAt(issuer))
    const { searchParams } = await browser.start('test')
    const [code, state] = ['nonce', 'state'].map((name) => searchParams.get(name) ?? '')
    const fields = { code, state, ...(value ? { iss: value } : {}) } as Record<string, string>
    // Posted from the issuer's site without a cookie, until the browser is sent back here.
    const bounced = await browser.post('/auth/callback/test', fields, { cookie: '' })
    const answer = await browser.get(locationOf(bounced).replace(origin, ''))
    expect(errorOf(answer)).toBe(target)
  })
})

describe('a plain OAuth provider without an issuer', () => {
  it.each([
    ['', done],
    ['&iss=', done],
    [iss('https://provider.example'), done],
    [iss('https://evil.example'), done],
    [iss(at) + iss(at), done],
  ])('ignores %j, since it has nothing to compare it with', async (added, target) => {
    expect(errorOf(await answered(browserFor(fakeProvider()), added, 'fake'))).toBe(target)
  })
})
