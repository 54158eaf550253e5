import { describe, expect, it } from 'vitest'
import { recorded } from '../test-support/browser.js'
import atlassian from './atlassian.js'

const tokens = {
  access_token: 'the-access-token',
  token_type: 'bearer',
  expires_in: 3600,
  refresh_token: 'r-1',
}

const person = {
  account_type: 'atlassian',
  account_id: '112233aa-bb11-cc22-33dd-445566abcabc',
  email: 'victim@example.com',
  name: 'Mia Krystof',
  picture: 'https://avatar-management--avatars.us-west-2.prod.public.atl-paas.net/1',
  account_status: 'active',
}

const vendor = (info: unknown = person, token: unknown = tokens) =>
  recorded(atlassian, {
    'auth.atlassian.com/oauth/token': token,
    'api.atlassian.com/me': info,
  })

describe('atlassian', () => {
  it('signs in', async () => {
    const { signIn, seen } = vendor()
    const { consent, end, user, account } = await signIn()
    expect(consent.href).toContain('https://auth.atlassian.com/authorize?')
    expect(consent.searchParams.get('audience')).toBe('api.atlassian.com')
    expect(consent.searchParams.get('scope')).toBe('read:me')
    expect(consent.searchParams.get('prompt')).toBe('consent')
    expect(end).toBe('/inbox')
    expect(user).toMatchObject({
      name: 'Mia Krystof',
      email: null,
      image: person.picture,
    })
    expect(account).toMatchObject({
      providerAccountId: '112233aa-bb11-cc22-33dd-445566abcabc',
      refresh_token: 'r-1',
    })
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST https://auth.atlassian.com/oauth/token',
      'GET https://api.atlassian.com/me',
    ])
    expect(seen[0]?.form).toMatchObject({ client_secret: 'the-client_secret', code: 'the-code' })
    expect(seen[0]?.form.code_verifier).toBeDefined()
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
