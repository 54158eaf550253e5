import { describe, expect, it } from 'vitest'
import { customFetch } from '../lib/symbols.js'
import { Browser, configWith, errorOf, locationOf, origin } from '../test-support/browser.js'
import { OAUTH_PRESETS, rowVendor } from '../test-support/oauth-presets.js'
import { OPENID_PRESETS, rowIssuer } from '../test-support/openid-presets.js'
import type { OAuthConfig } from '../types.js'
import facebook from './facebook.js'
import linkedin from './linkedin.js'
import oauth from './oauth.js'
import reddit from './reddit.js'

const failed = '/auth/signin OAuthCallbackError'
const canceled = `${failed} access_denied`

describe('the words of a vendor for a sign-in that the person cancels', () => {
  const oauthEnd = async (id: 'linkedin' | 'github', error: string) =>
    (await rowVendor(OAUTH_PRESETS[id]).signIn({ error })).end

  const openIdEnd = async (id: 'apple' | 'google', error: string) => {
    const { browser } = await rowIssuer(OPENID_PRESETS[id])
    const state = (await browser.start(id)).searchParams.get('state') ?? ''
    return errorOf(
      await browser.get(`/auth/callback/${id}?${new URLSearchParams({ error, state })}`),
    )
  }

  it.each(['user_cancelled_login', 'user_cancelled_authorize', 'access_denied'])(
    'LinkedIn: %s is a cancel, and not its failure',
    async (error) => expect(await oauthEnd('linkedin', error)).toBe(canceled),
  )

  it.each(['user_cancelled_authorize', 'access_denied'])(
    'Apple: %s is a cancel, and not its failure',
    async (error) => expect(await openIdEnd('apple', error)).toBe(canceled),
  )

  it('a word of one vendor says nothing at another', async () => {
    expect(await openIdEnd('google', 'user_cancelled_authorize')).toBe(failed)
    expect(await oauthEnd('github', 'user_cancelled_login')).toBe(failed)
    expect(await oauthEnd('linkedin', 'server_error')).toBe(failed)
  })
})

describe('the fragment that a vendor adds to the redirect URI', () => {
  type Client = { clientId: string; clientSecret: string; [customFetch]: typeof fetch }
  const answer = { access_token: 't', token_type: 'bearer', id: '7', sub: '7', name: 'Ada' }
  const client: Client = {
    clientId: 'the-client-id',
    clientSecret: 'the-client-secret',
    [customFetch]: async () => Response.json(answer),
  }
  const back = async (provider: OAuthConfig, callbackUrl: string, more = {}) => {
    const browser = new Browser(configWith({ providers: [provider] }))
    const { searchParams } = await browser.start(provider.id, { callbackUrl })
    const state = searchParams.get('state') ?? ''
    const query = new URLSearchParams({ code: 'c', state, ...more })
    return locationOf(await browser.get(`/auth/callback/${provider.id}?${query}`))
  }

  it.each<[string, OAuthConfig]>([
    ['Facebook', facebook(client) as never],
    ['LinkedIn', linkedin(client) as never],
    ['Reddit', reddit(client) as never],
  ])('%s: #_=_ and its like do not stay in the address of the app', async (_, provider) => {
    expect(await back(provider, '/inbox')).toBe(`${origin}/inbox#`)
    expect(await back(provider, '/inbox?a=1#part')).toBe(`${origin}/inbox?a=1#part`)
    // The page that shows an error may be the app's own.
    const denied = await back(provider, '/inbox', { error: 'access_denied' })
    expect(denied).toMatch(/\/auth\/signin\?.*#$/)
  })

  it('other vendors add none, and the address is the one that was asked for', async () => {
    const provider = oauth({
      ...client,
      id: 'other',
      authorization: 'https://other.example/authorize',
      token: 'https://other.example/token',
      userinfo: 'https://other.example/me',
    })
    expect(await back(provider, '/inbox')).toBe(`${origin}/inbox`)
  })
})
