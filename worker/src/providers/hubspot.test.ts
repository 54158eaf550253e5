import { describe, expect, it } from 'vitest'
import { recorded } from '../test-support/browser.js'
import hubspot from './hubspot.js'

const tokens = {
  access_token: 'the-access-token',
  token_type: 'bearer',
  expires_in: 3600,
  refresh_token: 'r-1',
}

const person = {
  token: 'the-access-token',
  user: 'victim@example.com',
  hub_domain: 'demo.hubapi.com',
  scopes: ['oauth'],
  hub_id: 62515,
  app_id: 456,
  expires_in: 1754,
  user_id: 123,
  token_type: 'access',
}

const vendor = (info: unknown = person, token: unknown = tokens) =>
  recorded(hubspot, {
    'api.hubapi.com/oauth/v1/token': token,
    'api.hubapi.com/oauth/v1/access-tokens/the-access-token': info,
  })

describe('hubspot', () => {
  it('signs in', async () => {
    const { signIn, seen } = vendor()
    const { consent, end, user, account } = await signIn()
    expect(consent.href).toContain('https://app.hubspot.com/oauth/authorize?')
    expect(consent.searchParams.get('scope')).toBe('oauth')
    expect(end).toBe('/inbox')
    expect(user).toMatchObject({ name: 'victim@example.com', email: null, image: null })
    expect(account).toMatchObject({ providerAccountId: '123', refresh_token: 'r-1' })
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST https://api.hubapi.com/oauth/v1/token',
      'GET https://api.hubapi.com/oauth/v1/access-tokens/the-access-token',
    ])
    expect(seen[0]?.form).toMatchObject({ client_secret: 'the-client_secret', code: 'the-code' })
    expect(seen[0]?.form.code_verifier).toBeDefined()
  })

  it.each<[string, unknown, unknown?]>([
    ['no id', { ...person, user_id: undefined }],
    ['an id in another shape', { ...person, user_id: {} }],
    ['a refusal', Response.json({ error: 'x' }, { status: 403 })],
    ['an error with status 200', person, { ...tokens, error: 'invalid_grant' }],
  ])('nobody is signed in by %s', async (_, info, token) => {
    const { end, user } = await vendor(info, token).signIn()
    expect(end).toBe('/auth/signin OAuthCallbackError')
    expect(user).toBeUndefined()
  })
})
