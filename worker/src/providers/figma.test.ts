import { describe, expect, it } from 'vitest'
import { recorded } from '../test-support/browser.js'
import figma from './figma.js'

const tokens = {
  user_id_string: '812346',
  access_token: 'figu_1',
  token_type: 'bearer',
  expires_in: 7776000,
  refresh_token: 'r-1',
}

const person = {
  id: '812346',
  email: 'victim@example.com',
  handle: 'Ada Lovelace',
  img_url: 'https://s3-alpha.figma.com/profile/1',
}

const vendor = (info: unknown = person, token: unknown = tokens) =>
  recorded(figma, {
    'api.figma.com/v1/oauth/token': token,
    'api.figma.com/v1/me': info,
  })

describe('figma', () => {
  it('signs in', async () => {
    const { signIn, seen } = vendor()
    const { consent, end, user, account } = await signIn()
    expect(consent.href).toContain('https://www.figma.com/oauth?')
    expect(consent.searchParams.get('scope')).toBe('current_user:read')
    expect(end).toBe('/inbox')
    expect(user).toMatchObject({
      name: 'Ada Lovelace',
      email: null,
      image: person.img_url,
    })
    expect(account).toMatchObject({ providerAccountId: '812346', refresh_token: 'r-1' })
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST https://api.figma.com/v1/oauth/token',
      'GET https://api.figma.com/v1/me',
    ])
    expect(seen[0]?.headers.get('authorization')).toMatch(/^Basic /)
    expect(seen[0]?.form).not.toHaveProperty('client_secret')
  })

  it.each<[string, unknown, unknown?]>([
    ['no id', { ...person, id: undefined }],
    ['an id in another shape', { ...person, id: true }],
    ['a refusal', Response.json({ error: 'x' }, { status: 403 })],
    ['an error with status 200', person, { ...tokens, error: 'invalid_grant' }],
  ])('nobody is signed in by %s', async (_, info, token) => {
    const { end, user } = await vendor(info, token).signIn()
    expect(end).toBe('/auth/signin OAuthCallbackError')
    expect(user).toBeUndefined()
  })
})
