import { describe, expect, it } from 'vitest'
import { recorded } from '../test-support/browser.js'
import vk from './vk.js'

const tokens = {
  refresh_token: 'good-only-with-the-device',
  access_token: 'the-access-token',
  id_token: 'not-asked-for',
  token_type: 'Bearer',
  expires_in: 3600,
  user_id: 1234567890,
  scope: 'vkid.personal_info email',
}

const person = {
  user: {
    user_id: '1234567890',
    first_name: 'Ivan',
    last_name: 'I.',
    avatar: 'https://pp.userapi.com/60tZWMo4SmwcploUVl9XEt8ufnTTvDUmQ6Bj1g/mmv1pcj63C4.png',
    email: 'victim@vk.com',
    verified: false,
  },
}

const vendor = (info: unknown = person, token: unknown = tokens) =>
  recorded(vk, { 'id.vk.com/oauth2/auth': token, 'id.vk.com/oauth2/user_info': info })

describe('vk', () => {
  it('signs in, with the device that came back beside the code', async () => {
    const { signIn, seen } = vendor()
    const { consent, end, user, account } = await signIn({ device_id: 'the-device' })
    expect(consent.href).toContain('https://id.vk.com/authorize?')
    expect(consent.searchParams.get('code_challenge_method')).toBe('S256')
    expect(end).toBe('/inbox')
    expect(user).toMatchObject({ name: 'Ivan I.', email: null, image: person.user.avatar })
    expect(account).toMatchObject({ providerAccountId: '1234567890' })
    expect(account).not.toHaveProperty('refresh_token')
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST https://id.vk.com/oauth2/auth',
      'POST https://id.vk.com/oauth2/user_info',
    ])
    expect(seen[0]?.form).toMatchObject({ code: 'the-code', device_id: 'the-device' })
    expect(seen[0]?.form).not.toHaveProperty('client_secret')
    expect(seen[1]?.form).toEqual({ client_id: 'the-client_id', access_token: 'the-access-token' })
  })

  it('a browser that names another device, or a parameter of ours, changes nothing else', async () => {
    const { signIn, seen } = vendor()
    await signIn({ device_id: 'x'.repeat(600), code_verifier: 'mine', grant_type: 'password' })
    expect(seen[0]?.form).not.toHaveProperty('device_id')
    expect(seen[0]?.form).toMatchObject({ grant_type: 'authorization_code' })
    expect(seen[0]?.form.code_verifier).not.toBe('mine')
  })

  it.each<[string, unknown, unknown?]>([
    ['no person', {}],
    ['no id', { user: { first_name: 'Ivan' } }],
    ['a refusal', Response.json({ error: 'x' }, { status: 403 })],
    ['an error with status 200', person, { ...tokens, error: 'invalid_grant' }],
  ])('nobody is signed in by %s', async (_, info, token) => {
    const { end, user } = await vendor(info, token).signIn({ device_id: 'the-device' })
    expect(end).toBe('/auth/signin OAuthCallbackError')
    expect(user).toBeUndefined()
  })
})
