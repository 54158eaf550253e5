import { expect, test } from 'vitest'
import { resolveProviders } from '../sign-in/kinds.js'
import type { ResolvedOAuthProvider } from '../sign-in/oauth/resolve.js'
import { OPENID_PRESETS, rowIssuer, rowSignIn } from '../test-support/openid-presets.js'
import gitlab from './gitlab.js'

const client = { clientId: 'the-client-id', clientSecret: 'the-client-secret' }

test('signs in at an instance', async () => {
  const at = 'https://gitlab.example.com'
  const row = { ...OPENID_PRESETS.gitlab, issuer: at, ownIssuer: at }
  const { browser } = await rowIssuer(row)
  expect((await browser.start('gitlab')).origin).toBe(at)
  expect((await rowSignIn(row)).user).toMatchObject(row.user)
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
])('with the baseUrl %j it is off and named, and no user of gitlab.com gets in', (baseUrl) => {
  const { usable, misconfigured } = resolveProviders([gitlab({ ...client, baseUrl })], {})
  expect([...usable.keys()]).toEqual([])
  expect(misconfigured.get('gitlab')?.message).toContain('The baseUrl of provider "gitlab"')
})
