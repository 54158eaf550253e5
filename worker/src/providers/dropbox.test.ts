import { describe, expect, it } from 'vitest'
import { recorded } from '../test-support/browser.js'
import dropbox from './dropbox.js'

const tokens = {
  access_token: 'the-access-token',
  token_type: 'bearer',
  expires_in: 3600,
  refresh_token: 'r-1',
}

const person = {
  account_id: 'dbid:AAH4f99T0taONIb-OurWxbNQ6ywGRopQngc',
  name: { given_name: 'Franz', surname: 'Ferdinand', display_name: 'Franz Ferdinand (Personal)' },
  email: 'franz@dropbox.com',
  email_verified: true,
  disabled: false,
  profile_photo_url: 'https://dl-web.dropbox.com/account_photo/get/dbaphid',
}

const vendor = (info: unknown = person, token: unknown = tokens) =>
  recorded(dropbox, {
    'api.dropboxapi.com/oauth2/token': token,
    'api.dropboxapi.com/2/users/get_current_account': info,
  })

describe('dropbox', () => {
  it('signs in', async () => {
    const { signIn, seen } = vendor()
    const { consent, end, user, account } = await signIn()
    expect(consent.href).toContain('https://www.dropbox.com/oauth2/authorize?')
    expect(consent.searchParams.get('scope')).toBe('account_info.read')
    expect(end).toBe('/inbox')
    expect(user).toMatchObject({
      name: 'Franz Ferdinand (Personal)',
      email: 'franz@dropbox.com',
      emailVerified: true,
      image: person.profile_photo_url,
    })
    expect(account).toMatchObject({
      providerAccountId: 'dbid:AAH4f99T0taONIb-OurWxbNQ6ywGRopQngc',
      refresh_token: 'r-1',
    })
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST https://api.dropboxapi.com/oauth2/token',
      'POST https://api.dropboxapi.com/2/users/get_current_account',
    ])
    expect(seen[0]?.headers.get('authorization')).toMatch(/^Basic /)
    expect(seen[0]?.form).not.toHaveProperty('client_secret')
    expect(seen[1]?.headers.get('authorization')).toBe('Bearer the-access-token')
  })

  it.each<[string, unknown, unknown?]>([
    ['no id', { ...person, account_id: undefined }],
    ['an id in another shape', { ...person, account_id: {} }],
    ['a refusal', Response.json({ error: 'x' }, { status: 403 })],
    ['an error with status 200', person, { ...tokens, error: 'invalid_grant' }],
  ])('nobody is signed in by %s', async (_, info, token) => {
    const { end, user } = await vendor(info, token).signIn()
    expect(end).toBe('/auth/signin OAuthCallbackError')
    expect(user).toBeUndefined()
  })
})
