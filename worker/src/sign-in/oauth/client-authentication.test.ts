import { exportJWK, generateKeyPair, importJWK, type JWTPayload, jwtVerify } from 'jose'
import { beforeEach, describe, expect, it } from 'vitest'
import { openid } from '../../features/openid/index.js'
import { Browser, configWith, errorOf, everythingIn, signInAt } from '../../test-support/browser.js'
import { providerAt, type TestIssuer, testIssuer } from '../../test-support/issuer.js'
import type { ClientAuthenticationMethod, OIDCConfig } from '../../types.js'
import { resolveProviders } from '../kinds.js'

let issuer: TestIssuer
let errors: Error[]

const at = 'https://issuer.example'
const failed = '/auth/signin OAuthCallbackError'
/** Characters with a meaning in a URL, in a form or between user name and password. */
const odd = 'a b+c:d%e/f&g=h?ü€"~*\''

beforeEach(async () => {
  issuer = await testIssuer(at, { alg: 'ES256', clientId: odd })
  errors = []
})

const by = (method: ClientAuthenticationMethod) => ({
  client: { token_endpoint_auth_method: method },
})

/** Signs in once. @returns the request to the token endpoint */
async function tokenRequest(options: Partial<OIDCConfig>, end = '/inbox') {
  const config = { clientId: odd, clientSecret: odd, ...options }
  const logger = { error: (error: Error) => void errors.push(error) }
  const browser = new Browser(configWith({ providers: [providerAt(issuer, config)], logger }))
  expect(errorOf(await signInAt(browser))).toBe(end)
  const sent = issuer.requests.findLast(({ method }) => method === 'POST')
  const form = new URLSearchParams(await sent?.clone().text())
  return { url: sent?.url, form, header: sent?.headers.get('authorization') ?? null }
}

/** A user name or password of Basic authentication (RFC 6749, section 2.3.1 and appendix B). */
const formDecoded = (text = '') => new URLSearchParams(`x=${text}`).get('x')

describe('client_secret_basic', () => {
  it('form-encodes id and secret, and sends neither in the body', async () => {
    const { header, form, url } = await tokenRequest(by('client_secret_basic'))
    expect(header).toMatch(/^Basic /)
    const credentials = atob(header?.slice('Basic '.length) ?? '')
    expect(credentials).toMatch(/^[\w.%+*-]+:[\w.%+*-]+$/)
    expect(credentials.split(':').map(formDecoded)).toEqual([odd, odd])
    expect(form.has('client_secret')).toBe(false)
    expect(url).toBe(`${at}/token`)
  })
})

describe('client_secret_post', () => {
  it('sends the secret in the body, and nowhere else', async () => {
    const { header, form, url } = await tokenRequest(by('client_secret_post'))
    expect(form.getAll('client_id')).toEqual([odd])
    expect(form.getAll('client_secret')).toEqual([odd])
    expect(header).toBeNull()
    expect(url).toBe(`${at}/token`)
    for (const request of issuer.requests) {
      expect(everythingIn([...request.headers, request.url])).not.toContain(odd)
    }
  })
})

describe('private_key_jwt', () => {
  it.each([
    ['RS256', undefined],
    ['RS256', 'my-key'],
    ['ES256', 'my-key'],
  ])('proves with an assertion signed by %s, key id %s, and sends no secret', async (alg, kid) => {
    const { privateKey: key, publicKey } = await generateKeyPair(alg)
    const clientPrivateKey = kid === undefined ? key : { key, kid }
    const options = { ...by('private_key_jwt'), token: { clientPrivateKey } }
    const seen: JWTPayload[] = []
    for (let count = 0; count < 2; count++) {
      const { form, header } = await tokenRequest(options)
      const assertion = form.get('client_assertion') ?? ''
      const { payload, protectedHeader } = await jwtVerify(assertion, publicKey, {
        algorithms: [alg],
        issuer: odd,
        subject: odd,
        audience: at,
        requiredClaims: ['exp', 'iat', 'jti'],
        maxTokenAge: 60,
      })
      expect(protectedHeader.kid).toBe(kid)
      expect((payload.exp ?? Infinity) - Date.now() / 1000).toBeLessThanOrEqual(300)
      expect(payload.jti).toMatch(/^[\w-]{20,}$/)
      seen.push(payload)
      expect(form.get('client_assertion_type')).toBe(
        'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      )
      expect(form.has('client_secret')).toBe(false)
      expect(header).toBeNull()
    }
    expect(new Set(seen.map(({ jti }) => jti)).size).toBe(2)
  })

  it.each([
    ['public', async () => (await generateKeyPair('ES256')).publicKey],
    ['symmetric', async () => (await importJWK({ kty: 'oct', k: 'AAAA' }, 'HS256')) as never],
    [
      'not imported',
      async () => exportJWK((await generateKeyPair('ES256', { extractable: true })).privateKey),
    ],
  ])('with a key that is %s fails, with an error that does not quote the key', async (_, make) => {
    const clientPrivateKey = (await make()) as CryptoKey
    const options = { ...by('private_key_jwt'), token: { clientPrivateKey } }
    await tokenRequest(options, failed)
    expect(everythingIn(errors)).toContain('clientPrivateKey')
    const { d } = clientPrivateKey as { d?: string }
    if (d) expect(everythingIn(errors)).not.toContain(d)
  })
})

describe('none', () => {
  it('sends the client id alone, even if a secret is configured', async () => {
    const { form, header } = await tokenRequest(by('none'))
    expect(form.get('client_id')).toBe(odd)
    expect(form.has('client_secret')).toBe(false)
    expect(header).toBeNull()
    expect(form.get('code_verifier')).toMatch(/^[\w-]{43}$/)
  })
})

describe('without a configured method', () => {
  const { token_endpoint_auth_method: _, ...nothing } = by('none').client

  it.each<[unknown, 'basic' | 'post']>([
    [undefined, 'basic'],
    [['client_secret_basic'], 'basic'],
    [['client_secret_post'], 'post'],
    [['client_secret_post', 'client_secret_basic'], 'basic'],
    [['private_key_jwt', 'client_secret_post'], 'post'],
    [['tls_client_auth'], 'basic'],
    [['none'], 'basic'],
    [[], 'basic'],
    ['client_secret_post', 'basic'],
    [[7, null, 'client_secret_post'], 'post'],
  ])('discovery’s %j means %s', async (supported, expected) => {
    issuer.metadata = { token_endpoint_auth_methods_supported: supported }
    const { form, header } = await tokenRequest({ client: nothing })
    expect([header !== null, form.has('client_secret')]).toEqual(
      expected === 'basic' ? [true, false] : [false, true],
    )
  })

  it('a configured method wins over discovery', async () => {
    issuer.metadata = { token_endpoint_auth_methods_supported: ['client_secret_post'] }
    expect((await tokenRequest(by('client_secret_basic'))).header).not.toBeNull()
  })
})

describe('clientSecret as a function', () => {
  it('is called for each request', async () => {
    let count = 0
    const clientSecret = async () => `secret-${++count}`
    const options = { ...by('client_secret_post'), clientSecret }
    expect((await tokenRequest(options)).form.get('client_secret')).toBe('secret-1')
    expect((await tokenRequest(options)).form.get('client_secret')).toBe('secret-2')
    expect(count).toBe(2)
  })

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('no key')
      },
    ],
    ['rejects with nothing', () => Promise.reject()],
    ['returns an empty text', () => ''],
    ['returns nothing', () => undefined],
    ['returns a number', () => 7],
    ['returns bytes', () => new Uint8Array(8)],
  ])('that %s ends the sign-in, and the code is not sent', async (_, clientSecret) => {
    await tokenRequest({ clientSecret: clientSecret as () => string }, failed)
    expect(errors).toHaveLength(1)
    expect(issuer.requests.filter(({ method }) => method === 'POST')).toEqual([])
  })
})

describe('a client without credentials', () => {
  const problem = async (options: Partial<OIDCConfig>) =>
    resolveProviders([providerAt(issuer, options)], {}, '', openid.signIn?.kinds).misconfigured.get(
      'test',
    )?.message

  it.each<[string, Partial<OIDCConfig>, RegExp]>([
    ['no id', { clientId: '' }, /"test" has no client id: .* \(AUTH_TEST_ID\)/],
    ['no secret', { clientSecret: '' }, /"test" has no client secret: .* \(AUTH_TEST_SECRET\)/],
    ['nothing to post', { ...by('client_secret_post'), clientSecret: '' }, /no client secret/],
    ['no key', by('private_key_jwt'), /"test" has no token\.clientPrivateKey/],
    ['a URL for a key', { ...by('private_key_jwt'), token: `${at}/t` }, /no token\.clientPriv/],
  ])('%s is named at the start', async (_, options, message) => {
    expect(await problem(options)).toMatch(message)
  })

  it.each(['client_secret_jwt', 'tls_client_auth', 'CLIENT_SECRET_POST', ''])(
    'the unknown method %j',
    async (method) => {
      expect((await problem(by(method as never))) ?? '').toContain('token_endpoint_auth_method')
    },
  )
})
