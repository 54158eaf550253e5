import { describe, expect, it } from 'vitest'
import { recorded } from '../test-support/browser.js'
import discord from './discord.js'

const tokens = {
  access_token: '6qrZcUqja7812RVdnEKjpzOL4CvHBFG',
  token_type: 'Bearer',
  expires_in: 604800,
  refresh_token: 'D43f5y0ahjqew82jZ4NViEr2YafMKhue',
  scope: 'identify email',
}

const person = {
  id: '80351110224678912',
  username: 'nelly',
  discriminator: '1337',
  avatar: '8342729096ea3675442027381ff50dfe',
  global_name: 'Nelly',
  verified: true,
  email: 'nelly@discord.example',
  flags: 64,
  banner: null,
  accent_color: 16711680,
  premium_type: 1,
  public_flags: 64,
}

const vendor = (changes: object = {}) =>
  recorded(discord, {
    'discord.com/api/oauth2/token': tokens,
    'discord.com/api/users/@me': { ...person, ...changes },
  })

describe('discord', () => {
  it('signs in', async () => {
    const { signIn, seen } = vendor()
    const { consent, end, user, account } = await signIn({ iss: 'https://discord.com' })
    expect(consent.origin + consent.pathname).toBe('https://discord.com/oauth2/authorize')
    expect(consent.searchParams.get('scope')).toBe('identify email')
    expect(end).toBe('/inbox')
    expect(user).toMatchObject({
      name: 'Nelly',
      email: 'nelly@discord.example',
      image: `https://cdn.discordapp.com/avatars/${person.id}/${person.avatar}.png`,
    })
    expect(account).toMatchObject({ providerAccountId: person.id, expires_in: 604800 })
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST https://discord.com/api/oauth2/token',
      'GET https://discord.com/api/users/@me',
    ])
    expect(seen[0]?.form).toMatchObject({
      client_id: 'the-client_id',
      client_secret: 'the-client_secret',
    })
  })

  it.each([
    [{ verified: false }],
    [{ verified: 'true' }],
    [{ verified: undefined }],
    [{ email: null }],
  ])('a person with %j has no e-mail address', async (changes) => {
    expect((await vendor(changes).signIn()).user).toMatchObject({ name: 'Nelly', email: null })
  })

  it('a person without a display name is called by the user name, and may have no image', async () => {
    const { user } = await vendor({ global_name: null, avatar: null }).signIn()
    expect(user).toMatchObject({ name: 'nelly', image: null })
  })

  it('an answer with the `iss` of another server is refused before any request', async () => {
    const { signIn, seen } = vendor()
    const { end, user } = await signIn({ iss: 'https://evil.example' })
    expect(end).toBe('/auth/signin OAuthCallbackError')
    expect(user).toBeUndefined()
    expect(seen).toEqual([])
  })

  it.each([[{ id: undefined }], [{ id: { $gt: '' } }], [{ id: '' }]])(
    'user info with %j signs nobody in',
    async (id) => {
      const { end, user } = await vendor(id).signIn()
      expect(end).toBe('/auth/signin OAuthCallbackError')
      expect(user).toBeUndefined()
    },
  )

  it('revokes the refresh token', async () => {
    const request = await vendor().revoke(tokens)
    expect(String(request?.url)).toBe('https://discord.com/api/oauth2/token/revoke')
    expect(request?.form).toMatchObject({
      token: tokens.refresh_token,
      client_secret: 'the-client_secret',
    })
  })
})
