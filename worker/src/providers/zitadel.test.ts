import { expect, test } from 'vitest'
import { customFetch } from '../lib/symbols.js'
import { resolveProviders } from '../sign-in/kinds.js'
import { Browser, configWith, signInAt } from '../test-support/browser.js'
import { testIssuer } from '../test-support/issuer.js'
import type { Account } from '../types.js'
import zitadel from './zitadel.js'

const claims = { sub: '259242039378444290', amr: ['pwd'] }
const userinfo = {
  sub: claims.sub,
  name: 'Ada Lovelace',
  preferred_username: 'ada@example.zitadel.cloud',
  email: 'ada@example.com',
  email_verified: true,
}

const client = { clientId: 'the-client-id', clientSecret: 'the-client-secret' }

async function setUp(changes: object = {}) {
  const issuer = await testIssuer('https://example-a1b2c3.zitadel.cloud')
  Object.assign(issuer, { claims, userinfo: { ...userinfo, ...changes } })
  const provider = zitadel({
    ...client,
    issuer: 'https://example-a1b2c3.zitadel.cloud',
    [customFetch]: issuer.fetch,
  })
  const accounts: Account[] = []
  const signIn = ({ account }: { account: Account }) => accounts.push(account) > 0
  const browser = new Browser(configWith({ providers: [provider], callbacks: { signIn } }))
  await signInAt(browser, 'zitadel')
  return { accounts, user: (await browser.session())?.user }
}

test('signs in, and takes the address that is verified', async () => {
  const { accounts, user } = await setUp()
  expect(user).toMatchObject({
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    emailVerified: true,
  })
  expect(accounts[0]?.providerAccountId).toBe(claims.sub)
})

test('an address that is not verified is left out', async () => {
  const { user } = await setUp({ email_verified: false })
  expect(user).toMatchObject({ name: 'Ada Lovelace', email: null })
})

test('without an issuer, the error names the variable that sets it', async () => {
  const { misconfigured } = await resolveProviders([zitadel(client)], {})
  expect(misconfigured.get('zitadel')?.message).toContain('AUTH_ZITADEL_ISSUER')
})
