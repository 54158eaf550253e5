import { describe, expect, it } from 'vitest'
import { recorded } from '../test-support/browser.js'
import x from './x.js'

const tokens = {
  token_type: 'bearer',
  expires_in: 7200,
  access_token: 'Q0Mzb0VhZ0V5dmNfSTEyNER2MFNfVW50RzdXdTN6STFxQlVk',
  scope: 'users.email users.read tweet.read',
}

const person = {
  id: '2244994945',
  name: 'Developers',
  username: 'XDevelopers',
  profile_image_url: 'https://pbs.twimg.com/profile_images/1683/adf_normal.jpg',
  confirmed_email: 'ada@example.com',
}

const vendor = (info: unknown = { data: person }, token: unknown = tokens) =>
  recorded(x, { 'api.x.com/2/oauth2/token': token, 'api.x.com/2/users/me': info })

/** Id and secret without encoding, since X does not decode them. */
const basic = `Basic ${btoa('the-client_id:the-client_secret')}`

describe('x', () => {
  it('signs in with the confirmed address', async () => {
    const { signIn, seen } = vendor()
    const { consent, end, user, account } = await signIn()
    expect(consent.href).toContain('https://x.com/i/oauth2/authorize?')
    expect(consent.searchParams.get('scope')).toBe('users.read tweet.read users.email')
    expect(consent.searchParams.get('code_challenge_method')).toBe('S256')
    expect(end).toBe('/inbox')
    expect(user).toMatchObject({
      name: 'Developers',
      email: 'ada@example.com',
      image: person.profile_image_url,
    })
    expect(account?.providerAccountId).toBe('2244994945')
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST https://api.x.com/2/oauth2/token',
      'GET https://api.x.com/2/users/me?user.fields=confirmed_email%2Cprofile_image_url',
    ])
    const [token, me] = seen
    expect(token?.headers.get('authorization')).toBe(basic)
    expect(token?.form.code_verifier).toMatch(/^[\w.~-]{43,128}$/)
    expect(token?.form).not.toHaveProperty('client_secret')
    expect(me?.headers.get('authorization')).toBe(`Bearer ${tokens.access_token}`)
  })

  it('a person without a confirmed address has none', async () => {
    const { confirmed_email: _, ...data } = person
    expect((await vendor({ data }).signIn()).user).toMatchObject({ email: null })
  })

  it('an app that may not ask for addresses leaves out scope and field', async () => {
    const preset = (client: object) =>
      x({
        ...client,
        scope: 'users.read tweet.read',
        userinfo: { params: { 'user.fields': 'profile_image_url' } },
      })
    const { signIn, seen } = recorded(preset, {
      'api.x.com/2/oauth2/token': tokens,
      'api.x.com/2/users/me': { data: { id: '1', name: 'A', username: 'a' } },
    })
    const { consent, user } = await signIn()
    expect(consent.searchParams.get('scope')).toBe('users.read tweet.read')
    expect(seen[1]?.url.searchParams.get('user.fields')).toBe('profile_image_url')
    expect(user).toMatchObject({ name: 'A', email: null, image: null })
  })

  const error = { title: 'Forbidden', detail: 'suspended', type: 'about:blank' }
  it.each<[string, unknown, unknown?]>([
    ['errors with status 200', { errors: [error] }],
    ['a problem document', Response.json({ ...error, status: 403 }, { status: 403 })],
    ['a person outside of data', person],
    ['no id', { data: { ...person, id: undefined } }],
    ['an id in another shape', { data: { ...person, id: {} } }],
    ['an error of the token endpoint with status 200', { data: person }, { error: 'x' }],
  ])('nobody is signed in by %s', async (_, info, token) => {
    const { end, user } = await vendor(info, token).signIn()
    expect(end).toBe('/auth/signin OAuthCallbackError')
    expect(user).toBeUndefined()
  })

  it('revokes the access token', async () => {
    const request = await vendor().revoke(tokens)
    expect(String(request?.url)).toBe('https://api.x.com/2/oauth2/revoke')
    expect(request?.headers.get('authorization')).toBe(basic)
    expect(request?.form).toEqual({ token: tokens.access_token })
  })
})
