import { describe, expect, it } from 'vitest'
import { resolveProviders } from '../sign-in/kinds.js'
import { recorded } from '../test-support/browser.js'
import oauth from './oauth.js'

const at = 'https://forum.example'
const endpoints = {
  authorization: { url: `${at}/authorize`, params: { scope: 'me' } },
  token: `${at}/token`,
  userinfo: `${at}/me`,
}

describe('oauth', () => {
  it('signs in at a provider without preset', async () => {
    const preset = (client: object) =>
      oauth<{ uid: number; nick: string }>({
        ...endpoints,
        ...client,
        id: 'my-forum',
        name: 'My Forum',
        profile: ({ uid, nick }) => ({ id: `u${uid}`, name: nick, email: null, image: null }),
      })
    const { signIn, seen } = recorded(preset, {
      'forum.example/token': { access_token: 't', token_type: 'Bearer' },
      'forum.example/me': { uid: 7, nick: 'ada' },
    })
    const { consent, end, user, account } = await signIn()
    expect(consent.searchParams.get('scope')).toBe('me')
    expect(consent.searchParams.get('redirect_uri')).toMatch(/\/auth\/callback\/my-forum$/)
    expect(end).toBe('/inbox')
    expect(user).toMatchObject({ name: 'ada' })
    expect(account).toMatchObject({ provider: 'my-forum', providerAccountId: 'u7' })
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      `POST ${at}/token`,
      `GET ${at}/me`,
    ])
  })

  it('client id and secret come from the variables that its id names', async () => {
    const env = { AUTH_MY_FORUM_ID: 'id-of-env', AUTH_MY_FORUM_SECRET: 'secret-of-env' }
    const provider = oauth({ id: 'my-forum', ...endpoints })
    expect(provider.name).toBe('my-forum')
    expect((await resolveProviders([provider], env)).usable.get('my-forum')).toMatchObject({
      clientId: 'id-of-env',
      clientSecret: 'secret-of-env',
    })
  })

  it('id and endpoints are not optional', async () => {
    // @ts-expect-error
    oauth({ name: 'My Forum', ...endpoints })
    const { userinfo: _, ...incomplete } = endpoints
    // @ts-expect-error
    const provider = oauth({ id: 'my-forum', ...incomplete, clientId: 'c', clientSecret: 's' })
    expect(
      (await resolveProviders([provider], {})).misconfigured.get('my-forum')?.message,
    ).toContain('userinfo')
  })
})
