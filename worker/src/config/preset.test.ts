import { describe, expect, it, test, vi } from 'vitest'
import { customFetch } from '../lib/symbols.js'
import type { ClientPrivateKey, Endpoint, OAuthConfig, OAuthUserConfig } from '../types.js'
import { endpointParts, instanceAt, withOptions } from './preset.js'

const at = 'https://provider.example'
const preset: OAuthConfig = deepFreeze({
  id: 'example',
  name: 'Example',
  type: 'oauth',
  authorization: { url: `${at}/authorize`, params: { scope: 'basic', prompt: 'login' } },
  token: `${at}/token`,
  userinfo: { url: `${at}/userinfo`, params: { fields: 'id' }, request: () => ({ sub: 'preset' }) },
  client: {
    token_endpoint_auth_method: 'client_secret_post',
    id_token_signed_response_alg: 'ES256',
  },
  style: { brandColor: '#111111', text: '#ffffff' },
})

const merged = (options: OAuthUserConfig) => withOptions(preset, deepFreeze(options))
/** Options as JavaScript or a less strict compiler lets them be. */
const loosely = (options: object) => merged(options as OAuthUserConfig)

describe('the options of a preset’s user', () => {
  it('leave a preset unchanged if they are absent', () => {
    expect(merged({})).toEqual(preset)
    expect(merged({})).not.toBe(preset)
  })

  it('replace members other than endpoints and client as a whole', () => {
    expect(merged({ name: 'Mine', style: { text: '#000000' } })).toEqual({
      ...preset,
      name: 'Mine',
      style: { text: '#000000' },
    })
  })

  it('that are undefined count as not given', () => {
    const names = ['id', 'name', 'authorization', 'token', 'userinfo', 'revocation', 'client']
    const options = Object.fromEntries(names.map((name) => [name, undefined]))
    expect(loosely({ ...options, [customFetch]: undefined })).toStrictEqual({ ...preset })
  })

  it('that are false or empty are given', () => {
    expect(merged({ revokeOnSignOut: false, clientId: '', scope: '' })).toMatchObject({
      revokeOnSignOut: false,
      clientId: '',
      scope: '',
    })
  })

  it('keep symbol members of the preset and of the options', () => {
    const [one, two] = [() => fetch('1'), () => fetch('2')]
    expect(merged({ [customFetch]: one })[customFetch]).toBe(one)
    const own = { ...preset, [customFetch]: two }
    expect(withOptions(own, {})[customFetch]).toBe(two)
    expect(withOptions(own, { [customFetch]: one })[customFetch]).toBe(one)
  })

  it('are not changed by merging: the same options give the same provider again', () => {
    const options = { authorization: { params: { prompt: 'none' } }, client: {} }
    const first = merged(options)
    Object.assign(first.authorization as object, { url: 'https://changed.example' })
    expect(merged(options).authorization).toMatchObject({ url: `${at}/authorize` })
    expect(JSON.stringify(preset)).not.toContain('changed')
  })
})

describe('an endpoint', () => {
  const authorization = preset.authorization as { url: string; params: object }
  const { params } = authorization

  it.each<[string, Endpoint, object]>([
    ['a URL', 'https://own.example', { url: 'https://own.example', params }],
    ['a URL in an object', { url: 'https://own.example' }, { url: 'https://own.example', params }],
    [
      'a URL that says itself what a parameter would say',
      'https://own.example/?scope=more&claims=x',
      { url: 'https://own.example/?scope=more&claims=x', params: { prompt: 'login' } },
    ],
    [
      'such a URL, and the parameter too',
      { url: 'https://own.example/?scope=more', params: { scope: 'most' } },
      { url: 'https://own.example/?scope=more', params: { scope: 'most', prompt: 'login' } },
    ],
    ['no URL at all', 'own', { url: 'own', params }],
    ['nothing', {}, authorization],
    ['no parameters', { params: {} }, authorization],
    [
      'one parameter more',
      { params: { claims: 'x' } },
      { url: authorization.url, params: { ...params, claims: 'x' } },
    ],
    [
      'one parameter in another way',
      { params: { scope: 'more' } },
      { url: authorization.url, params: { scope: 'more', prompt: 'login' } },
    ],
    [
      'a parameter that is false, one that is 0 and one that is empty',
      { params: { a: false, b: 0, scope: '' } },
      { url: authorization.url, params: { scope: '', prompt: 'login', a: false, b: 0 } },
    ],
    [
      'a parameter that is left out',
      { params: { prompt: undefined } },
      { url: authorization.url, params: { scope: 'basic', prompt: undefined } },
    ],
  ])('given as %s is merged', (_, given, expected) => {
    expect(merged({ authorization: given }).authorization).toStrictEqual(expected)
  })

  it('that is a text in the preset takes parameters', () => {
    expect(merged({ token: { params: { a: 1 } } }).token).toStrictEqual({
      url: `${at}/token`,
      params: { a: 1 },
    })
  })

  it('that the preset lacks is taken unchanged', () => {
    expect(merged({ revocation: `${at}/revoke` }).revocation).toBe(`${at}/revoke`)
    const revocation = { url: `${at}/revoke`, params: { a: 1 } }
    expect(merged({ revocation }).revocation).toEqual(revocation)
  })

  it('keeps its function and its key if a URL or parameters are given', () => {
    const { request } = preset.userinfo as { request: () => unknown }
    expect(merged({ userinfo: 'https://own.example' }).userinfo).toMatchObject({ request })
    expect(merged({ userinfo: { params: { x: 1 } } }).userinfo).toStrictEqual({
      url: `${at}/userinfo`,
      params: { fields: 'id', x: 1 },
      request,
    })
    const own = () => ({ sub: 'own' })
    expect(merged({ userinfo: { request: own } }).userinfo).toMatchObject({
      url: `${at}/userinfo`,
      request: own,
    })
    const clientPrivateKey = { kid: 'k' } as ClientPrivateKey
    const keyed = merged({ token: { clientPrivateKey } })
    expect(keyed.token).toMatchObject({ url: `${at}/token`, clientPrivateKey })
    expect(withOptions(keyed, { token: 'https://own.example' }).token).toMatchObject({
      url: 'https://own.example',
      clientPrivateKey,
    })
  })

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'prototype pollution: a parameter named %s is a parameter like any other',
    (name) => {
      const given = JSON.parse(`{"params":{"${name}":"x"}}`) as Exclude<Endpoint, string>
      const { params } = endpointParts(merged({ authorization: given }).authorization)
      expect(Object.entries(params ?? {})).toContainEqual([name, 'x'])
      expect(params?.scope).toBe('basic')
      expect(Object.getPrototypeOf(params)).toBe(Object.prototype)
      expect(({} as Record<string, unknown>)[name]).not.toBe('x')
    },
  )

  it('prototype pollution: an option named __proto__ does not become the prototype', () => {
    const options = JSON.parse('{"__proto__":{"clientId":"evil"},"name":"Mine"}')
    const result = loosely(options)
    expect(result.clientId).toBeUndefined()
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype)
  })

  it('keeps its URL if the one that is given is undefined', () => {
    expect(loosely({ authorization: { url: undefined } }).authorization).toMatchObject({
      url: `${at}/authorize`,
    })
  })

  it('keeps its function where the one that is given is undefined', () => {
    const { userinfo } = loosely({ userinfo: { request: undefined } })
    expect(userinfo).toMatchObject({ request: expect.any(Function) })
  })
})

describe('client', () => {
  it('is merged member by member', () => {
    const client = { token_endpoint_auth_method: 'none' } as const
    expect(merged({ client }).client).toEqual({ ...preset.client, ...client })
    expect(merged({ client: {} }).client).toEqual(preset.client)
  })

  it('that the preset lacks is taken unchanged', () => {
    const { client: _, ...bare } = preset
    const client = { token_endpoint_auth_method: 'none' } as const
    expect(withOptions<OAuthConfig>(bare, { client }).client).toEqual(client)
  })

  it('keeps a member if the one that is given is undefined', () => {
    const { client } = loosely({ client: { token_endpoint_auth_method: undefined } })
    expect(client?.token_endpoint_auth_method).toBe('client_secret_post')
  })
})

function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value
  for (const key of Reflect.ownKeys(value)) deepFreeze(Reflect.get(value, key))
  return Object.freeze(value)
}

test('a preset without an instance of its own parses no address, which a Worker would pay for at its start', () => {
  const parse = vi.spyOn(URL, 'parse')
  expect(instanceAt(undefined)).toBeUndefined()
  expect(parse).not.toHaveBeenCalled()
  parse.mockRestore()
})
