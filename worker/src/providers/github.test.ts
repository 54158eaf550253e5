import { describe, expect, it } from 'vitest'
import { resolveProviders } from '../sign-in/kinds.js'
import { recorded } from '../test-support/browser.js'
import { OAUTH_PRESETS, rowVendor } from '../test-support/oauth-presets.js'
import github, { type GitHubProfile } from './github.js'

const { answers, address, user: octocat } = OAUTH_PRESETS.github
const [token, person, addresses] = answers(address)

/** GitHub Enterprise Server at a host, with its path. */
const vendor = (at: string, preset: Parameters<typeof recorded<GitHubProfile>>[0]) =>
  recorded(preset, {
    [`${at}/login/oauth/access_token`]: token,
    [`${at}/api/v3/user`]: person,
    [`${at}/api/v3/user/emails`]: addresses,
  })

describe('github', () => {
  it('asks the API as its documentation says', async () => {
    const { signIn, seen } = rowVendor(OAUTH_PRESETS.github)
    await signIn()
    const [token, ...api] = seen
    expect(token?.headers.get('accept')).toBe('application/json')
    expect(api).toHaveLength(2)
    for (const { headers } of api) {
      expect(headers.get('accept')).toBe('application/vnd.github+json')
      expect(headers.get('user-agent')).toBe('Latchkey')
      expect(headers.get('x-github-api-version')).toBe('2022-11-28')
    }
  })

  it('a person without a name is called by their login', async () => {
    const { user } = await rowVendor(
      OAUTH_PRESETS.github,
      answers({ name: null, emails: [] }),
    ).signIn()
    expect(user?.name).toBe('octocat')
  })

  it('signs in at GitHub Enterprise Server by its endpoints', async () => {
    const at = 'https://github.example.com'
    const { signIn, seen } = vendor('github.example.com', (client) =>
      github({
        ...client,
        authorization: `${at}/login/oauth/authorize`,
        token: `${at}/login/oauth/access_token`,
        userinfo: `${at}/api/v3/user`,
      }),
    )
    const { consent, user } = await signIn()
    expect(consent.origin).toBe(at)
    expect(consent.searchParams.get('scope')).toBe('read:user user:email')
    expect(user?.email).toBe(octocat.email)
    expect(new Set(seen.map(({ url }) => url.origin))).toEqual(new Set([at]))
  })

  it.each([
    ['https://github.example.com', 'github.example.com'],
    ['https://github.example.com/', 'github.example.com'],
    ['https://example.com:8443/git/hub//', 'example.com:8443/git/hub'],
  ])('signs in at an Enterprise Server at %s', async (baseUrl, at) => {
    const { signIn, seen } = vendor(at, (client) => github({ ...client, enterprise: { baseUrl } }))
    const { consent, user } = await signIn()
    expect(consent.href).toContain(`https://${at}/login/oauth/authorize?`)
    expect(user?.email).toBe(octocat.email)
    expect(seen).toHaveLength(3)
    for (const { url } of seen) expect(url.href).toContain(`https://${at}/`)
  })

  it('endpoints that are given stand before those of the Enterprise Server', () => {
    const enterprise = { baseUrl: 'https://github.example.com' }
    const token = 'https://tokens.example.com/access_token'
    expect(github({ enterprise, token })).toMatchObject({
      token: { url: token },
      userinfo: { url: 'https://github.example.com/api/v3/user' },
    })
  })

  it.each([
    undefined,
    '',
    'github.example.com',
    'http://github.example.com',
    'http://localhost:3000',
    'https://github.example.com?x=1',
    'https://github.example.com/#x',
    'https://user:the-password@github.example.com',
    {},
  ])(
    'an Enterprise Server at %j is off and named, and no user of github.com gets in',
    (baseUrl) => {
      const provider = github({
        clientId: 'x',
        clientSecret: 'y',
        enterprise: { baseUrl } as never,
      })
      const { usable, misconfigured } = resolveProviders([provider], {})
      expect([...usable.keys()]).toEqual([])
      expect(misconfigured.get('github')?.message).toBe(
        'The baseUrl of provider "github" must be https, without a query, a fragment or a user.',
      )
    },
  )
})
