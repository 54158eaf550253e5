import { describe, expect, it } from 'vitest'
import { recorded } from '../test-support/browser.js'
import yandex from './yandex.js'

const tokens = {
  access_token: 'the-access-token',
  token_type: 'bearer',
  expires_in: 3600,
  refresh_token: 'r-1',
}

const person = {
  login: 'ivan',
  id: '1000034426',
  client_id: '4760187d81bc4b7799476b42b5103713',
  display_name: 'ivan',
  real_name: 'Ivan Ivanov',
  default_email: 'victim@yandex.ru',
  is_avatar_empty: false,
  default_avatar_id: '131652443',
  psuid: '1.AAceCw.tbHgw5DtJ9_zeqPrk-Ba2w.qPWSRC5v2t2IaksPJgnge',
}

const vendor = (info: unknown = person, token: unknown = tokens) =>
  recorded(yandex, {
    'oauth.yandex.com/token': token,
    'login.yandex.ru/info': info,
  })

describe('yandex', () => {
  it('signs in', async () => {
    const { signIn, seen } = vendor()
    const { consent, end, user, account } = await signIn()
    expect(consent.href).toContain('https://oauth.yandex.com/authorize?')
    expect(consent.searchParams.get('scope')).toBe('login:info login:email login:avatar')
    expect(end).toBe('/inbox')
    expect(user).toMatchObject({
      name: 'Ivan Ivanov',
      email: null,
      image: 'https://avatars.yandex.net/get-yapic/131652443/islands-200',
    })
    expect(account).toMatchObject({ providerAccountId: '1000034426', refresh_token: 'r-1' })
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST https://oauth.yandex.com/token',
      'GET https://login.yandex.ru/info?format=json',
    ])
    expect(seen[0]?.headers.get('authorization')).toMatch(/^Basic /)
    expect(seen[0]?.form).not.toHaveProperty('client_secret')
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
