import { describe, expect, it } from 'vitest'
import { all } from '../../features/all.js'
import credentials from '../../providers/credentials.js'
import microsoftEntraId from '../../providers/microsoft-entra-id.js'
import oidc from '../../providers/oidc.js'
import {
  Browser,
  configWith,
  endpointsOf,
  everythingIn,
  fakeProvider,
  locationOf,
  origin,
  withoutReference,
} from '../../test-support/browser.js'
import type { OAuthConfig, Provider } from '../../types.js'
import { resolveProviders } from '../kinds.js'
import type { ResolvedOAuthProvider } from './resolve.js'

const CLIENT = { clientId: 'id', clientSecret: 'secret' }
const ENTRA = 'https://login.microsoftonline.com'
const kinds = Object.assign({}, ...all.map((feature) => feature.signIn?.kinds))
const problem = async (provider: unknown, env = {}) =>
  [
    ...(
      await resolveProviders([provider as Provider], env, undefined, kinds)
    ).misconfigured.values(),
  ][0]?.message
const without = (name: keyof OAuthConfig): OAuthConfig => {
  const { [name]: _, ...rest } = fakeProvider()
  return rest as OAuthConfig
}

describe('a misconfigured provider', () => {
  it.each([
    ['without client id', without('clientId'), 'Provider "fake" has no client id'],
    ['without client secret', without('clientSecret'), 'Provider "fake" has no client secret'],
    ['with an empty client id', fakeProvider({}, { clientId: '' }), 'no client id'],
    ['without authorization URL', without('authorization'), 'no valid authorization URL'],
    ['without token URL', without('token'), 'no valid token URL'],
    ['without userinfo URL', without('userinfo'), 'no valid userinfo URL'],
    ['with a relative URL', fakeProvider({}, { token: '/token' }), 'no valid token URL'],
    [
      'with plain http off this machine',
      fakeProvider({}, { token: 'http://provider.example/token' }),
      'token URL of provider "fake" must be https',
    ],
    [
      'with http on a host that only looks local',
      fakeProvider({}, { userinfo: 'http://localhost.evil.com/' }),
      'must be https',
    ],
    [
      'with http on 127.0.0.1.evil.com',
      fakeProvider({}, { authorization: 'http://127.0.0.1.evil.com/' }),
      'must be https',
    ],
    [
      'with the address of a discovery document as the issuer',
      oidc({ ...CLIENT, issuer: 'https://id.example/.well-known/openid-configuration' }),
      'leave out "/.well-known/" and what follows',
    ],
    [
      'with a tenant of Entra by its domain',
      microsoftEntraId({ ...CLIENT, issuer: `${ENTRA}/contoso.onmicrosoft.com/v2.0` }),
      'names a tenant by its domain',
    ],
    ['with a script as URL', fakeProvider({}, { authorization: 'javascript:x' }), 'must be https'],
    ['with an id that is a path', fakeProvider({}, { id: '../../x' }), 'no usable id'],
    ['with the id __proto__', fakeProvider({}, { id: '__proto__' }), 'no usable id'],
    ['without id', without('id'), 'no usable id'],
    ['with an id of 65 characters', fakeProvider({}, { id: 'a'.repeat(65) }), 'no usable id'],
    ['with the id of passkeys', fakeProvider({}, { id: 'passkey' }), 'The id "passkey"'],
    [
      'credentials with the id of passkeys',
      { ...credentials({ authorize: () => null }), id: 'passkey' },
      'The id "passkey"',
    ],
    ['with a type that is not offered', { ...fakeProvider(), type: 'saml' }, 'type "saml"'],
    ['of no type', without('type'), 'Provider "fake" has'],
    ['credentials without authorize', credentials({} as never), 'no authorize function'],
  ])('%s is named', async (_, provider, named) => {
    expect(await problem(provider)).toContain(named)
  })

  it('does not break the others, is not listed, and its route answers Configuration', async () => {
    const errors: unknown[] = []
    const browser = new Browser(
      configWith({
        providers: [fakeProvider({}, { id: 'broken', clientId: '' }), fakeProvider()],
        logger: { error: (error) => errors.push(error) },
      }),
    )
    expect(Object.keys((await (await browser.get('/auth/providers')).json()) as object)).toEqual([
      'fake',
    ])
    const response = await browser.submit('/auth/signin/broken')
    expect(withoutReference(response)).toBe(`${origin}/auth/error?error=Configuration`)
    expect(everythingIn(errors)).toContain('Provider "broken" has no client id')
  })

  it('http is allowed on this machine only', async () => {
    for (const host of ['localhost:8788', '127.0.0.1:8788', '[::1]:8788']) {
      expect(await problem(fakeProvider({}, { token: `http://${host}/token` }))).toBeUndefined()
    }
  })
})

describe('ids', () => {
  it('the first of two providers with one id stays, and the second is named', async () => {
    const first = fakeProvider({}, { name: 'First' })
    const { usable, misconfigured } = await resolveProviders([first, fakeProvider()], {})
    expect(usable.get('fake')?.name).toBe('First')
    expect(misconfigured.get('fake')?.message).toBe('Two providers have the id "fake".')
  })

  it('the log has the requested id, as one short line, and the configured ids', async () => {
    const errors: Error[] = []
    const logger = { error: (error: Error) => void errors.push(error) }
    const ids = ['one', 'two'].map((id) => fakeProvider({}, { id }))
    const browser = new Browser(configWith({ providers: ids, logger }))
    await browser.submit('/auth/signin/oen')
    expect(errors.pop()?.cause).toEqual({ provider: 'oen', configured: ['one', 'two'] })
    await browser.get(`/auth/callback/${'x'.repeat(5_000)}`)
    expect(errors.pop()?.cause).toMatchObject({ provider: 'x'.repeat(200) })
  })

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'nobody'])(
    '%s in a path is an unknown provider, never a member of an object',
    async (id) => {
      const browser = new Browser(configWith({ providers: [fakeProvider()] }))
      const answers = [
        await browser.submit(`/auth/signin/${id}`),
        await browser.get(`/auth/callback/${id}?code=x&state=y`),
        await browser.submit(`/auth/callback/${id}`),
      ]
      for (const answer of answers) {
        expect(answer.status).toBe(302)
        expect(withoutReference(answer)).toBe(`${origin}/auth/error?error=Configuration`)
      }
    },
  )

  it('a provider with the id constructor works like any other', async () => {
    const browser = new Browser(
      configWith({ providers: [fakeProvider({}, { id: 'constructor' })] }),
    )
    const listed = (await (await browser.get('/auth/providers')).json()) as object
    expect(Object.getOwnPropertyNames(listed)).toEqual(['constructor'])
    expect(locationOf(await browser.signIn('constructor'))).toBe(`${origin}/inbox`)
  })
})

describe('the environment', () => {
  const bare = { ...without('clientId'), clientSecret: '', id: 'my-site' }
  const env = {
    AUTH_MY_SITE_ID: 'id-of-env',
    AUTH_MY_SITE_SECRET: 'secret-of-env',
    AUTH_MY_SITE_ISSUER: 'https://issuer.example',
  }
  const resolve = async (provider: OAuthConfig) =>
    (await resolveProviders([provider], env)).usable.get('my-site') as ResolvedOAuthProvider

  it('AUTH_<ID>_ID, _SECRET and _ISSUER complete the options', async () => {
    expect(await resolve(bare)).toMatchObject({
      clientId: 'id-of-env',
      clientSecret: 'secret-of-env',
      issuer: 'https://issuer.example',
    })
  })

  it('options win', async () => {
    expect((await resolve({ ...bare, clientId: 'own' })).clientId).toBe('own')
  })

  it('a public client sends no secret, also when the environment has one', async () => {
    const client = { token_endpoint_auth_method: 'none' } as const
    expect((await resolve({ ...bare, client })).clientSecret).toBeUndefined()
  })

  it('undefined parameters of an endpoint are left out', async () => {
    const authorization = {
      url: 'https://provider.example/',
      params: { a: undefined, b: false, c: 0 },
    }
    const endpoints = await endpointsOf(await resolve({ ...bare, authorization }))
    expect(endpoints.authorization.search).toBe('?b=false&c=0')
  })
})
