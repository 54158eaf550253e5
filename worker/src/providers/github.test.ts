import { describe, expect, it } from 'vitest'
import { resolveProviders } from '../sign-in/kinds.js'
import { everythingIn, recorded } from '../test-support/browser.js'
import github, { type GitHubProfile } from './github.js'

const tokens = {
  access_token: 'gho_16C7e42F292c6912E7710c838347Ae178B4a',
  scope: 'read:user,user:email',
  token_type: 'bearer',
}

const person = {
  login: 'octocat',
  id: 583231,
  node_id: 'MDQ6VXNlcjU4MzIzMQ==',
  avatar_url: 'https://avatars.githubusercontent.com/u/583231?v=4',
  type: 'User',
  site_admin: false,
  name: 'The Octocat',
  email: 'public@example.com',
}

const addresses = [
  { email: 'other@example.com', primary: false, verified: true, visibility: null },
  { email: 'octocat@example.com', primary: true, verified: true, visibility: 'private' },
]

type Preset = Parameters<typeof recorded<GitHubProfile>>[0]

const vendor = (changes: object = {}, preset: Preset = github) =>
  recorded(preset, {
    'github.com/login/oauth/access_token': tokens,
    'api.github.com/user': person,
    'api.github.com/user/emails': addresses,
    ...changes,
  })

describe('github', () => {
  it('signs in with the primary, verified address', async () => {
    const { signIn, seen } = vendor()
    const { consent, end, user, account } = await signIn()
    expect(consent.origin + consent.pathname).toBe('https://github.com/login/oauth/authorize')
    expect(consent.searchParams.get('scope')).toBe('read:user user:email')
    expect(end).toBe('/inbox')
    expect(user).toMatchObject({
      name: 'The Octocat',
      email: 'octocat@example.com',
      image: person.avatar_url,
    })
    expect(account).toMatchObject({ providerAccountId: '583231', token_type: 'bearer' })
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST https://github.com/login/oauth/access_token',
      'GET https://api.github.com/user',
      'GET https://api.github.com/user/emails',
    ])
    const [token, ...api] = seen
    expect(token?.headers.get('accept')).toBe('application/json')
    expect(token?.form).toMatchObject({
      client_id: 'the-client_id',
      client_secret: 'the-client_secret',
      code: 'the-code',
    })
    for (const { headers } of api) {
      expect(headers.get('authorization')).toBe(`Bearer ${tokens.access_token}`)
      expect(headers.get('accept')).toBe('application/vnd.github+json')
      expect(headers.get('user-agent')).toBe('Latchkey')
      expect(headers.get('x-github-api-version')).toBe('2022-11-28')
    }
  })

  it.each([
    ['a primary address that is not verified', [{ ...addresses[1], verified: false }]],
    ['verification in another shape', [{ ...addresses[1], verified: 'true' }]],
    ['a verified address that is not primary', [addresses[0]]],
    ['no address', []],
    ['403: the scope was not granted', Response.json({ message: 'no' }, { status: 403 })],
    ['404: the scope was not granted', Response.json({ message: 'no' }, { status: 404 })],
  ])('%s: signed in without e-mail', async (_, emails) => {
    const { end, user } = await vendor({ 'api.github.com/user/emails': emails }).signIn()
    expect(end).toBe('/inbox')
    expect(user).toMatchObject({ name: 'The Octocat', email: null })
  })

  it('a person without a name is called by their login', async () => {
    const { user } = await vendor({ 'api.github.com/user': { ...person, name: null } }).signIn()
    expect(user?.name).toBe('octocat')
  })

  it.each<[string, object]>([
    ['no id', { 'api.github.com/user': { ...person, id: undefined } }],
    ['an id in another shape', { 'api.github.com/user': { ...person, id: [1] } }],
    ['a person with status 500', { 'api.github.com/user': Response.json(person, { status: 500 }) }],
    ['addresses that fail', { 'api.github.com/user/emails': new Response('', { status: 500 }) }],
    ['addresses that are no list', { 'api.github.com/user/emails': { message: 'odd' } }],
    [
      'an error of the token endpoint with status 200',
      { 'github.com/login/oauth/access_token': { ...tokens, error: 'bad_verification_code' } },
    ],
  ])('nobody is signed in by %s', async (_, changes) => {
    const { signIn, errors } = vendor(changes)
    const { end, user } = await signIn()
    expect(end).toBe('/auth/signin OAuthCallbackError')
    expect(user).toBeUndefined()
    expect(everythingIn(errors)).not.toContain(tokens.access_token)
  })

  it('signs in at GitHub Enterprise Server by its endpoints', async () => {
    const at = 'https://github.example.com'
    const { signIn, seen } = vendor(
      {
        'github.example.com/login/oauth/access_token': tokens,
        'github.example.com/api/v3/user': person,
        'github.example.com/api/v3/user/emails': addresses,
      },
      (client) =>
        github({
          ...client,
          authorization: `${at}/login/oauth/authorize`,
          token: `${at}/login/oauth/access_token`,
          userinfo: `${at}/api/v3/user`,
        }),
    )
    const { consent, user } = await signIn()
    expect(consent.origin).toBe(at)
    expect(consent.searchParams.get('scope')).toBe('read:user user:email')
    expect(user?.email).toBe('octocat@example.com')
    expect(new Set(seen.map(({ url }) => url.origin))).toEqual(new Set([at]))
  })

  it.each([
    ['https://github.example.com', 'github.example.com'],
    ['https://github.example.com/', 'github.example.com'],
    ['https://example.com:8443/git/hub//', 'example.com:8443/git/hub'],
  ])('signs in at an Enterprise Server at %s', async (baseUrl, at) => {
    const { signIn, seen } = vendor(
      {
        [`${at}/login/oauth/access_token`]: tokens,
        [`${at}/api/v3/user`]: person,
        [`${at}/api/v3/user/emails`]: addresses,
      },
      (client) => github({ ...client, enterprise: { baseUrl } }),
    )
    const { consent, user } = await signIn()
    expect(consent.href).toContain(`https://${at}/login/oauth/authorize?`)
    expect(user?.email).toBe('octocat@example.com')
    expect(seen).toHaveLength(3)
    for (const { url } of seen) expect(url.href).toContain(`https://${at}/`)
  })

  it('endpoints that are given stand before those of the Enterprise Server', () => {
    const enterprise = { baseUrl: 'https://github.example.com' }
    const token = 'https://tokens.example.com/access_token'
    expect(github({ enterprise, token })).toMatchObject({
      token: { url: token },
      userinfo: { url: 'https://github.example.com/api/v3/user' },
    })
  })

  it.each([
    undefined,
    '',
    'github.example.com',
    'http://github.example.com',
    'http://localhost:3000',
    'https://github.example.com?x=1',
    'https://github.example.com/#x',
    'https://user:the-password@github.example.com',
    {},
  ])(
    'an Enterprise Server at %j is off and named, and nobody of github.com comes in',
    (baseUrl) => {
      const provider = github({
        clientId: 'x',
        clientSecret: 'y',
        enterprise: { baseUrl } as never,
      })
      const { usable, misconfigured } = resolveProviders([provider], {})
      expect([...usable.keys()]).toEqual([])
      expect(misconfigured.get('github')?.message).toBe(
        'The baseUrl of provider "github" must be https, without a query, a fragment or a user.',
      )
    },
  )
})
