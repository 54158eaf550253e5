import { expect, test } from 'vitest'
import { customFetch } from '../lib/symbols.js'
import { resolveProviders } from '../sign-in/kinds.js'
import type { ResolvedOAuthProvider } from '../sign-in/oauth/resolve.js'
import { Browser, configWith, signInAt } from '../test-support/browser.js'
import { testIssuer } from '../test-support/issuer.js'
import gitlab from './gitlab.js'

/** As in GitLab's documentation: the ID token has less than the user info. */
const claims = { sub: '16777216', sub_legacy: 'f6c5c1d8', auth_time: 1_700_000_000 }
const userinfo = {
  sub: '16777216',
  name: 'Ada Lovelace',
  nickname: 'ada',
  preferred_username: 'ada',
  email: 'ada@example.com',
  email_verified: true,
  picture: 'https://gitlab.com/uploads/-/system/user/avatar/1/avatar.png',
  groups: ['analysts'],
}

const client = { clientId: 'the-client-id', clientSecret: 'the-client-secret' }

test.each(['https://gitlab.com', 'https://gitlab.example.com'])('signs in at %s', async (at) => {
  const issuer = await testIssuer(at)
  Object.assign(issuer, { claims, userinfo })
  const provider = gitlab({ ...client, issuer: at, [customFetch]: issuer.fetch })
  const browser = new Browser(configWith({ providers: [provider] }))
  const asked = await browser.start('gitlab')
  expect(asked.origin).toBe(at)
  expect(asked.searchParams.get('scope')).toBe('openid profile email')
  await signInAt(browser, 'gitlab')
  expect((await browser.session())?.user).toMatchObject({
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    image: userinfo.picture,
  })
  issuer.userinfo = { ...userinfo, email_verified: false }
  await signInAt(browser, 'gitlab')
  expect((await browser.session())?.user?.email).toBeNull()
})

test('is gitlab.com unless the environment names an instance', async () => {
  const issuerIn = async (env: Record<string, string>) =>
    ((await resolveProviders([gitlab(client)], env)).usable.get('gitlab') as ResolvedOAuthProvider)
      .issuer
  expect(await issuerIn({})).toBe('https://gitlab.com')
  expect(await issuerIn({ AUTH_GITLAB_ISSUER: 'https://git.example' })).toBe('https://git.example')
})

test.each([
  ['https://git.example', 'https://git.example'],
  ['https://example.com/git/lab/', 'https://example.com/git/lab'],
])('baseUrl %s is the issuer', (baseUrl, issuer) => {
  const { usable } = resolveProviders([gitlab({ ...client, baseUrl })], {
    AUTH_GITLAB_ISSUER: 'https://another.example',
  })
  expect((usable.get('gitlab') as ResolvedOAuthProvider).issuer).toBe(issuer)
})

test.each([
  '',
  'git.example',
  'http://git.example',
  'https://git.example/?x',
  'https://a@git.example',
])('with the baseUrl %j it is off and named, and nobody of gitlab.com comes in', (baseUrl) => {
  const { usable, misconfigured } = resolveProviders([gitlab({ ...client, baseUrl })], {})
  expect([...usable.keys()]).toEqual([])
  expect(misconfigured.get('gitlab')?.message).toContain('The baseUrl of provider "gitlab"')
})
