import { describe, expect, it } from 'vitest'
import { InvalidConfiguration } from '../../errors.js'
import type { AuthorizationServerOptions } from './options.js'
import { checkOptions, resolveServer } from './resolve-server.js'

const secret = 's'.repeat(32)
const uri = 'https://app.example.com/cb'
const api = 'https://api.example.com/'

/** An app that can be used, with changes. */
const app = (changes: object = {}) => ({ apps: { spa: { redirectUris: [uri], ...changes } } })
const resource = (changes: object = {}) => ({ resources: { [api]: { open: true, ...changes } } })

function resolve(options: object, env = {}) {
  return resolveServer(options as AuthorizationServerOptions, env)
}

/** The text of the error; empty: there is none. */
function mistakesOf(run: () => unknown): string {
  try {
    run()
    return ''
  } catch (error) {
    return `${(error as Error).constructor.name}: ${(error as Error).message}`
  }
}

describe('it is off', () => {
  it.each([
    ['without anything', {}],
    ['with empty variables', { AUTH_APP_SPA_REDIRECT_URIS: '', AUTH_KEYS_PREFIX: '' }],
    ['with a resource that is not open', { AUTH_RESOURCE_API_URI: api }],
    ['with variables of other features', { AUTH_APP_KEYS: 'x', AUTH_APP_KEY: secret }],
    ['with variables of an app by its own', { AUTH_APP_NAME: 'x', AUTH_RESOURCE_URI: api }],
  ])('%s', (_, env) => {
    expect(resolve({}, env)).toBeUndefined()
  })
})

describe('variables alone switch it on', () => {
  it('an app', () => {
    const server = resolve({}, { AUTH_APP_MY_SPA_REDIRECT_URIS: ` ${uri}  com.example.app:/cb ` })
    expect([...(server?.apps.values() ?? [])]).toEqual([
      {
        ...{ id: 'my-spa', name: 'my-spa', redirectUris: [uri, 'com.example.app:/cb'] },
        ...{ secrets: [], isFirstParty: false, isDevice: false, alg: 'ES256' },
      },
    ])
    expect(server).toMatchObject({ keys: undefined, isOpen: false, hasDevices: false })
  })

  it('every variable of an app', () => {
    const env = {
      ...{ AUTH_APP_TV_NAME: 'TV', AUTH_APP_TV_SECRET: secret, AUTH_APP_TV_FIRST_PARTY: 'true' },
      ...{ AUTH_APP_TV_DEVICE: 'true', AUTH_APP_TV_ALG: 'RS256' },
    }
    const server = resolve({}, env)
    expect(server?.apps.get('tv')).toEqual({
      ...{ id: 'tv', name: 'TV', redirectUris: [], secrets: [secret] },
      ...{ isFirstParty: true, isDevice: true, alg: 'RS256' },
    })
    expect(server).toMatchObject({ hasDevices: true, algs: { idTokens: ['RS256'] } })
  })

  it('an open resource, and every variable of it', () => {
    const env = {
      ...{ AUTH_RESOURCE_API_URI: api, AUTH_RESOURCE_API_OPEN: 'true' },
      ...{ AUTH_RESOURCE_API_NAME: 'Notes', AUTH_RESOURCE_API_ALG: 'ES256' },
      AUTH_RESOURCE_API_SCOPES: '{"notes:read":"Read your notes"}',
    }
    const server = resolve({}, env)
    expect(server?.resources.get(api)).toEqual({
      ...{ uri: api, name: 'Notes', isOpen: true, alg: 'ES256' },
      scopes: new Map([['notes:read', 'Read your notes']]),
    })
    expect(server).toMatchObject({
      isOpen: true,
      algs: { idTokens: ['ES256'], accessTokens: ['ES256', 'EdDSA'] },
    })
  })

  it('a prefix of keys', () => {
    expect(resolve({}, { AUTH_KEYS_PREFIX: 'lk' })?.keys).toEqual({ prefix: 'lk' })
  })

  it('values of wrangler.toml that are not texts', () => {
    const env = {
      ...{ AUTH_APP_TV_DEVICE: true, AUTH_RESOURCE_API_URI: api },
      AUTH_RESOURCE_API_SCOPES: { read: 'Read' },
    }
    const server = resolve({}, env)
    expect(server?.apps.get('tv')?.isDevice).toBe(true)
    expect(server?.resources.get(api)?.scopes.get('read')).toBe('Read')
  })
})

describe('options', () => {
  it('may be those of the contract', () => {
    const fetch = async () => new Response()
    const options = {
      apps: {
        'My.App_2-x': { redirectUris: [uri], name: 'Mine', secret: [secret, `${secret}2`] },
        tv: { device: true, alg: 'RS256', firstParty: true },
      },
      resources: {
        [api]: { name: 'API', scopes: { read: 'Read', '!#[]~': 'Odd' }, open: true, alg: 'RS256' },
        'http://localhost:3000/mcp': { scopes: { read: 'Read' } },
      },
      keys: { prefix: 'lk2' },
      fetch,
    } as const
    expect(() => checkOptions(options)).not.toThrow()
    const server = resolve(options)
    expect([...(server?.apps.keys() ?? [])]).toEqual(['My.App_2-x', 'tv'])
    expect(server?.apps.get('My.App_2-x')?.secrets).toHaveLength(2)
    expect(server?.resources.get('http://localhost:3000/mcp')?.name).toBe('localhost:3000')
    expect(server).toMatchObject({ fetch, isOpen: true, keys: { prefix: 'lk2' } })
    expect(server?.algs).toEqual({
      idTokens: ['ES256', 'RS256'],
      accessTokens: ['RS256', 'EdDSA'],
    })
  })

  it('count before variables, which complete them', () => {
    const env = { AUTH_APP_SPA_SECRET: secret, AUTH_APP_SPA_NAME: 'Variable' }
    expect(resolve(app({ name: 'Option', secret: undefined }), env)?.apps.get('spa')).toMatchObject(
      { name: 'Option', secrets: [secret], redirectUris: [uri] },
    )
    expect(resolve({ keys: { prefix: 'aa' } }, { AUTH_KEYS_PREFIX: 'bb' })?.keys?.prefix).toBe('aa')
  })
})

/** A mistake, the option and the variable that the error names, and the words of the error. */
type Row = readonly [what: string, options: object, option: string, variable: string, says: RegExp]

const apps = (id: string, value: unknown) => ({ apps: { [id]: value } })
const long = 'x'.repeat(101)

const ROWS: readonly Row[] = [
  ['apps as a list', { apps: [] }, 'apps', 'AUTH_APP_<ID>_…', /object/],
  ['an app as a text', apps('spa', uri), 'apps.spa', 'AUTH_APP_SPA_…', /object/],
  ['an app as null', apps('spa', null), 'apps.spa', 'AUTH_APP_SPA_…', /object/],
  ['another option', { app: {} }, 'options.app', 'AUTH_APP_<ID>_…', /not an option/],
  ['another member', app({ redirectURIs: [] }), 'apps.spa', 'AUTH_APP_SPA_…', /"redirectURIs"/],
  ['a member of the server’s own', app({ host: 'x' }), 'apps.spa', 'AUTH_APP_SPA_…', /"host"/],
  [
    'an id of API keys',
    apps('api-key', { device: true }),
    'apps["api-key"]',
    'AUTH_APP_API_KEY_…',
    /taken/,
  ],
  ['an empty id', apps('', { device: true }), 'apps[""]', 'AUTH_APP_<ID>_…', /1 to 64/],
  ['a long id', apps('a'.repeat(65), { device: true }), 'apps.aaa', 'AUTH_APP_AAA', /1 to 64/],
  ['a space in an id', apps('a b', { device: true }), 'apps["a b"]', 'AUTH_APP_<ID>_…', /1 to 64/],
  [
    'an address as an id',
    apps('https://x.example/', { device: true }),
    'apps["https://x.example/"]',
    'AUTH_APP_<ID>_…',
    /1 to 64/,
  ],
  [
    'letters of another script',
    apps('é', { device: true }),
    'apps["é"]',
    'AUTH_APP_<ID>_…',
    /1 to 64/,
  ],
  [
    'no redirect URI',
    apps('spa', {}),
    'apps.spa.redirectUris',
    'AUTH_APP_SPA_REDIRECT_URIS',
    /missing/,
  ],
  [
    'an id with capitals',
    apps('Spa', {}),
    'apps.Spa.redirectUris',
    'AUTH_APP_<ID>_REDIRECT_URIS',
    /missing/,
  ],
  [
    'an empty list of redirect URIs',
    app({ redirectUris: [] }),
    'apps.spa.redirectUris',
    'AUTH_APP_SPA_REDIRECT_URIS',
    /1 to 20/,
  ],
  [
    '21 redirect URIs',
    app({ redirectUris: Array.from({ length: 21 }, (_, at) => `${uri}${at}`) }),
    'apps.spa.redirectUris',
    'AUTH_APP_SPA_REDIRECT_URIS',
    /1 to 20/,
  ],
  [
    'one twice',
    app({ redirectUris: [uri, uri] }),
    'apps.spa.redirectUris',
    'AUTH_APP_SPA_REDIRECT_URIS',
    /different/,
  ],
  [
    'one with a wildcard',
    app({ redirectUris: [uri, 'https://*.example.com/cb'] }),
    'apps.spa.redirectUris',
    'AUTH_APP_SPA_REDIRECT_URIS',
    /wildcard/,
  ],
  [
    'one that is not a text',
    app({ redirectUris: [new URL(uri)] }),
    'apps.spa.redirectUris',
    'AUTH_APP_SPA_REDIRECT_URIS',
    /URIs/,
  ],
  [
    'a number of redirect URIs',
    app({ redirectUris: 1 }),
    'apps.spa.redirectUris',
    'AUTH_APP_SPA_REDIRECT_URIS',
    /URIs/,
  ],
  ['an empty name', app({ name: ' ' }), 'apps.spa.name', 'AUTH_APP_SPA_NAME', /1 to 100/],
  ['a long name', app({ name: long }), 'apps.spa.name', 'AUTH_APP_SPA_NAME', /1 to 100/],
  [
    'a name that turns the text beside it',
    app({ name: 'a\u202eb' }),
    'apps.spa.name',
    'AUTH_APP_SPA_NAME',
    /printable/,
  ],
  ['a name of two lines', app({ name: 'a\nb' }), 'apps.spa.name', 'AUTH_APP_SPA_NAME', /printable/],
  [
    'a short secret',
    app({ secret: 's'.repeat(31) }),
    'apps.spa.secret',
    'AUTH_APP_SPA_SECRET',
    /32/,
  ],
  ['an empty secret', app({ secret: '' }), 'apps.spa.secret', 'AUTH_APP_SPA_SECRET', /32/],
  ['no secret in a list', app({ secret: [] }), 'apps.spa.secret', 'AUTH_APP_SPA_SECRET', /1 to 10/],
  [
    'a short one beside a long one',
    app({ secret: [secret, 'x'] }),
    'apps.spa.secret',
    'AUTH_APP_SPA_SECRET',
    /32/,
  ],
  [
    'a secret twice',
    app({ secret: [secret, secret] }),
    'apps.spa.secret',
    'AUTH_APP_SPA_SECRET',
    /different/,
  ],
  [
    'a secret that no header has',
    app({ secret: 'ü'.repeat(32) }),
    'apps.spa.secret',
    'AUTH_APP_SPA_SECRET',
    /ASCII/,
  ],
  [
    'firstParty as a text',
    app({ firstParty: 'yes' }),
    'apps.spa.firstParty',
    'AUTH_APP_SPA_FIRST_PARTY',
    /true or false/,
  ],
  [
    'device as a number',
    app({ device: 1 }),
    'apps.spa.device',
    'AUTH_APP_SPA_DEVICE',
    /true or false/,
  ],
  [
    'an algorithm of access tokens',
    app({ alg: 'EdDSA' }),
    'apps.spa.alg',
    'AUTH_APP_SPA_ALG',
    /ES256 or RS256/,
  ],
  ['no algorithm', app({ alg: 'none' }), 'apps.spa.alg', 'AUTH_APP_SPA_ALG', /ES256 or RS256/],
  [
    'a symmetric algorithm',
    app({ alg: 'HS256' }),
    'apps.spa.alg',
    'AUTH_APP_SPA_ALG',
    /ES256 or RS256/,
  ],
  ['resources as a text', { resources: api }, 'resources', 'AUTH_RESOURCE_<ID>_…', /object/],
  [
    'plain http',
    { resources: { 'http://api.example.com': {} } },
    '"http://api.example.com"',
    'AUTH_RESOURCE_<ID>_URI',
    /https/,
  ],
  [
    'a fragment',
    { resources: { [`${api}#x`]: {} } },
    `resources["${api}#x"].uri`,
    'AUTH_RESOURCE_<ID>_URI',
    /fragment/,
  ],
  [
    'an empty fragment',
    { resources: { [`${api}#`]: {} } },
    `resources["${api}#"].uri`,
    'AUTH_RESOURCE_<ID>_URI',
    /fragment/,
  ],
  [
    'a user',
    { resources: { 'https://a@api.example.com': {} } },
    'resources[',
    'AUTH_RESOURCE_<ID>_URI',
    /absolute/,
  ],
  [
    'a path',
    { resources: { '/api': {} } },
    'resources["/api"].uri',
    'AUTH_RESOURCE_<ID>_URI',
    /absolute/,
  ],
  [
    'a name of the app’s own',
    { resources: { api: {} } },
    'resources.api.uri',
    'AUTH_RESOURCE_<ID>_URI',
    /absolute/,
  ],
  [
    'a space',
    { resources: { 'https://api.example.com/a b': {} } },
    'resources[',
    'AUTH_RESOURCE_<ID>_URI',
    /absolute/,
  ],
  [
    'quotes',
    { resources: { 'https://api.example.com/"': {} } },
    'resources[',
    'AUTH_RESOURCE_<ID>_URI',
    /absolute/,
  ],
  [
    'a long URI',
    { resources: { [`${api}${'a'.repeat(1_024)}`]: {} } },
    'resources[',
    'AUTH_RESOURCE_<ID>_URI',
    /1,024/,
  ],
  [
    'another member of a resource',
    resource({ scope: 'x' }),
    `resources["${api}"]`,
    'AUTH_RESOURCE_<ID>_…',
    /"scope"/,
  ],
  [
    'scopes as a list',
    resource({ scopes: ['read'] }),
    `resources["${api}"].scopes`,
    'AUTH_RESOURCE_<ID>_SCOPES',
    /object/,
  ],
  [
    'openid',
    resource({ scopes: { openid: 'x' } }),
    `resources["${api}"].scopes`,
    'AUTH_RESOURCE_<ID>_SCOPES',
    /openid/,
  ],
  [
    'offline_access',
    resource({ scopes: { offline_access: 'x' } }),
    '.scopes',
    'AUTH_RESOURCE_<ID>_SCOPES',
    /offline_access/,
  ],
  [
    'a scope with a space',
    resource({ scopes: { 'a b': 'x' } }),
    '.scopes',
    'AUTH_RESOURCE_<ID>_SCOPES',
    /RFC 6749/,
  ],
  [
    'a scope with quotes',
    resource({ scopes: { 'a"b': 'x' } }),
    '.scopes',
    'AUTH_RESOURCE_<ID>_SCOPES',
    /RFC 6749/,
  ],
  [
    'a scope with a backslash',
    resource({ scopes: { 'a\\b': 'x' } }),
    '.scopes',
    'AUTH_RESOURCE_<ID>_SCOPES',
    /RFC 6749/,
  ],
  [
    'an empty scope',
    resource({ scopes: { '': 'x' } }),
    '.scopes',
    'AUTH_RESOURCE_<ID>_SCOPES',
    /RFC 6749/,
  ],
  [
    'a long scope',
    resource({ scopes: { [long]: 'x' } }),
    '.scopes',
    'AUTH_RESOURCE_<ID>_SCOPES',
    /1 to 100/,
  ],
  [
    'a scope without a text',
    resource({ scopes: { read: '' } }),
    '.scopes',
    'AUTH_RESOURCE_<ID>_SCOPES',
    /1 to 200/,
  ],
  [
    'a scope with a flag for its text',
    resource({ scopes: { read: true } }),
    '.scopes',
    'AUTH_RESOURCE_<ID>_SCOPES',
    /1 to 200/,
  ],
  [
    '101 scopes',
    resource({
      scopes: Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`s${at}`, 'x'])),
    }),
    '.scopes',
    'AUTH_RESOURCE_<ID>_SCOPES',
    /100/,
  ],
  [
    'open as a text',
    resource({ open: 'no' }),
    `resources["${api}"].open`,
    'AUTH_RESOURCE_<ID>_OPEN',
    /true or false/,
  ],
  [
    'another algorithm',
    resource({ alg: 'PS256' }),
    `resources["${api}"].alg`,
    'AUTH_RESOURCE_<ID>_ALG',
    /EdDSA/,
  ],
  ['keys without a prefix', { keys: {} }, 'keys.prefix', 'AUTH_KEYS_PREFIX', /2 to 12/],
  ['keys as a text', { keys: 'lk' }, 'keys', 'AUTH_KEYS_PREFIX', /object/],
  [
    'a prefix of one letter',
    { keys: { prefix: 'l' } },
    'keys.prefix',
    'AUTH_KEYS_PREFIX',
    /2 to 12/,
  ],
  [
    'a prefix of 13',
    { keys: { prefix: 'l'.repeat(13) } },
    'keys.prefix',
    'AUTH_KEYS_PREFIX',
    /2 to 12/,
  ],
  ['a prefix in capitals', { keys: { prefix: 'LK' } }, 'keys.prefix', 'AUTH_KEYS_PREFIX', /a-z/],
  [
    'a prefix with a digit first',
    { keys: { prefix: '1k' } },
    'keys.prefix',
    'AUTH_KEYS_PREFIX',
    /letter first/,
  ],
  [
    'a prefix with an underscore',
    { keys: { prefix: 'l_k' } },
    'keys.prefix',
    'AUTH_KEYS_PREFIX',
    /a-z/,
  ],
  ['a text in the place of fetch', { fetch: 'fetch' }, 'fetch', 'no variable', /function/],
  ['a list in the place of options', [], 'authorizationServer()', 'AUTH_APP_<ID>_…', /object/],
]

describe('a mistake is named by option and by variable', () => {
  it.each(ROWS)('%s', (_, options, option, variable, says) => {
    const ofOptions = mistakesOf(() => checkOptions(options as AuthorizationServerOptions))
    const ofBoth = mistakesOf(() => resolve(options))
    expect(ofOptions).toMatch(/^TypeError: /)
    expect(ofBoth).toMatch(/^InvalidConfiguration: /)
    for (const text of [ofOptions, ofBoth]) {
      expect(text).toContain(option)
      expect(text).toContain(`(${variable}`)
      expect(text).toMatch(says)
      expect(text).not.toContain(secret)
    }
  })

  it.each([
    [
      'a redirect URI',
      { AUTH_APP_SPA_REDIRECT_URIS: `${uri} http://evil.example` },
      'apps.spa.redirectUris',
      'AUTH_APP_SPA_REDIRECT_URIS',
    ],
    [
      'a name alone',
      { AUTH_APP_SPA_NAME: 'Spa' },
      'apps.spa.redirectUris',
      'AUTH_APP_SPA_REDIRECT_URIS',
    ],
    [
      'a short secret',
      { AUTH_APP_SPA_SECRET: 'x', AUTH_APP_SPA_DEVICE: 'true' },
      'apps.spa.secret',
      'AUTH_APP_SPA_SECRET',
    ],
    ['a flag', { AUTH_APP_SPA_DEVICE: 'yes' }, 'apps.spa.device', 'AUTH_APP_SPA_DEVICE'],
    [
      'the id of API keys',
      { AUTH_APP_API_KEY_DEVICE: 'true' },
      'apps["api-key"]',
      'AUTH_APP_API_KEY_…',
    ],
    [
      'a misspelt variable',
      { AUTH_APP_WEB_DEVICE: 'true', AUTH_APP_WEB_SECRETS: secret },
      'apps.web',
      'AUTH_APP_WEB_SECRETS',
    ],
    [
      'a misspelt variable of a resource',
      { AUTH_RESOURCE_API_URI: api, AUTH_RESOURCE_API_SCOPE: 'x' },
      'resources',
      'AUTH_RESOURCE_API_SCOPE',
    ],
    ['no URI', { AUTH_RESOURCE_API_OPEN: 'true' }, 'resources.uri', 'AUTH_RESOURCE_API_URI'],
    [
      'scopes that are not JSON',
      { AUTH_RESOURCE_API_URI: api, AUTH_RESOURCE_API_SCOPES: 'read' },
      'resources.scopes',
      'AUTH_RESOURCE_API_SCOPES',
    ],
    [
      'a URI twice',
      { AUTH_RESOURCE_A_URI: api, AUTH_RESOURCE_B_URI: api },
      'resources.uri',
      'AUTH_RESOURCE_B_URI',
    ],
    ['a prefix', { AUTH_KEYS_PREFIX: 'x' }, 'keys.prefix', 'AUTH_KEYS_PREFIX'],
  ])('of variables: %s', (_, env, option, variable) => {
    const text = mistakesOf(() => resolve({}, env))
    expect(text).toMatch(/^InvalidConfiguration: /)
    expect(text).toContain(`\`${option}\` (${variable})`)
    expect(text).not.toContain(secret)
  })

  it('a resource of options that a variable names again', () => {
    const text = mistakesOf(() => resolve(resource(), { AUTH_RESOURCE_API_URI: api }))
    expect(text).toContain('(AUTH_RESOURCE_API_URI) is there already')
  })

  it('a scope with two texts', () => {
    const resources = {
      [api]: { scopes: { read: 'Read' } },
      'https://b.example/': { scopes: { read: 'See' } },
    }
    const text = mistakesOf(() => checkOptions({ resources }))
    expect(text).toMatch(
      /https:\/\/b\.example\/"\]\.scopes` \(AUTH_RESOURCE_<ID>_SCOPES\) .*"read"/,
    )
  })

  it('more apps and resources than can be configured', () => {
    const many = (count: number, name: (at: number) => string, value: object) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [name(at), value]))
    const options = {
      apps: many(1_001, (at) => `a${at}`, { device: true }),
      resources: many(101, (at) => `${api}/${at}`, {}),
    }
    const text = mistakesOf(() => checkOptions(options))
    expect(text).toMatch(/more than 1000.*more than 100/)
  })
})

describe('attack: a secret that the environment lacks does not make an app public', () => {
  it('it is an error when the service starts, and not yet while an app is built', () => {
    expect(() =>
      checkOptions(app({ secret: undefined }) as AuthorizationServerOptions),
    ).not.toThrow()
    expect(mistakesOf(() => resolve(app({ secret: undefined })))).toMatch(
      /`apps\.spa\.secret` \(AUTH_APP_SPA_SECRET\) is undefined/,
    )
  })
})

it('all mistakes are named at once, fifty at most, each once', () => {
  const options = {
    apps: { a: { name: '' }, b: { secret: 'x', device: 2 } },
    resources: { x: {}, [api]: { scopes: { openid: 'x' } } },
    keys: { prefix: '' },
  }
  const env = { AUTH_APP_C_ALG: 'none' }
  const text = mistakesOf(() => resolve(options, env))
  for (const name of [
    ...['AUTH_APP_A_REDIRECT_URIS', 'AUTH_APP_A_NAME', 'AUTH_APP_B_SECRET', 'AUTH_APP_B_DEVICE'],
    ...[
      'AUTH_APP_C_ALG',
      'AUTH_RESOURCE_<ID>_URI',
      'AUTH_RESOURCE_<ID>_SCOPES',
      'AUTH_KEYS_PREFIX',
    ],
  ]) {
    expect(text).toContain(name)
  }
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`a${at}`, {}]))
  expect(mistakesOf(() => checkOptions({ apps: many })).match(/is missing/g)).toHaveLength(50)
  expect(() => resolve({ apps: many })).toThrow(InvalidConfiguration)
})

it('attack: names of JavaScript’s own are scopes and ids like others', () => {
  const options = {
    apps: JSON.parse('{"__proto__":{"device":true},"constructor":{"device":true}}'),
    resources: { [api]: { scopes: JSON.parse('{"__proto__":"All"}') } },
  }
  const server = resolve(options)
  expect([...(server?.apps.keys() ?? [])]).toEqual(['__proto__', 'constructor'])
  expect(server?.resources.get(api)?.scopes.get('__proto__')).toBe('All')
})
