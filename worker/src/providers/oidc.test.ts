import { describe, expect, it, test } from 'vitest'
import { customFetch } from '../lib/symbols.js'
import { resolveProviders } from '../sign-in/kinds.js'
import type { ResolvedOAuthProvider } from '../sign-in/oauth/resolve.js'
import { Browser, configWith, signInAt } from '../test-support/browser.js'
import { testIssuer } from '../test-support/issuer.js'
import oidc from './oidc.js'

test('signs in at the endpoints that discovery names', async () => {
  const issuer = await testIssuer('https://id.acme.example')
  issuer.claims = { name: 'Ada', email: 'ada@acme.example', email_verified: true }
  const client = { clientId: 'the-client-id', clientSecret: 'the-client-secret' }
  const options = { id: 'acme', name: 'Acme', issuer: issuer.issuer }
  const provider = oidc({ ...client, ...options, [customFetch]: issuer.fetch })
  const browser = new Browser(configWith({ providers: [provider] }))
  const asked = await browser.start('acme')
  expect(asked.origin + asked.pathname).toBe('https://id.acme.example/authorize')
  expect(asked.searchParams.get('redirect_uri')).toMatch(/\/auth\/callback\/acme$/)
  await signInAt(browser, 'acme')
  expect((await browser.session())?.user).toMatchObject({ name: 'Ada', email: 'ada@acme.example' })
  issuer.claims = { ...issuer.claims, email_verified: false }
  await signInAt(browser, 'acme')
  expect((await browser.session())?.user?.email).toBeNull()
})

describe('the environment', () => {
  const env = {
    AUTH_OIDC_ID: 'id-of-env',
    AUTH_OIDC_SECRET: 'secret-of-env',
    AUTH_OIDC_ISSUER: 'https://env.example',
    AUTH_OIDC_NAME: 'Acme',
  }
  const resolve = async (options = {}, variables: Record<string, string> = env, id = 'oidc') =>
    (await resolveProviders([oidc(options)], variables)).usable.get(id) as ResolvedOAuthProvider

  it('gives name, client and issuer', async () => {
    expect(await resolve()).toMatchObject({
      name: 'Acme',
      clientId: 'id-of-env',
      clientSecret: 'secret-of-env',
      issuer: 'https://env.example',
    })
  })

  it('gives only values that the options leave open', async () => {
    const options = { name: 'Own', clientId: 'own', issuer: 'https://own.example' }
    expect(await resolve(options)).toMatchObject({ ...options, clientSecret: 'secret-of-env' })
  })

  it('without a name the button says OpenID', async () => {
    expect((await resolve({}, { ...env, AUTH_OIDC_NAME: '' })).name).toBe('OpenID')
  })

  it('gives a provider with another id the variables named after it', async () => {
    const second = {
      AUTH_STAFF_SSO_ID: 'x',
      AUTH_STAFF_SSO_SECRET: 'y',
      AUTH_STAFF_SSO_NAME: 'Staff',
    }
    const options = { id: 'staff-sso', issuer: 'https://staff.example' }
    expect(await resolve(options, { ...env, ...second }, 'staff-sso')).toMatchObject({
      name: 'Staff',
      clientId: 'x',
      clientSecret: 'y',
    })
  })

  it.each(['ID', 'SECRET', 'ISSUER'])('AUTH_OIDC_%s is named where it is missing', async (name) => {
    const variables = { ...env, [`AUTH_OIDC_${name}`]: '' }
    const { misconfigured } = await resolveProviders([oidc()], variables)
    expect(misconfigured.get('oidc')?.message).toContain(`AUTH_OIDC_${name}`)
  })
})
