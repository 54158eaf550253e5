import { generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import { beforeEach, describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { Browser, configWith, errorOf, everythingIn, signInAt } from '../../test-support/browser.js'
import { providerAt, type TestIssuer, testIssuer } from '../../test-support/issuer.js'
import type { OIDCConfig } from '../../types.js'

/** The time of the tests, in seconds. */
const now = Date.UTC(2026, 10, 1) / 1000
const { pass } = clock({ start: now * 1000 })

let issuer: TestIssuer
let errors: Error[]

beforeEach(async () => {
  issuer = await testIssuer()
  errors = []
})

function browserFor(options: Partial<OIDCConfig> = {}): Browser {
  const logger = { error: (error: Error) => void errors.push(error) }
  return new Browser(configWith({ providers: [providerAt(issuer, options)], logger }))
}

const failed = '/auth/signin OAuthCallbackError'

async function refused(browser: Browser, reason: string): Promise<void> {
  const answer = await signInAt(browser)
  expect(errorOf(answer)).toBe(failed)
  expect(await browser.session()).toBeNull()
  const logged = everythingIn(errors)
  expect(logged).toContain(reason)
  // Parts of tokens that must not be in a log.
  expect(logged).not.toMatch(/eyJ|access-token-/)
}

describe('an ID token', () => {
  it('without a fault signs in', async () => {
    issuer.claims = { name: 'Ada', email: 'ada@example.com', email_verified: true }
    const browser = browserFor()
    const answer = await signInAt(browser)
    expect(answer.headers.get('location')).toContain('/inbox')
    expect((await browser.session())?.user).toMatchObject({
      name: 'Ada',
      email: 'ada@example.com',
    })
  })

  it.each<[string, Record<string, unknown>, string]>([
    ['of another issuer', { iss: 'https://evil.example' }, '"iss"'],
    ['from the issuer with a slash', { iss: 'https://issuer.example/' }, '"iss"'],
    ['without issuer', { iss: undefined }, '"iss"'],
    ['with a list as the issuer', { iss: ['https://issuer.example'] }, '"iss"'],
    ['for another client', { aud: 'somebody-else' }, '"aud"'],
    ['for no client', { aud: undefined }, '"aud"'],
    ['for an empty list', { aud: [] }, '"aud"'],
    ['with an object hidden in the audience', { aud: ['the-client-id', {}] }, '"aud"'],
    ['for several without azp', { aud: ['the-client-id', 'other'] }, '"azp"'],
    ['issued to another client', { azp: 'other' }, '"azp"'],
    [
      'issued to another client of several',
      { aud: ['the-client-id', 'other'], azp: 'other' },
      '"azp"',
    ],
    ['that has expired', { exp: now - 61 }, '"exp"'],
    ['without end', { exp: undefined }, '"exp"'],
    ['with a text as the end', { exp: String(now + 300) }, '"exp"'],
    ['that is not valid yet', { nbf: now + 120 }, '"nbf"'],
    ['with a text as nbf', { nbf: 'soon' }, '"nbf"'],
    ['from the future', { iat: now + 120 }, '"iat"'],
    ['from long ago', { iat: now - 900 }, '"iat"'],
    ['without iat', { iat: undefined }, '"iat"'],
    ['with the nonce of another flow', { nonce: 'another' }, '"nonce"'],
    ['without nonce', { nonce: undefined }, '"nonce"'],
    ['with null as the nonce', { nonce: null }, '"nonce"'],
    ['for another access token', { at_hash: 'AAAAAAAAAAAAAAAAAAAAAA' }, '"at_hash"'],
    ['with null as at_hash', { at_hash: null }, '"at_hash"'],
    ['without subject', { sub: undefined }, '"sub"'],
    ['with an empty subject', { sub: '' }, '"sub"'],
    ['with a number as the subject', { sub: 7 }, '"sub"'],
    ['with a subject that is too long', { sub: 'a'.repeat(256) }, '"sub"'],
  ])('%s is refused', async (_, claims, reason) => {
    issuer.claims = claims
    await refused(browserFor(), reason)
  })

  it.each<[string, Record<string, unknown>, string]>([
    ['with the type of an access token', { typ: 'at+jwt' }, '"typ"'],
    ['with the type of a logout token', { typ: 'logout+jwt' }, '"typ"'],
    ['with a key that is unknown', { kid: 'unknown' }, 'JWKSNoMatchingKey'],
  ])('%s is refused', async (_, header, reason) => {
    issuer.header = header
    await refused(browserFor(), reason)
  })

  it('with an extension that must be understood is refused', async () => {
    issuer.sign = async (claims) => {
      const header = { alg: 'RS256', kid: 'key-1', crit: ['exp'], exp: 1 }
      return new SignJWT(claims)
        .setProtectedHeader(header as never)
        .sign(issuer.privateKey(), { crit: { exp: true } })
    }
    await refused(browserFor(), 'JOSENotSupported')
  })

  it('signed by a stranger with the same key id is refused', async () => {
    const { privateKey } = await generateKeyPair('RS256')
    const header = { alg: 'RS256', kid: 'key-1' }
    issuer.sign = (claims) => new SignJWT(claims).setProtectedHeader(header).sign(privateKey)
    await refused(browserFor(), 'JWSSignatureVerificationFailed')
  })

  it('alg none is refused, also when the configuration names it', async () => {
    issuer.sign = async (claims) => new UnsecuredJWT(claims).encode()
    await refused(browserFor(), '"alg"')
    await refused(browserFor({ client: { id_token_signed_response_alg: 'none' } }), '"alg"')
  })

  describe('with a symmetric signature', () => {
    const secret = new TextEncoder().encode('the-client-secret-of-enough-length')
    const header = { alg: 'HS256' }

    beforeEach(() => {
      issuer.claims = { at_hash: undefined }
      issuer.sign = (claims) => new SignJWT(claims).setProtectedHeader(header).sign(secret)
    })

    it('is refused, even if discovery lists it', async () => {
      issuer.metadata = { id_token_signing_alg_values_supported: ['RS256', 'HS256'] }
      await refused(browserFor(), '"alg"')
    })

    it('algorithm confusion: an HMAC with the public key is refused', async () => {
      const key = new TextEncoder().encode(JSON.stringify(issuer.jwks().keys[0]))
      issuer.sign = (claims) => new SignJWT(claims).setProtectedHeader(header).sign(key)
      await refused(browserFor(), '"alg"')
      const client = { id_token_signed_response_alg: 'HS256' }
      await refused(browserFor({ client }), 'JWSSignatureVerificationFailed')
    })

    it('is accepted if the configuration names it', async () => {
      const browser = browserFor({ client: { id_token_signed_response_alg: 'HS256' } })
      await signInAt(browser)
      expect(await browser.session()).not.toBeNull()
    })
  })

  it.each(['ES256', 'PS384', 'EdDSA', 'Ed25519'])('signed with %s is accepted', async (alg) => {
    issuer = await testIssuer('https://issuer.example', { alg })
    const browser = browserFor()
    await signInAt(browser)
    expect(await browser.session()).not.toBeNull()
  })

  it('without a list of algorithms in discovery must be RS256', async () => {
    issuer = await testIssuer('https://issuer.example', { alg: 'ES256' })
    issuer.metadata = { id_token_signing_alg_values_supported: undefined }
    await refused(browserFor(), '"alg"')
  })

  it.each([
    ['is missing', undefined],
    ['is empty', ''],
    ['is no JWT', 'not a token'],
    ['is an object', {}],
    ['has five parts', 'a.b.c.d.e'],
  ])('that %s ends the sign-in', async (_, id_token) => {
    issuer.tokens = { id_token }
    const browser = browserFor()
    expect(errorOf(await signInAt(browser))).toBe(failed)
    expect(await browser.session()).toBeNull()
  })
})

describe('the provider’s keys', () => {
  const reads = () => issuer.requests.filter(({ url }) => url.endsWith('/keys')).length

  it('are read once for any number of sign-ins', async () => {
    const browser = browserFor()
    for (let count = 0; count < 3; count++) await signInAt(browser)
    expect(reads()).toBe(1)
    expect(await browser.session()).not.toBeNull()
  })

  it('are read again, once, when one is unknown', async () => {
    const browser = browserFor()
    await signInAt(browser)
    await issuer.rotate()
    expect((await signInAt(browser)).headers.get('location')).toContain('/inbox')
    expect(reads()).toBe(2)
    issuer.header = { kid: 'unknown' }
    await refused(browserFor(), 'JWKSNoMatchingKey')
    expect(reads()).toBe(3)
  })

  it('are asked for once a minute, however many tokens name a key that is made up', async () => {
    const browser = browserFor()
    await signInAt(browser)
    issuer.header = { kid: 'made-up' }
    for (let count = 0; count < 15; count++) await signInAt(browser)
    await Promise.all(Array.from({ length: 15 }, () => signInAt(browserFor())))
    expect(reads()).toBe(2)
    pass(60)
    await Promise.all(Array.from({ length: 15 }, () => signInAt(browserFor())))
    expect(reads()).toBe(3)
  })

  it('that are changed are found a minute after a stranger’s look in vain, at the latest', async () => {
    const browser = browserFor()
    await signInAt(browser)
    issuer.header = { kid: 'made-up' }
    await signInAt(browser)
    await issuer.rotate()
    issuer.header = {}
    expect(errorOf(await signInAt(browser))).toBe(failed)
    pass(60)
    expect(errorOf(await signInAt(browser))).toBe('/inbox')
  })

  it('that are changed twice in a minute are found both times', async () => {
    const browser = browserFor()
    for (let count = 0; count < 3; count++) {
      expect(errorOf(await signInAt(browser))).toBe('/inbox')
      await issuer.rotate()
    }
    expect(reads()).toBe(3)
  })

  it('that cannot be read are asked for once a minute too', async () => {
    const browser = browserFor()
    await signInAt(browser)
    issuer.header = { kid: 'made-up' }
    issuer.answers = { keys: () => new Response(null, { status: 500 }) }
    for (let count = 0; count < 5; count++) await signInAt(browser)
    expect(reads()).toBe(2)
  })

  it.each<[string, () => Response]>([
    ['HTML', () => new Response('<html>', { headers: { 'content-type': 'text/html' } })],
    ['an empty list', () => Response.json({ keys: [] })],
    ['no list', () => Response.json({})],
    ['keys that are not objects', () => Response.json({ keys: [null, 'key'] })],
    ['status 500', () => Response.json(issuer.jwks(), { status: 500 })],
    ['a redirect', () => Response.redirect('http://169.254.169.254/')],
    ['5 MiB', () => new Response('x'.repeat(5 * 1024 * 1024))],
  ])('that are %s end the sign-in', async (_, keys) => {
    issuer.answers = { keys }
    const browser = browserFor()
    expect(errorOf(await signInAt(browser))).toBe(failed)
    expect(await browser.session()).toBeNull()
  })
})
