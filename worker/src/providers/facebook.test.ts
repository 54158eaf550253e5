import { describe, expect, it } from 'vitest'
import { recorded } from '../test-support/browser.js'
import facebook from './facebook.js'

const tokens = { access_token: 'EAAGNsolZBqcB', token_type: 'bearer', expires_in: 5183944 }

const person = {
  id: '10158953374521738',
  name: 'Ada Example',
  email: 'ada@example.com',
  picture: {
    data: {
      height: 50,
      is_silhouette: false,
      url: 'https://platform-lookaside.fbsbx.com/platform/profilepic/?asid=1&hash=Ae',
      width: 50,
    },
  },
}

const vendor = (info: unknown = person, token: unknown = tokens) =>
  recorded(facebook, {
    'graph.facebook.com/v24.0/oauth/access_token': token,
    'graph.facebook.com/v24.0/me': info,
  })

describe('facebook', () => {
  it('signs in without the address, which Meta does not call verified', async () => {
    const { signIn, seen } = vendor()
    const { consent, end, user, account } = await signIn()
    expect(consent.href).toContain('https://www.facebook.com/v24.0/dialog/oauth?')
    expect(consent.searchParams.get('scope')).toBe('public_profile email')
    expect(end).toBe('/inbox')
    expect(user).toMatchObject({
      name: 'Ada Example',
      email: null,
      image: person.picture.data.url,
    })
    expect(account).toMatchObject({ providerAccountId: person.id, expires_in: 5183944 })
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST https://graph.facebook.com/v24.0/oauth/access_token',
      'GET https://graph.facebook.com/v24.0/me?fields=id%2Cname%2Cemail%2Cpicture',
    ])
    expect(seen[0]?.form).toMatchObject({
      client_id: 'the-client_id',
      client_secret: 'the-client_secret',
    })
    expect(seen[1]?.headers.get('authorization')).toBe(`Bearer ${tokens.access_token}`)
  })

  it('other fields can be asked for', async () => {
    const preset = (client: object) =>
      facebook({ ...client, userinfo: { params: { fields: 'id,name' } } })
    const { signIn, seen } = recorded(preset, {
      'graph.facebook.com/v24.0/oauth/access_token': tokens,
      'graph.facebook.com/v24.0/me': { id: person.id, name: person.name },
    })
    expect((await signIn()).user).toMatchObject({ name: 'Ada Example', image: null })
    expect(seen[1]?.url.searchParams.get('fields')).toBe('id,name')
  })

  const refusal = { message: 'Invalid OAuth access token.', type: 'OAuthException', code: 190 }
  it.each<[string, unknown, unknown?]>([
    ['no id', { ...person, id: undefined }],
    ['an id in another shape', { ...person, id: {} }],
    ['an error in place of the person', { error: refusal }],
    ['an error with status 400', Response.json({ error: refusal }, { status: 400 })],
    ['an error of the token endpoint with status 200', person, { error: refusal }],
  ])('nobody is signed in by %s', async (_, info, token) => {
    const { end, user } = await vendor(info, token).signIn()
    expect(end).toBe('/auth/signin OAuthCallbackError')
    expect(user).toBeUndefined()
  })
})
