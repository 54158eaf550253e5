import { describe, expect, it } from 'vitest'
import { clock } from '../../../../../test/support/clock.js'
import { createAuth } from '../../../core.js'
import { claimsIn } from '../../../test-support/browser.js'
import { companyAt, companyWorld } from '../../../test-support/companies.js'
import { claimsOf, clientSecret, issuer, resource } from '../../../test-support/oauth.js'
import { type Claims, signed, type TestKey } from '../../../test-support/oauth-keys.js'
import type { AuthConfig } from '../../../types.js'
import type { Company } from '../../companies/types.js'
import { secondFactor as secondFactors } from '../../second-factor/index.js'
import { authorizationServer } from '../index.js'

// Assertions about the people of companies.

const { pass } = clock()
const now = () => Math.floor(Date.now() / 1000)

async function world(entry: Partial<Company> = {}, changes: Partial<AuthConfig> = {}) {
  const acme = companyAt('acme', entry)
  const service = authorizationServer({
    apps: { agent: { secret: clientSecret, redirectUris: ['https://agent.example/cb'] } },
    resources: { [resource]: { scopes: { 'notes:read': 'Read your notes' } } },
    trustedIssuers: { [acme.issuer]: { company: 'acme', apps: ['agent'] } },
  })
  const { features: more = [], ...rest } = changes
  const inner = await companyWorld([acme], {})
  const features = [...(inner.config.features ?? []), service, ...more]
  Object.assign(inner.config, { ...rest, features })
  const auth = createAuth(inner.config)
  const [published] = inner.issuerOf(acme.id).jwks().keys as { kid: string }[]
  const key = {
    ...{ kid: published?.kid ?? '', alg: 'ES256', jwk: {} },
    privateKey: inner.issuerOf(acme.id).privateKey(),
  } satisfies TestKey
  const context = { waitUntil: () => {} }
  async function bring(claims: Claims = {}) {
    const assertion = await signed(
      key,
      {
        ...{ iss: acme.issuer, sub: 'ada', aud: issuer, client_id: 'agent', resource },
        ...{ jti: crypto.randomUUID(), iat: now(), exp: now() + 300, scope: 'notes:read' },
        ...{ email: 'ada@acme.example', ...claims },
      },
      { typ: 'oauth-id-jag+jwt' },
    )
    const body = new URLSearchParams({
      ...{ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion },
      ...{ client_id: 'agent', client_secret: clientSecret },
    })
    const request = new Request(`${issuer}/oauth/token`, { method: 'POST', body })
    const answer = await auth.fetch(request, {}, context)
    const told = (await answer.json()) as { access_token?: string; error?: string }
    return told.error ?? claimsOf(told.access_token ?? '')
  }
  return { ...inner, auth, context, bring }
}

describe('an assertion of a company', () => {
  it('is about the person that its provider signs in, and names the company', async () => {
    const one = await world()
    const before = (await one.bring()) as Record<string, unknown>
    expect(before).toMatchObject({ company: 'acme', acr: '1', client_id: 'agent' })
    const ada = await one.of('acme')
    expect(claimsIn(ada).sub).toBe(before.sub)
    const apps = await one.auth.listApps(String(before.sub), {}, one.context)
    expect(apps).toEqual([expect.objectContaining({ app: 'agent', company: 'acme' })])
  })

  it.each<[string, Claims]>([
    ['outside the company’s domains', { email: 'ada@bolt.example' }],
    ['that is not verified', { email_verified: false }],
    ['that is missing', { email: undefined }],
  ])('attack: with an address %s is refused', async (_, claims) => {
    expect(await (await world()).bring(claims)).toBe('invalid_grant')
  })

  it('shows two factors where the entry lets them count', async () => {
    const one = await world({ factors: true })
    expect(await one.bring({ amr: ['pwd', 'mfa'] })).toMatchObject({ acr: '2', company: 'acme' })
    expect(await one.bring({ amr: ['pwd'] })).toMatchObject({ acr: '1' })
    expect(await (await world()).bring({ amr: ['pwd', 'mfa'] })).toMatchObject({ acr: '1' })
  })

  it('is refused if a second factor is demanded and not shown', async () => {
    const secondFactor = () => true
    const one = await world({ factors: true }, { secondFactor, features: [secondFactors] })
    expect(await one.bring({ amr: ['pwd'] })).toBe('invalid_grant')
    expect(await one.bring({ amr: ['mfa'] })).toMatchObject({ acr: '2' })
  })

  it('is refused with `join` for a way that nobody has used, and leaves nothing', async () => {
    const one = await world({ join: true })
    const calls = one.calls.length
    expect(await one.bring()).toBe('invalid_grant')
    expect(one.calls.slice(calls).map(({ name }) => name)).toEqual(['enter'])
  })

  it('is refused once the person is blocked, by their company’s way too', async () => {
    const one = await world()
    const { sub } = (await one.bring()) as { sub: string }
    await one.auth.blockPerson({ sub }, {}, one.context)
    pass(2)
    expect(await one.bring()).toBe('invalid_grant')
  })

  it('for a company that is not there is a mistake of the configuration', async () => {
    const one = await world({ id: 'bolt' })
    expect(await one.bring()).toBe('server_error')
  })
})

describe('attack: a company’s assertion is refused, and the log says that it is the person', () => {
  const said = ({ warnings }: Awaited<ReturnType<typeof world>>) => warnings.at(-1)

  it('for an address outside its domains', async () => {
    const one = await world()
    expect(await one.bring({ email: 'ada@bolt.example' })).toBe('invalid_grant')
    expect(said(one)).toEqual(['assertion-refused', 'agent: person'])
  })

  it('with `join` before the person has answered, and not after', async () => {
    const one = await world({ join: true })
    expect(await one.bring()).toBe('invalid_grant')
    expect(said(one)).toEqual(['assertion-refused', 'agent: person'])
    const ada = one.browser()
    await one.signInBy(ada, 'acme')
    expect(await one.bring()).toBe('invalid_grant')
    await ada.submit('/auth/company/join', { choice: 'new' })
    expect(await one.bring()).toMatchObject({ sub: claimsIn(ada).sub, company: 'acme' })
  })
})

it('a logout token with `sub` alone ends the grants of assertions, and a newer one begins anew', async () => {
  const one = await world()
  const first = (await one.bring()) as Record<string, string>
  pass(2)
  const [published] = one.issuerOf('acme').jwks().keys as { kid: string }[]
  const key = {
    ...{ kid: published?.kid ?? '', alg: 'ES256', jwk: {} },
    privateKey: one.issuerOf('acme').privateKey(),
  }
  const logout_token = await signed(
    key,
    {
      ...{ iss: 'https://acme.idp.example', aud: 'client-of-acme', sub: 'ada' },
      ...{ iat: now(), exp: now() + 120, jti: crypto.randomUUID() },
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    },
    { typ: 'logout+jwt' },
  )
  const body = new URLSearchParams({ logout_token })
  const address = `${issuer}/backchannel-logout/company-acme`
  const answer = await one.auth.fetch(
    new Request(address, { method: 'POST', body }),
    {},
    one.context,
  )
  expect(answer.status).toBe(200)
  expect(await one.auth.listApps(String(first.sub), {}, one.context)).toEqual([])
  expect(await one.bring({ iat: now() - 5 })).toBe('invalid_grant')
  pass(2)
  const after = (await one.bring()) as Record<string, string>
  expect(after.sub).toBe(first.sub)
  expect(after.grant).not.toBe(first.grant)
})
