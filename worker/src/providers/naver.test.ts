import { describe, expect, it } from 'vitest'
import { recorded } from '../test-support/browser.js'
import naver from './naver.js'

const tokens = {
  access_token: 'AAAAQosjWDJieBiQ',
  token_type: 'bearer',
  expires_in: '3600',
  refresh_token: 'r-1',
}

const person = {
  resultcode: '00',
  message: 'success',
  response: {
    id: '32742776',
    nickname: 'OpenAPI',
    name: '오픈 API',
    email: 'openapi@naver.com',
    gender: 'F',
    age: '40-49',
    birthday: '10-01',
    profile_image: 'https://ssl.pstatic.net/static/pwe/address/nodata_33x33.gif',
  },
}

const vendor = (info: unknown = person, token: unknown = tokens) =>
  recorded(naver, {
    'nid.naver.com/oauth2.0/token': token,
    'openapi.naver.com/v1/nid/me': info,
  })

describe('naver', () => {
  it('signs in', async () => {
    const { signIn, seen } = vendor()
    const { consent, end, user, account } = await signIn()
    expect(consent.href).toContain('https://nid.naver.com/oauth2.0/authorize?')
    expect(end).toBe('/inbox')
    expect(user).toMatchObject({
      name: '오픈 API',
      email: null,
      image: 'https://ssl.pstatic.net/static/pwe/address/nodata_33x33.gif',
    })
    expect(account).toMatchObject({ providerAccountId: '32742776', refresh_token: 'r-1' })
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST https://nid.naver.com/oauth2.0/token',
      'GET https://openapi.naver.com/v1/nid/me',
    ])
    expect(seen[0]?.form).toMatchObject({ client_secret: 'the-client_secret', code: 'the-code' })
    expect(seen[0]?.form.code_verifier).toBeDefined()
  })

  it.each<[string, unknown, unknown?]>([
    ['a failure with status 200', { resultcode: '024', message: 'Authentication failed' }],
    ['no id', { ...person, response: { name: 'x' } }],
    ['a refusal', Response.json({ error: 'x' }, { status: 403 })],
    ['an error with status 200', person, { ...tokens, error: 'invalid_grant' }],
  ])('nobody is signed in by %s', async (_, info, token) => {
    const { end, user } = await vendor(info, token).signIn()
    expect(end).toBe('/auth/signin OAuthCallbackError')
    expect(user).toBeUndefined()
  })
})
