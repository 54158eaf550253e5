import { describe, expect, it } from 'vitest'
import { recorded } from '../test-support/browser.js'
import kakao from './kakao.js'

const tokens = {
  access_token: 'the-access-token',
  token_type: 'bearer',
  expires_in: 3600,
  refresh_token: 'r-1',
}

const person = {
  id: 123456789,
  connected_at: '2026-04-11T01:45:28Z',
  kakao_account: {
    profile_needs_agreement: false,
    profile: {
      nickname: '홍길동',
      profile_image_url: 'https://k.kakaocdn.net/dn/x/img_640x640.jpg',
      is_default_image: false,
    },
    email_needs_agreement: false,
    is_email_valid: true,
    is_email_verified: true,
    email: 'sample@sample.com',
  },
}

const vendor = (info: unknown = person, token: unknown = tokens) =>
  recorded(kakao, {
    'kauth.kakao.com/oauth/token': token,
    'kapi.kakao.com/v2/user/me': info,
  })

describe('kakao', () => {
  it('signs in', async () => {
    const { signIn, seen } = vendor()
    const { consent, end, user, account } = await signIn()
    expect(consent.href).toContain('https://kauth.kakao.com/oauth/authorize?')
    expect(end).toBe('/inbox')
    expect(user).toMatchObject({
      name: '홍길동',
      email: 'sample@sample.com',
      emailVerified: true,
      image: 'https://k.kakaocdn.net/dn/x/img_640x640.jpg',
    })
    expect(account).toMatchObject({ providerAccountId: '123456789', refresh_token: 'r-1' })
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST https://kauth.kakao.com/oauth/token',
      'GET https://kapi.kakao.com/v2/user/me?secure_resource=true',
    ])
    expect(seen[0]?.form).toMatchObject({ client_secret: 'the-client_secret', code: 'the-code' })
    expect(seen[0]?.form.code_verifier).toBeDefined()
  })

  it.each<[string, unknown, unknown?]>([
    ['no id', { ...person, id: undefined }],
    ['an id that is too large to be one', { ...person, id: 2 ** 60 }],
    ['a refusal', Response.json({ error: 'x' }, { status: 403 })],
    ['an error with status 200', person, { ...tokens, error: 'invalid_grant' }],
  ])('nobody is signed in by %s', async (_, info, token) => {
    const { end, user } = await vendor(info, token).signIn()
    expect(end).toBe('/auth/signin OAuthCallbackError')
    expect(user).toBeUndefined()
  })
})
