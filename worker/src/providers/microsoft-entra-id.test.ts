import { describe, expect, it, test } from 'vitest'
import { customFetch } from '../lib/symbols.js'
import { resolveProviders } from '../sign-in/kinds.js'
import type { ResolvedOAuthProvider } from '../sign-in/oauth/resolve.js'
import { Browser, configWith, errorOf, signInAt } from '../test-support/browser.js'
import { testIssuer } from '../test-support/issuer.js'
import microsoftEntraId from './microsoft-entra-id.js'

const CLOUD = 'https://login.microsoftonline.com'
const CONTOSO = '8eaef023-2b34-4da1-9baa-8bc8c9d6a490'
const EVIL = '82229342-1101-4ab6-817b-70c0747630f3'
const CONSUMERS = '9188040d-6c67-4c5b-b112-36a304b66dad'
const issuerOf = (tenant: string) => `${CLOUD}/${tenant}/v2.0`

/** As in Microsoft's reference of ID token claims. */
const claimsOf = (tid: string, changes: Record<string, unknown> = {}) => ({
  iss: issuerOf(tid),
  tid,
  sub: 'AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ',
  oid: '00000000-0000-0000-66f3-3332eca7ea81',
  name: 'Ada Lovelace',
  preferred_username: 'ada@contoso.example',
  email: 'ada@contoso.example',
  ver: '2.0',
  ...changes,
})

const client = { clientId: 'the-client-id', clientSecret: 'the-client-secret' }

/** The outcome of a sign-in with these claims, at the configured issuer. */
async function signIn(claims: Record<string, unknown>, issuer?: string) {
  const isOneTenant = issuer !== undefined && /[\da-f]{12}/.test(issuer)
  const it = await testIssuer(isOneTenant ? issuer : issuerOf('{tenantid}'))
  it.claims = claims
  const options = { ...client, [customFetch]: it.fetch, ...(issuer ? { issuer } : {}) }
  const browser = new Browser(configWith({ providers: [microsoftEntraId(options)] }))
  const answer = await signInAt(browser, 'microsoft-entra-id')
  const user = (await browser.session())?.user
  return { error: errorOf(answer), user, discovery: it.requests[0]?.url }
}

const refused = '/auth/signin OAuthCallbackError'

describe('many tenants', () => {
  it('each user signs in with the issuer of their own tenant', async () => {
    const { user, discovery } = await signIn(claimsOf(CONTOSO))
    expect(user).toMatchObject({ name: 'Ada Lovelace', image: null })
    expect(discovery).toBe(`${CLOUD}/common/v2.0/.well-known/openid-configuration`)
  })

  it.each([
    ['without a sign of its owner', {}],
    ['with an unverified domain', { xms_edov: false }],
    ['with an unverified domain, as a number', { xms_edov: 0 }],
    ['with an unverified domain, as text', { xms_edov: '0' }],
    ['that claims to be verified in the usual way', { email_verified: true }],
    ['from a tenant that looks like that of personal accounts', { idp: CONSUMERS }],
  ])('nOAuth: an address %s is left out', async (_, changes) => {
    const { user } = await signIn(claimsOf(EVIL, { email: 'ada@contoso.example', ...changes }))
    expect(user).toMatchObject({ name: 'Ada Lovelace', email: null })
  })

  it.each([true, 1, '1'])(
    'an address that xms_edov calls verified (%j) is kept',
    async (xms_edov) => {
      const { user } = await signIn(claimsOf(CONTOSO, { xms_edov }))
      expect(user?.email).toBe('ada@contoso.example')
    },
  )

  it('the address of a personal account is kept', async () => {
    const { user } = await signIn(claimsOf(CONSUMERS, { email: 'ada@outlook.example' }))
    expect(user?.email).toBe('ada@outlook.example')
  })

  it.each([
    ['from one tenant with the id of another', { tid: CONTOSO }],
    ['without a tenant', { tid: undefined }],
    ['with a path as the tenant', { tid: `${EVIL}/../${CONTOSO}` }],
    ['with a list as the tenant', { tid: [EVIL] }],
    ['of the placeholder', { iss: issuerOf('{tenantid}'), tid: undefined }],
    ['with the placeholder as the tenant', { iss: issuerOf('{tenantid}'), tid: '{tenantid}' }],
    ['of another cloud', { iss: `https://login.microsoftonline.us/${EVIL}/v2.0` }],
  ])('an ID token %s is refused', async (_, changes) => {
    expect((await signIn(claimsOf(EVIL, changes))).error).toBe(refused)
  })

  it.each([
    [issuerOf('{tenantid}'), CONTOSO, true],
    [issuerOf('{tenantid}'), CONSUMERS, true],
    [issuerOf(CONSUMERS), CONSUMERS, true],
    [issuerOf(CONSUMERS), CONTOSO, false],
    [issuerOf(EVIL), CONTOSO, false],
  ])('Storm-0558: a key of %s signs for the tenant %s: %s', async (issuer, tenant, isAccepted) => {
    const it = await testIssuer(issuerOf('{tenantid}'))
    it.claims = claimsOf(tenant)
    const [key] = it.jwks().keys
    it.answers.keys = () => Response.json({ keys: [{ ...key, issuer }] })
    const provider = microsoftEntraId({ ...client, [customFetch]: it.fetch })
    const browser = new Browser(configWith({ providers: [provider] }))
    expect(errorOf(await signInAt(browser, provider.id))).toBe(isAccepted ? '/inbox' : refused)
  })

  it('the issuer for organizations refuses personal accounts', async () => {
    expect((await signIn(claimsOf(CONTOSO), issuerOf('organizations'))).user).toBeDefined()
    expect((await signIn(claimsOf(CONSUMERS), issuerOf('organizations'))).error).toBe(refused)
  })
})

describe('one tenant', () => {
  it('its people sign in with the address that its administrators entered', async () => {
    const { user, discovery } = await signIn(claimsOf(CONTOSO), issuerOf(CONTOSO))
    expect(user?.email).toBe('ada@contoso.example')
    expect(discovery).toBe(`${CLOUD}/${CONTOSO}/v2.0/.well-known/openid-configuration`)
  })

  it.each([EVIL, CONSUMERS])('people of %s are refused', async (tenant) => {
    expect((await signIn(claimsOf(tenant), issuerOf(CONTOSO))).error).toBe(refused)
  })
})

describe('the environment', () => {
  const resolve = async (issuer?: string, options = {}) => {
    const env = {
      AUTH_MICROSOFT_ENTRA_ID_ID: 'id-of-env',
      AUTH_MICROSOFT_ENTRA_ID_SECRET: 'secret-of-env',
      ...(issuer === undefined ? {} : { AUTH_MICROSOFT_ENTRA_ID_ISSUER: issuer }),
    }
    const { usable } = await resolveProviders([microsoftEntraId(options)], env)
    return usable.get('microsoft-entra-id') as ResolvedOAuthProvider
  }

  it.each([
    [undefined, '{tenantid}', 'common'],
    ['', '{tenantid}', 'common'],
    [issuerOf('common'), '{tenantid}', 'common'],
    [`${issuerOf('common')}/`, '{tenantid}', 'common'],
    [issuerOf('organizations'), '{tenantid}', 'organizations'],
    // This document names the tenant of personal accounts, and no placeholder.
    [issuerOf('consumers'), CONSUMERS, 'consumers'],
    [issuerOf(CONTOSO), CONTOSO, CONTOSO],
  ])('%s has the issuer of %s and the document of %s', async (given, issuer, document) => {
    const provider = await resolve(given)
    expect(provider).toMatchObject({ clientId: 'id-of-env', clientSecret: 'secret-of-env' })
    expect(provider.issuer).toBe(issuerOf(issuer))
    expect(provider.discovery?.href).toBe(`${issuerOf(document)}/.well-known/openid-configuration`)
  })

  it('an issuer of an unknown form makes no address trusted', async () => {
    const { profile } = await resolve(issuerOf('contoso'))
    expect(await profile?.(claimsOf(EVIL), {})).toMatchObject({ email: null })
  })

  it('options win, `profile` among them', async () => {
    const profile = () => ({ id: 'mine' })
    const provider = await resolve(issuerOf(CONTOSO), { profile, issuer: issuerOf(EVIL) })
    expect(provider).toMatchObject({ profile, issuer: issuerOf(EVIL) })
  })

  test('a provider with another id has variables named after it', async () => {
    const env = {
      AUTH_STAFF_ID: 'id',
      AUTH_STAFF_SECRET: 'secret',
      AUTH_STAFF_ISSUER: issuerOf(CONTOSO),
    }
    const { usable } = await resolveProviders([microsoftEntraId({ id: 'staff' })], env)
    expect(usable.get('staff')).toMatchObject({ clientId: 'id', issuer: issuerOf(CONTOSO) })
  })
})
