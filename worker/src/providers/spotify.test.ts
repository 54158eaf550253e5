import { describe, expect, it } from 'vitest'
import { recorded } from '../test-support/browser.js'
import spotify from './spotify.js'

const tokens = {
  access_token: 'BQBLuPRYBQ2f5tTk2ZWlAwcGjlzUuH',
  token_type: 'Bearer',
  scope: 'user-read-email',
  expires_in: 3600,
  refresh_token: 'NgCXRKMzYjwzURlAdbe4',
}

const person = {
  display_name: 'JM Wizzler',
  email: 'victim@example.com',
  external_urls: { spotify: 'https://open.spotify.com/user/wizzler' },
  followers: { href: null, total: 3829 },
  href: 'https://api.spotify.com/v1/users/wizzler',
  id: 'wizzler',
  images: [{ height: 300, url: 'https://i.scdn.co/image/ab6775700000ee85', width: 300 }],
  type: 'user',
  uri: 'spotify:user:wizzler',
}

const vendor = (info: unknown = person, token: unknown = tokens) =>
  recorded(spotify, {
    'accounts.spotify.com/api/token': token,
    'api.spotify.com/v1/me': info,
  })

describe('spotify', () => {
  it('signs in without the address, which Spotify calls unverified', async () => {
    const { signIn, seen } = vendor()
    const { consent, end, user, account } = await signIn()
    expect(consent.href).toContain('https://accounts.spotify.com/authorize?')
    expect(consent.searchParams.get('scope')).toBe('user-read-email')
    expect(end).toBe('/inbox')
    expect(user).toMatchObject({
      name: 'JM Wizzler',
      email: null,
      image: 'https://i.scdn.co/image/ab6775700000ee85',
    })
    expect(account).toMatchObject({
      providerAccountId: 'wizzler',
      refresh_token: tokens.refresh_token,
    })
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST https://accounts.spotify.com/api/token',
      'GET https://api.spotify.com/v1/me',
    ])
    expect(seen[0]?.headers.get('authorization')).toMatch(/^Basic /)
    expect(seen[0]?.form).not.toHaveProperty('client_secret')
  })

  it.each([[[]], [null], [undefined]])('images %j give no image', async (images) => {
    expect((await vendor({ ...person, images }).signIn()).user).toMatchObject({ image: null })
  })

  it.each<[string, unknown, unknown?]>([
    ['no id', { ...person, id: undefined }],
    ['an id in another shape', { ...person, id: { toString: 'wizzler' } }],
    ['a refusal', Response.json({ error: { status: 403, message: 'x' } }, { status: 403 })],
    ['an error with status 200', person, { ...tokens, error: 'invalid_grant' }],
  ])('nobody is signed in by %s', async (_, info, token) => {
    const { end, user } = await vendor(info, token).signIn()
    expect(end).toBe('/auth/signin OAuthCallbackError')
    expect(user).toBeUndefined()
  })
})
