import { expect, test } from 'vitest'
import { customFetch } from '../lib/symbols.js'
import { resolveProviders } from '../sign-in/kinds.js'
import { Browser, configWith, signInAt } from '../test-support/browser.js'
import { testIssuer } from '../test-support/issuer.js'
import type { Account } from '../types.js'
import authentik from './authentik.js'

const claims = {
  sub: 'f9c5b2c1a8e94d0c9b5b6c6f7e8d9a0b',
  acr: 'goauthentik.io/providers/oauth2/default',
}
const userinfo = {
  sub: claims.sub,
  name: 'Ada Lovelace',
  preferred_username: 'ada',
  nickname: 'ada',
  groups: ['staff'],
  email: 'ada@example.com',
  email_verified: true,
}

const client = { clientId: 'the-client-id', clientSecret: 'the-client-secret' }

async function setUp(changes: object = {}) {
  const issuer = await testIssuer('https://authentik.example.com/application/o/shop/')
  Object.assign(issuer, { claims, userinfo: { ...userinfo, ...changes } })
  const provider = authentik({
    ...client,
    issuer: 'https://authentik.example.com/application/o/shop/',
    [customFetch]: issuer.fetch,
  })
  const accounts: Account[] = []
  const signIn = ({ account }: { account: Account }) => accounts.push(account) > 0
  const browser = new Browser(configWith({ providers: [provider], callbacks: { signIn } }))
  await signInAt(browser, 'authentik')
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
  const { misconfigured } = await resolveProviders([authentik(client)], {})
  expect(misconfigured.get('authentik')?.message).toContain('AUTH_AUTHENTIK_ISSUER')
})
