import { expect, test } from 'vitest'
import { BINDINGS, expectFault, findingsIn, withSecret } from '../test-support/written.js'

test.each([
  ['AUTH_GOOGLE_ID', 'AUTH_GOOGLE_SECRET'],
  ['AUTH_GOOGLE_SECRET', 'AUTH_GOOGLE_ID'],
  ['AUTH_VIDEO_ID', 'AUTH_VIDEO_SECRET'],
  ['AUTH_OKTA_SECRET', 'AUTH_OKTA_ID'],
  ['AUTH_APPLE_ID', 'AUTH_APPLE_SECRET'],
])('a provider with %s and without %s', async (there, missing) => {
  const issuer = 'AUTH_OKTA_ISSUER=https://example.okta.com'
  const more = there.includes('OKTA') ? [issuer] : []
  await expectFault('provider-half', {
    where: `.dev.vars ${missing}`,
    fault: { toml: BINDINGS, vars: withSecret(`${there}=x`, ...more) },
    mended: { toml: BINDINGS, vars: withSecret(`${there}=x`, `${missing}=y`, ...more) },
  })
})

test('Apple has a key in the place of a secret, of which each part is needed', async () => {
  const parts = ['AUTH_APPLE_ID=x', 'AUTH_APPLE_TEAM_ID=x', 'AUTH_APPLE_KEY_ID=x']
  const found = await expectFault('provider-half', {
    where: '.env AUTH_APPLE_SECRET',
    fault: { vars: withSecret(...parts) },
    mended: { vars: withSecret(...parts, 'AUTH_APPLE_PRIVATE_KEY=x') },
  })
  expect(found.fix).toContain('AUTH_APPLE_PRIVATE_KEY')
})

test('a provider whose client is public needs no secret', async () => {
  expect(await findingsIn({ vars: withSecret('AUTH_VK_ID=x') })).toEqual([])
})

test('secrets that the platform has are not missed', async () => {
  const toml = `${BINDINGS}[vars]\nAUTH_GOOGLE_ID = "x"`
  expect(await findingsIn({ toml })).toEqual([])
  const required = `secrets = { required = ["AUTH_GOOGLE_SECRET"] }\n${toml}`
  expect(await findingsIn({ toml: required, vars: withSecret() })).toEqual([])
})

test.each(['AUTH_OKTA', 'AUTH_OIDC', 'AUTH_AZURE_AD_B2C', 'AUTH_KEYCLOAK'])(
  '%s needs an issuer',
  async (prefix) => {
    const client = [`${prefix}_ID=x`, `${prefix}_SECRET=y`]
    await expectFault('issuer-missing', {
      where: `.env ${prefix}_ISSUER`,
      fault: { vars: withSecret(...client) },
      mended: { vars: withSecret(...client, `${prefix}_ISSUER=https://id.example.com/t/v2.0`) },
    })
  },
)

test.each(['AUTH_GITLAB', 'AUTH_MICROSOFT_ENTRA_ID', 'AUTH_SALESFORCE'])(
  '%s has an issuer of its own',
  async (prefix) => {
    expect(await findingsIn({ vars: withSecret(`${prefix}_ID=x`, `${prefix}_SECRET=y`) })).toEqual(
      [],
    )
  },
)

test.each([
  'http://id.example.com',
  'id.example.com',
  'https://id.example.com/?tenant=1',
  'https://id.example.com/#x',
  'https://user:word@id.example.com',
])('the issuer %s', async (issuer) => {
  const client = ['AUTH_OIDC_ID=x', 'AUTH_OIDC_SECRET=y']
  const vars = (value: string) => withSecret(...client, `AUTH_OIDC_ISSUER="${value}"`)
  await expectFault('issuer-invalid', {
    where: '.env AUTH_OIDC_ISSUER',
    fault: { vars: vars(issuer) },
    mended: { vars: vars('https://id.example.com') },
  })
})

test('a provider on this machine is for a service on this machine', async () => {
  const client = ['AUTH_OIDC_ID=x', 'AUTH_OIDC_SECRET=y', 'AUTH_OIDC_ISSUER=http://127.0.0.1:4000']
  await expectFault('issuer-invalid', {
    where: '.env AUTH_OIDC_ISSUER',
    fault: { vars: withSecret(...client, 'AUTH_URL=https://auth.example.com') },
    mended: { vars: withSecret(...client, 'AUTH_URL=http://localhost:3000') },
  })
})

test.each([
  'https://id.example.com/.well-known/openid-configuration',
  'https://id.example.com/realms/one/.well-known/openid-configuration/',
  'https://id.example.com/.well-known/oauth-authorization-server',
])('the issuer %s is the address of a discovery document', async (issuer) => {
  const client = ['AUTH_OIDC_ID=x', 'AUTH_OIDC_SECRET=y']
  const vars = (value: string) => withSecret(...client, `AUTH_OIDC_ISSUER="${value}"`)
  await expectFault('issuer-invalid', {
    where: '.env AUTH_OIDC_ISSUER',
    fault: { vars: vars(issuer) },
    mended: { vars: vars(issuer.replace(/\/\.well-known\/.*/, '')) },
  })
})

test.each([
  ['contoso.onmicrosoft.com', '8eaef023-2b34-4da1-9baa-8bc8c9d6a490'],
  ['example.com', 'organizations'],
])('a tenant of Microsoft Entra by the domain %s', async (domain, name) => {
  const client = ['AUTH_MICROSOFT_ENTRA_ID_ID=x', 'AUTH_MICROSOFT_ENTRA_ID_SECRET=y']
  const vars = (tenant: string) =>
    withSecret(
      ...client,
      `AUTH_MICROSOFT_ENTRA_ID_ISSUER=https://login.microsoftonline.com/${tenant}/v2.0`,
    )
  await expectFault('issuer-invalid', {
    where: '.env AUTH_MICROSOFT_ENTRA_ID_ISSUER',
    fault: { vars: vars(domain) },
    mended: { vars: vars(name) },
  })
})
