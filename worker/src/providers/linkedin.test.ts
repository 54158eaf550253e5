import { describe, expect, it } from 'vitest'
import { recorded } from '../test-support/browser.js'
import linkedin from './linkedin.js'

const tokens = {
  access_token: 'AQXdSP_W41_UPs5ioT_t8HESyODB4FqbkJ8LrV_5mff4gPODzOYR',
  expires_in: 5183999,
  scope: 'email,openid,profile',
  token_type: 'Bearer',
  id_token: 'eyJhbGciOiJSUzI1NiJ9.not-looked-at.c2ln',
}

const person = {
  sub: '782bbtaQ',
  name: 'John Doe',
  given_name: 'John',
  family_name: 'Doe',
  picture: 'https://media.licdn.com/dms/image/C5F03AQHqK8v7tB1HCQ/profile-displayphoto/0/',
  locale: { country: 'US', language: 'en' },
  email: 'doe@example.com',
  email_verified: true,
}

const vendor = (info: unknown = person, token: unknown = tokens) =>
  recorded(linkedin, {
    'www.linkedin.com/oauth/v2/accessToken': token,
    'api.linkedin.com/v2/userinfo': info,
  })

describe('linkedin', () => {
  it('signs in by user info', async () => {
    const { signIn, seen } = vendor()
    const { consent, end, user, account } = await signIn()
    expect(consent.href).toContain('https://www.linkedin.com/oauth/v2/authorization?')
    expect(consent.searchParams.get('scope')).toBe('openid profile email')
    expect(end).toBe('/inbox')
    expect(user).toMatchObject({
      name: 'John Doe',
      email: 'doe@example.com',
      image: person.picture,
    })
    expect(account?.providerAccountId).toBe('782bbtaQ')
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST https://www.linkedin.com/oauth/v2/accessToken',
      'GET https://api.linkedin.com/v2/userinfo',
    ])
  })

  it('the token request is LinkedIn’s own: its secret in the form, and no code_verifier', async () => {
    const { signIn, seen } = vendor()
    await signIn()
    expect(seen[0]?.form).toEqual({
      grant_type: 'authorization_code',
      code: 'the-code',
      redirect_uri: 'http://localhost:8787/auth/callback/linkedin',
      client_id: 'the-client_id',
      client_secret: 'the-client_secret',
    })
    expect(seen[0]?.headers.get('content-type')).toContain('application/x-www-form-urlencoded')
  })

  it.each([[{ email_verified: false }], [{ email_verified: undefined }], [{ email: undefined }]])(
    '%j: no e-mail',
    async (changes) => {
      const { user } = await vendor({ ...person, ...changes }).signIn()
      expect(user).toMatchObject({ name: 'John Doe', email: null })
    },
  )

  const error = { error: 'invalid_client', error_description: 'Client authentication failed' }
  it.each<[string, unknown, unknown?]>([
    ['no sub', { ...person, sub: undefined }],
    ['verification in another shape', { ...person, email_verified: 'true' }],
    ['a sub in another shape', { ...person, sub: ['782bbtaQ'] }],
    ['a revoked token', Response.json({ status: 401, message: 'x' }, { status: 401 })],
    ['an error with status 200', person, { ...tokens, ...error }],
  ])('nobody is signed in by %s', async (_, info, token) => {
    const { end, user } = await vendor(info, token).signIn()
    expect(end).toBe('/auth/signin OAuthCallbackError')
    expect(user).toBeUndefined()
  })
})
