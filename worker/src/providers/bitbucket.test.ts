import { describe, expect, it } from 'vitest'
import { recorded } from '../test-support/browser.js'
import bitbucket from './bitbucket.js'

const tokens = { access_token: 'bb', token_type: 'bearer', expires_in: 7200, refresh_token: 'r-1' }

const person = {
  type: 'user',
  uuid: '{a54f16da-24e9-4d7f-a3a7-b1ba2cd98aa3}',
  account_id: '557058:3a8d3a3b-1d0f-4e33-9a3f-2f0f6c0a1c5d',
  display_name: 'Ada Lovelace',
  links: { avatar: { href: 'https://bitbucket.org/account/ada/avatar/' } },
}
const address = { type: 'email', email: 'ada@example.com', is_primary: true, is_confirmed: true }

const vendor = (info: unknown = person, emails: unknown = { values: [address] }) =>
  recorded(bitbucket, {
    'bitbucket.org/site/oauth2/access_token': tokens,
    'api.bitbucket.org/2.0/user': info,
    'api.bitbucket.org/2.0/user/emails': emails,
  })

describe('bitbucket', () => {
  it('signs in with the primary address, which is confirmed', async () => {
    const { signIn, seen } = vendor()
    const { consent, end, user, account } = await signIn()
    expect(consent.href).toContain('https://bitbucket.org/site/oauth2/authorize?')
    expect(end).toBe('/inbox')
    expect(user).toMatchObject({
      name: 'Ada Lovelace',
      email: 'ada@example.com',
      emailVerified: true,
      image: person.links.avatar.href,
    })
    expect(account).toMatchObject({ providerAccountId: person.account_id, refresh_token: 'r-1' })
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST https://bitbucket.org/site/oauth2/access_token',
      'GET https://api.bitbucket.org/2.0/user',
      'GET https://api.bitbucket.org/2.0/user/emails',
    ])
    expect(seen[0]?.headers.get('authorization')).toMatch(/^Basic /)
  })

  it.each<[string, unknown]>([
    ['is not confirmed', { values: [{ ...address, is_confirmed: false }] }],
    ['is not the primary one', { values: [{ ...address, is_primary: false }] }],
    ['may not be read', Response.json({ type: 'error' }, { status: 403 })],
    ['is in another shape', { values: address }],
  ])('an address that %s is left out', async (_, emails) => {
    const { user } = await vendor({ ...person, email: 'victim@example.com' }, emails).signIn()
    expect(user).toMatchObject({ name: 'Ada Lovelace', email: null })
    expect(user).not.toHaveProperty('emailVerified')
  })

  it.each<[string, unknown]>([
    ['no id', { ...person, account_id: undefined }],
    ['an id in another shape', { ...person, account_id: {} }],
    ['a refusal', Response.json({ type: 'error' }, { status: 401 })],
  ])('nobody is signed in by %s', async (_, info) => {
    const { end, user } = await vendor(info).signIn()
    expect(end).toBe('/auth/signin OAuthCallbackError')
    expect(user).toBeUndefined()
  })
})
