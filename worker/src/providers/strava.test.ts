import { describe, expect, it } from 'vitest'
import { recorded } from '../test-support/browser.js'
import strava from './strava.js'

const tokens = {
  token_type: 'Bearer',
  expires_at: 1568775134,
  expires_in: 20566,
  refresh_token: 'r-1',
  access_token: 'a9b723',
  athlete: { id: 1 },
}

const person = {
  id: 1234567890987654,
  username: 'marianne_v',
  resource_state: 3,
  firstname: 'Marianne',
  lastname: 'V.',
  city: 'San Francisco',
  profile: 'https://xxxxxx.cloudfront.net/pictures/athletes/1/large.jpg',
}

const vendor = (info: unknown = person, token: unknown = tokens) =>
  recorded(strava, {
    'www.strava.com/api/v3/oauth/token': token,
    'www.strava.com/api/v3/athlete': info,
  })

describe('strava', () => {
  it('signs in', async () => {
    const { signIn, seen } = vendor()
    const { consent, end, user, account } = await signIn()
    expect(consent.href).toContain('https://www.strava.com/oauth/authorize?')
    expect(consent.searchParams.get('scope')).toBe('read')
    expect(consent.searchParams.get('approval_prompt')).toBe('auto')
    expect(end).toBe('/inbox')
    expect(user).toMatchObject({
      name: 'Marianne V.',
      email: null,
      image: person.profile,
    })
    expect(account).toMatchObject({ providerAccountId: '1234567890987654', refresh_token: 'r-1' })
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST https://www.strava.com/api/v3/oauth/token',
      'GET https://www.strava.com/api/v3/athlete',
    ])
    expect(seen[0]?.form).toMatchObject({ client_secret: 'the-client_secret', code: 'the-code' })
    expect(seen[0]?.form.code_verifier).toBeDefined()
  })

  it.each<[string, unknown, unknown?]>([
    ['no id', { ...person, id: undefined }],
    ['an id in another shape', { ...person, id: {} }],
    ['a refusal', Response.json({ error: 'x' }, { status: 403 })],
    ['an error with status 200', person, { ...tokens, error: 'invalid_grant' }],
  ])('nobody is signed in by %s', async (_, info, token) => {
    const { end, user } = await vendor(info, token).signIn()
    expect(end).toBe('/auth/signin OAuthCallbackError')
    expect(user).toBeUndefined()
  })
})
