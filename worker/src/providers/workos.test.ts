import { describe, expect, it } from 'vitest'
import { oauth } from '../sign-in/oauth/index.js'
import { resolveOAuth } from '../sign-in/oauth/resolve.js'
import { recorded } from '../test-support/browser.js'
import github from './github.js'
import workos from './workos.js'

const tokens = {
  access_token: '01DMEK0J53CVMC32CK5SE0KZ8Q',
  token_type: 'Bearer',
  expires_in: 600,
  profile: { id: 'prof_01DMC79VCBZ0NY2099737PSVF1' },
}

const person = {
  object: 'profile',
  id: 'prof_01DMC79VCBZ0NY2099737PSVF1',
  connection_id: 'conn_01E4ZCR3C56J083X43JQXF3JK5',
  connection_type: 'OktaSAML',
  organization_id: 'org_01EHWNCE74X7JSDV0X3SZ3KJNY',
  email: 'victim@example.com',
  first_name: 'Todd',
  last_name: 'Rundgren',
  idp_id: '00u1a0ufowBJlzPlk357',
  raw_attributes: { picture: 'https://example.com/todd.png' },
}

const vendor = (info: unknown = person, token: unknown = tokens) =>
  recorded(workos, {
    'api.workos.com/sso/token': token,
    'api.workos.com/sso/profile': info,
  })

describe('workos', () => {
  it('signs in', async () => {
    const { signIn, seen } = vendor()
    const { consent, end, user, account } = await signIn()
    expect(consent.href).toContain('https://api.workos.com/sso/authorize?')
    expect(end).toBe('/inbox')
    expect(user).toMatchObject({
      name: 'Todd Rundgren',
      email: null,
      image: 'https://example.com/todd.png',
    })
    expect(account).toMatchObject({ providerAccountId: person.id })
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST https://api.workos.com/sso/token',
      'GET https://api.workos.com/sso/profile',
    ])
    expect(seen[0]?.form).toMatchObject({ client_secret: 'the-client_secret', code: 'the-code' })
    expect(seen[0]?.form.code_verifier).toBeDefined()
  })

  it.each<[string, Parameters<typeof workos>[0], Record<string, string | null>]>([
    ['as text', { connection: 'conn_1' }, { connection: 'conn_1' }],
    ['as empty text', { connection: '' }, { connection: null }],
    [
      'beside parameters',
      { connection: 'conn_1', authorization: { params: { domain_hint: 'a.example' } } },
      { connection: 'conn_1', domain_hint: 'a.example' },
    ],
    [
      'beside an address',
      { connection: 'conn_1', authorization: 'https://eu.workos.example/sso/authorize?a=b' },
      { connection: 'conn_1', a: 'b' },
    ],
    [
      'beside a parameter of that name',
      { connection: 'conn_1', authorization: { params: { connection: 'conn_2' } } },
      { connection: 'conn_2' },
    ],
    ['as our scopes', { connection: { scopes: ['directory.read'] } }, { connection: null }],
  ])(
    'asks the connection that Auth.js’s option of that name says: %s',
    async (_, options, asked) => {
      const { signIn } = recorded((given: object) => workos({ ...given, ...options }), {
        'workos.com/sso/token': tokens,
        'workos.com/sso/profile': person,
      })
      const { consent } = await signIn()
      for (const [name, value] of Object.entries(asked)) {
        expect(consent.searchParams.get(name)).toBe(value)
      }
    },
  )

  it('keeps scopes of connections, and refuses a connection that is neither', () => {
    const scopes = ['directory.read']
    expect(workos({ connection: { scopes } }).connection).toEqual({ scopes })
    expect(workos({ connection: 'conn_1' }).connection).toBeUndefined()
    const client = { clientId: 'id', clientSecret: 'secret' }
    const other = github({ ...client, connection: 'conn_1' as never })
    expect(() => resolveOAuth(oauth, other, {})).toThrow('connection.scopes')
  })

  it.each<[string, unknown, unknown?]>([
    ['no id', { ...person, id: undefined }],
    ['an id in another shape', { ...person, id: {} }],
    ['a refusal', Response.json({ error: 'x' }, { status: 403 })],
    ['an error with status 200', person, { ...tokens, error: 'invalid_grant' }],
  ])('nobody is signed in by %s', async (_, info, token) => {
    const { end, user } = await vendor(info, token).signIn()
    expect(end).toBe('/auth/signin OAuthCallbackError')
    expect(user).toBeUndefined()
  })
})
