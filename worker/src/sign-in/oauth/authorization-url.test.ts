import { describe, expect, it, vi } from 'vitest'
import { Browser, configWith, fakeProvider, origin } from '../../test-support/browser.js'
import type { OAuthUserConfig } from '../../types.js'
import { addParameters } from '../caller-parameters.js'
import { resolveProviders } from '../kinds.js'
import { authorizationUrl } from './authorization-url.js'
import { connect } from './connection.js'
import type { ResolvedOAuthProvider } from './resolve.js'

const RESERVED = [
  'client_id',
  'client_key',
  'client_secret',
  'redirect_uri',
  'response_type',
  'response_mode',
  'state',
  'nonce',
  'scope',
  'code_challenge',
  'code_challenge_method',
  'request',
  'request_uri',
]

/** The verifier and challenge of RFC 7636, appendix B. */
const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

async function urlOf(options: OAuthUserConfig = {}, query = ''): Promise<URL> {
  const provider = (await resolveProviders([fakeProvider({}, options)], {})).usable.get('fake')
  const flow = { state: 'the-state', codeVerifier: verifier }
  const extra = new URLSearchParams(query)
  const connection = await connect(provider as ResolvedOAuthProvider, 0)
  return authorizationUrl(connection, `${origin}/cb`, flow, extra)
}

describe('the authorization request', () => {
  it('always has state, PKCE S256, client id and redirect URI', async () => {
    for (const options of [{}, { checks: ['none'] } as const, { checks: [] }]) {
      expect(Object.fromEntries((await urlOf(options)).searchParams)).toEqual({
        client_id: 'the-client-id',
        response_type: 'code',
        redirect_uri: `${origin}/cb`,
        scope: 'basic',
        state: 'the-state',
        code_challenge: challenge,
        code_challenge_method: 'S256',
      })
    }
  })

  it('has the challenge in hexadecimal digits if the provider needs that', async () => {
    const { searchParams } = await urlOf({ codeChallengeEncoding: 'hex' })
    const hex = Buffer.from(challenge, 'base64url').toString('hex')
    expect(searchParams.get('code_challenge')).toBe(hex)
    expect(hex).toMatch(/^[0-9a-f]{64}$/)
  })

  it('never has the client secret', async () => {
    expect((await urlOf()).href).not.toContain('the-client-secret')
  })

  it('does not gather parameters from one request to the next', async () => {
    const browser = new Browser(configWith({ providers: [fakeProvider()] }))
    await browser.start('fake', { query: '?login_hint=first' })
    expect((await browser.start('fake')).searchParams.has('login_hint')).toBe(false)
  })
})

describe('parameters that a caller adds', () => {
  it.each(RESERVED)('may not override %s, in any letter case', async (name) => {
    const plain = await urlOf()
    const query = `${name}=evil&${name.toUpperCase()}=evil&${encodeURIComponent(name)}=evil`
    const url = await urlOf({}, query)
    expect(url.href).toBe(plain.href)
    expect(url.href).not.toContain('evil')
  })

  it('may not override reserved ones in the provider’s own URL', async () => {
    const authorization = 'https://provider.example/authorize?client_key=k&response_mode=query'
    const { searchParams } = await urlOf(
      { authorization },
      'client_key=evil&response_mode=fragment',
    )
    expect(searchParams.getAll('client_key')).toEqual(['k'])
    expect(searchParams.getAll('response_mode')).toEqual(['query'])
  })

  it('are otherwise passed on, one value each', async () => {
    const { searchParams } = await urlOf({}, 'login_hint=ada&prompt=a&prompt=b&constructor=x')
    expect(searchParams.get('login_hint')).toBe('ada')
    expect(searchParams.getAll('prompt')).toEqual(['b'])
    expect(searchParams.get('constructor')).toBe('x')
  })

  const twins = RESERVED.flatMap((name) => [
    `${name}[]`,
    `${name}[0]`,
    `${name}%00`,
    `%00${name}`,
    `${name}%20`,
    `${name}+`,
    `${name};`,
    `${name}%26${name}`,
    `%EF%BB%BF${name}`,
    name.replaceAll('_', '.'),
    name.replaceAll('_', '%20'),
    name.replaceAll('_', '-'),
    name.replaceAll('_', ''),
    `_${name}`,
    `${name}_`,
    [...name].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join(''),
    name.replace('s', '%C5%BF'),
  ])
  it.each(
    [
      ...twins,
      'authorization_details',
      'client_assertion',
      'client_assertion_type',
      'dpop_jkt',
      'user_scope',
      'callback_url',
      'callbackUrl',
      'csrf_token',
      'csrfToken',
      '',
    ].filter((name) => !RESERVED.includes(name) || name.includes('%')),
  )('parameter pollution: the look-alike %j does not reach the provider', async (name) => {
    const plain = await urlOf()
    expect((await urlOf({}, `${name}=evil`)).href).toBe(plain.href)
  })

  it.each([
    'login_hint',
    'hd',
    'kc_idp_hint',
    'ui_locales',
    'ext-plan',
    'showDialog',
    'acr_values',
  ])('the usual %s passes', async (name) => {
    expect((await urlOf({}, `${name}=a`)).searchParams.get(name)).toBe('a')
  })

  it('take the place of the provider’s own of that name, and leave its URL as it is if there are none', () => {
    const at = 'https://provider.example/authorize?prompt=consent&audience=a%20b'
    const written = (query: string) => {
      const url = new URL(at)
      addParameters(url, new URLSearchParams(query))
      return url.href
    }
    expect(written('state=evil&a.b=c')).toBe(at)
    expect(written('prompt=login')).toBe(
      'https://provider.example/authorize?audience=a+b&prompt=login',
    )
  })

  it('a thousand of them write the URL as often as one does', async () => {
    const writes = (count: number) => {
      const names = Array.from({ length: count }, (_, index) => [`p${index}`, 'x'])
      const url = new URL('https://provider.example/authorize?audience=a')
      const write = vi.spyOn(url, 'search', 'set')
      const set = vi.spyOn(url.searchParams, 'set')
      addParameters(url, new URLSearchParams(names))
      expect(url.searchParams.size).toBe(count + 1)
      return write.mock.calls.length + set.mock.calls.length
    }
    expect(writes(1_000)).toBe(writes(1))
  })

  it('are ignored in the body of the request', async () => {
    const browser = new Browser(configWith({ providers: [fakeProvider()] }))
    const answer = await browser.submit('/auth/signin/fake', { client_id: 'evil', scope: 'evil' })
    expect(answer.headers.get('location')).not.toContain('evil')
  })

  it('the host of the provider cannot be changed', async () => {
    const url = await urlOf({}, '//evil.com?x=1&@evil.com=2&%0d%0aLocation:=https://evil.com')
    expect(url.origin).toBe('https://provider.example')
    expect(url.href).not.toMatch(/[\r\n]/)
  })
})
