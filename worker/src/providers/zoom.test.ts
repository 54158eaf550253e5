import { describe, expect, it } from 'vitest'
import { recorded } from '../test-support/browser.js'
import zoom from './zoom.js'

const tokens = {
  access_token: 'the-access-token',
  token_type: 'bearer',
  expires_in: 3600,
  refresh_token: 'r-1',
}

const person = {
  id: 'KDcuGIm1QgePTO8WbOqwIQ',
  first_name: 'Jill',
  last_name: 'Chill',
  display_name: 'Jill Chill',
  email: 'jchill@example.com',
  type: 2,
  verified: 1,
  pic_url: 'https://example.zoom.us/p/v2/1.jpg',
  account_id: 'q6gBJVO5TzexKYTb_I2rpg',
  status: 'active',
}

const vendor = (info: unknown = person, token: unknown = tokens) =>
  recorded(zoom, {
    'zoom.us/oauth/token': token,
    'api.zoom.us/v2/users/me': info,
  })

describe('zoom', () => {
  it('signs in', async () => {
    const { signIn, seen } = vendor()
    const { consent, end, user, account } = await signIn()
    expect(consent.href).toContain('https://zoom.us/oauth/authorize?')
    expect(end).toBe('/inbox')
    expect(user).toMatchObject({
      name: 'Jill Chill',
      email: 'jchill@example.com',
      emailVerified: true,
      image: 'https://example.zoom.us/p/v2/1.jpg',
    })
    expect(account).toMatchObject({
      providerAccountId: 'KDcuGIm1QgePTO8WbOqwIQ',
      refresh_token: 'r-1',
    })
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST https://zoom.us/oauth/token',
      'GET https://api.zoom.us/v2/users/me',
    ])
    expect(seen[0]?.headers.get('authorization')).toMatch(/^Basic /)
    expect(seen[0]?.form).not.toHaveProperty('client_secret')
  })

  it.each<[string, unknown, unknown?]>([
    ['no id', { ...person, id: undefined }],
    ['an id in another shape', { ...person, id: ['x'] }],
    ['a refusal', Response.json({ error: 'x' }, { status: 403 })],
    ['an error with status 200', person, { ...tokens, error: 'invalid_grant' }],
  ])('nobody is signed in by %s', async (_, info, token) => {
    const { end, user } = await vendor(info, token).signIn()
    expect(end).toBe('/auth/signin OAuthCallbackError')
    expect(user).toBeUndefined()
  })
})
