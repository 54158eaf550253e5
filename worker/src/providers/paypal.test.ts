import { describe, expect, it } from 'vitest'
import { recorded } from '../test-support/browser.js'
import paypal from './paypal.js'

const tokens = {
  access_token: 'the-access-token',
  token_type: 'bearer',
  expires_in: 3600,
  refresh_token: 'r-1',
}

const person = {
  user_id: 'https://www.paypal.com/webapps/auth/identity/user/mWq6_1sU85v5EG9yHdPxJRrhGHrnMJ',
  name: 'Identity Test',
  email: 'user@example.com',
  email_verified: true,
}

const vendor = (info: unknown = person, token: unknown = tokens) =>
  recorded(paypal, {
    'api-m.paypal.com/v1/oauth2/token': token,
    'api-m.paypal.com/v1/identity/openidconnect/userinfo': info,
  })

describe('paypal', () => {
  it('signs in', async () => {
    const { signIn, seen } = vendor()
    const { consent, end, user, account } = await signIn()
    expect(consent.href).toContain('https://www.paypal.com/signin/authorize?')
    expect(consent.searchParams.get('scope')).toBe('openid profile email')
    expect(consent.searchParams.get('flowEntry')).toBe('static')
    expect(end).toBe('/inbox')
    expect(user).toMatchObject({
      name: 'Identity Test',
      email: 'user@example.com',
      emailVerified: true,
    })
    expect(account).toMatchObject({ providerAccountId: person.user_id, refresh_token: 'r-1' })
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST https://api-m.paypal.com/v1/oauth2/token',
      'GET https://api-m.paypal.com/v1/identity/openidconnect/userinfo?schema=openid',
    ])
    expect(seen[0]?.headers.get('authorization')).toMatch(/^Basic /)
    expect(seen[0]?.form).not.toHaveProperty('client_secret')
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
