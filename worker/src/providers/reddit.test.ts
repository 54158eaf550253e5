import { describe, expect, it } from 'vitest'
import { recorded } from '../test-support/browser.js'
import reddit from './reddit.js'

const tokens = {
  access_token: 'J1qK1c18UUGJFAzz9xnH56584l4',
  token_type: 'bearer',
  expires_in: 3600,
  scope: 'identity',
}

const person = {
  id: '1w72',
  name: 'spez',
  icon_img: 'https://styles.redditmedia.com/t5_3k30p/styles/profileIcon.jpg?width=256&height=256',
  has_verified_email: true,
  oauth_client_id: 'the-client_id',
  created_utc: 1118030400,
}

const vendor = (info: unknown = person, token: unknown = tokens) =>
  recorded(reddit, {
    'www.reddit.com/api/v1/access_token': token,
    'oauth.reddit.com/api/v1/me': info,
  })

/** Id and secret without encoding, since Reddit does not decode them. */
const basic = `Basic ${btoa('the-client_id:the-client_secret')}`

describe('reddit', () => {
  it('signs in', async () => {
    const { signIn, seen } = vendor()
    const { consent, end, user, account } = await signIn()
    expect(consent.href).toContain('https://www.reddit.com/api/v1/authorize?')
    expect(consent.searchParams.get('scope')).toBe('identity')
    expect(consent.searchParams.has('duration')).toBe(false)
    expect(end).toBe('/inbox')
    expect(user).toMatchObject({ name: 'spez', email: null, image: person.icon_img })
    expect(account?.providerAccountId).toBe('1w72')
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST https://www.reddit.com/api/v1/access_token',
      'GET https://oauth.reddit.com/api/v1/me?raw_json=1',
    ])
    const [token, me] = seen
    expect(token?.headers.get('authorization')).toBe(basic)
    expect(me?.headers.get('authorization')).toBe(`Bearer ${tokens.access_token}`)
    for (const { headers } of seen) expect(headers.get('user-agent')).toBe('Latchkey')
  })

  it('a refresh token can be asked for', async () => {
    const preset = (client: object) =>
      reddit({ ...client, authorization: { params: { duration: 'permanent' } } })
    const { consent } = await recorded(preset, {}).signIn()
    expect(consent.searchParams.get('duration')).toBe('permanent')
    expect(consent.searchParams.get('scope')).toBe('identity')
  })

  it('an empty image address is no image', async () => {
    expect((await vendor({ ...person, icon_img: '' }).signIn()).user?.image).toBeNull()
  })

  it.each<[string, unknown, unknown?]>([
    ['no id', { ...person, id: undefined }],
    ['an id in another shape', { ...person, id: true }],
    ['a refusal', Response.json({ message: 'Forbidden', error: 403 }, { status: 403 })],
    ['an error with status 200', person, { error: 'invalid_grant' }],
    ['an error beside a token', person, { ...tokens, error: 'invalid_grant' }],
  ])('nobody is signed in by %s', async (_, info, token) => {
    const { end, user } = await vendor(info, token).signIn()
    expect(end).toBe('/auth/signin OAuthCallbackError')
    expect(user).toBeUndefined()
  })

  it('revokes the access token', async () => {
    const request = await vendor().revoke(tokens)
    expect(String(request?.url)).toBe('https://www.reddit.com/api/v1/revoke_token')
    expect(request?.headers.get('authorization')).toBe(basic)
    expect(request?.headers.get('user-agent')).toBe('Latchkey')
    expect(request?.form).toEqual({ token: tokens.access_token })
  })
})
