import { describe, expect, it } from 'vitest'
import { recorded } from '../test-support/browser.js'
import notion from './notion.js'

const person = {
  object: 'user',
  id: 'd40e767c-d7af-4b18-a86d-55c61f1e39a4',
  name: 'Avo Cado',
  avatar_url: 'https://secure.notion-static.com/e6a352a8.jpg',
  type: 'person',
  person: { email: 'avo@example.org' },
}

const tokens = {
  access_token: 'ntn_e202e8c9099040af855ff8f872b1ec6c',
  token_type: 'bearer',
  bot_id: 'b3414d65-2224-5ff7-96ff-cc9d8773d9a1',
  workspace_id: 'b565f4d7-2882-41bf-a64a-c9d9cc36f9f4',
  workspace_name: 'Avo’s Notion',
  workspace_icon: null,
  duplicated_template_id: null,
  owner: { type: 'user', user: person },
  refresh_token: null,
  request_id: '1c5d3a4e-8d6a-4f6c-9d0a-3f2f0f0c9b7e',
}

const vendor = (changes: object = {}) =>
  recorded(notion, {
    'api.notion.com/v1/oauth/token': { ...tokens, ...changes },
    'api.notion.com/v1/oauth/revoke': { request_id: tokens.request_id },
  })

/** Id and secret without encoding, since Notion does not decode them. */
const basic = `Basic ${btoa('the-client_id:the-client_secret')}`

describe('notion', () => {
  it('signs in the person in the token answer, without a user info request', async () => {
    const { signIn, seen } = vendor()
    const { consent, end, user, account } = await signIn()
    expect(consent.href).toContain('https://api.notion.com/v1/oauth/authorize?')
    expect(consent.searchParams.get('owner')).toBe('user')
    expect(consent.searchParams.has('scope')).toBe(false)
    expect(end).toBe('/inbox')
    expect(user).toMatchObject({ name: 'Avo Cado', email: null, image: person.avatar_url })
    expect(account).toMatchObject({ providerAccountId: person.id, bot_id: tokens.bot_id })
    expect(account).not.toHaveProperty('refresh_token')
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST https://api.notion.com/v1/oauth/token',
    ])
    expect(seen[0]?.headers.get('authorization')).toBe(basic)
    expect(seen[0]?.headers.get('notion-version')).toBe('2025-09-03')
    expect(seen[0]?.form).toMatchObject({
      code: 'the-code',
      redirect_uri: 'http://localhost:8787/auth/callback/notion',
    })
  })

  it('a refresh token is kept', async () => {
    const { account } = await vendor({ refresh_token: 'nrt_1' }).signIn()
    expect(account?.refresh_token).toBe('nrt_1')
  })

  it('a connection that may not read user information gives the id alone', async () => {
    const owner = { type: 'user', user: { object: 'user', id: person.id } }
    const { end, user } = await vendor({ owner }).signIn()
    expect(end).toBe('/inbox')
    expect(user).toMatchObject({ name: null, email: null, image: null })
  })

  it.each<[string, object]>([
    ['a workspace in place of a person', { owner: { type: 'workspace', workspace: true } }],
    ['no owner', { owner: undefined }],
    ['no id', { owner: { type: 'user', user: { ...person, id: undefined } } }],
    ['an id in another shape', { owner: { type: 'user', user: { ...person, id: {} } } }],
    ['an error with status 200', { error: 'invalid_grant' }],
    ['an answer without end', { filler: 'x'.repeat(1024 * 1024) }],
  ])('nobody is signed in by %s', async (_, changes) => {
    const { end, user } = await vendor(changes).signIn()
    expect(end).toBe('/auth/signin OAuthCallbackError')
    expect(user).toBeUndefined()
  })

  it('revokes the access token', async () => {
    const request = await vendor().revoke({ ...tokens, refresh_token: 'nrt_1' })
    expect(String(request?.url)).toBe('https://api.notion.com/v1/oauth/revoke')
    expect(request?.headers.get('authorization')).toBe(basic)
    expect(request?.headers.get('notion-version')).toBe('2025-09-03')
    expect(request?.form).toEqual({ token: tokens.access_token })
  })
})
