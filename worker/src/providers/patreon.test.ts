import { describe, expect, it } from 'vitest'
import { recorded } from '../test-support/browser.js'
import patreon from './patreon.js'

const tokens = {
  access_token: 'the-access-token',
  token_type: 'bearer',
  expires_in: 3600,
  refresh_token: 'r-1',
}

const person = {
  data: {
    id: '12345689',
    type: 'user',
    attributes: {
      email: 'some_email@email.com',
      full_name: 'Platform Team',
      image_url: 'https://c10.patreonusercontent.com/1',
      is_email_verified: true,
    },
  },
  links: { self: 'https://www.patreon.com/api/oauth2/v2/user/12345689' },
}

const vendor = (info: unknown = person, token: unknown = tokens) =>
  recorded(patreon, {
    'www.patreon.com/api/oauth2/token': token,
    'www.patreon.com/api/oauth2/v2/identity': info,
  })

describe('patreon', () => {
  it('signs in', async () => {
    const { signIn, seen } = vendor()
    const { consent, end, user, account } = await signIn()
    expect(consent.href).toContain('https://www.patreon.com/oauth2/authorize?')
    expect(consent.searchParams.get('scope')).toBe('identity identity[email]')
    expect(end).toBe('/inbox')
    expect(user).toMatchObject({
      name: 'Platform Team',
      email: 'some_email@email.com',
      emailVerified: true,
      image: 'https://c10.patreonusercontent.com/1',
    })
    expect(account).toMatchObject({ providerAccountId: '12345689', refresh_token: 'r-1' })
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST https://www.patreon.com/api/oauth2/token',
      'GET https://www.patreon.com/api/oauth2/v2/identity?fields%5Buser%5D=email%2Cfull_name%2Cimage_url%2Cis_email_verified',
    ])
    expect(seen[0]?.form).toMatchObject({ client_secret: 'the-client_secret', code: 'the-code' })
    expect(seen[0]?.form.code_verifier).toBeDefined()
  })

  it.each<[string, unknown, unknown?]>([
    ['no person', {}],
    ['no id', { data: { ...person.data, id: undefined } }],
    ['a refusal', Response.json({ error: 'x' }, { status: 403 })],
    ['an error with status 200', person, { ...tokens, error: 'invalid_grant' }],
  ])('nobody is signed in by %s', async (_, info, token) => {
    const { end, user } = await vendor(info, token).signIn()
    expect(end).toBe('/auth/signin OAuthCallbackError')
    expect(user).toBeUndefined()
  })
})
