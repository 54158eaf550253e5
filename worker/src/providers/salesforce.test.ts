import { expect, test } from 'vitest'
import { customFetch } from '../lib/symbols.js'
import { Browser, configWith, signInAt } from '../test-support/browser.js'
import { testIssuer } from '../test-support/issuer.js'
import type { Account } from '../types.js'
import salesforce from './salesforce.js'

const claims = { sub: 'https://login.salesforce.com/id/00Dx0000000BV7zEAG/005x00000012Q9PAAU' }
const userinfo = {
  sub: claims.sub,
  user_id: '005x00000012Q9PAAU',
  organization_id: '00Dx0000000BV7zEAG',
  preferred_username: 'victim@example.com',
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  email_verified: true,
  picture: 'https://example.file.force.com/profilephoto/005/F',
}

const client = { clientId: 'the-client-id', clientSecret: 'the-client-secret' }

async function setUp(changes: object = {}) {
  const issuer = await testIssuer('https://login.salesforce.com')
  Object.assign(issuer, { claims, userinfo: { ...userinfo, ...changes } })
  const provider = salesforce({ ...client, [customFetch]: issuer.fetch })
  const accounts: Account[] = []
  const signIn = ({ account }: { account: Account }) => accounts.push(account) > 0
  const browser = new Browser(configWith({ providers: [provider], callbacks: { signIn } }))
  await signInAt(browser, 'salesforce')
  return { accounts, user: (await browser.session())?.user }
}

test('signs in, and takes the address that is verified', async () => {
  const { accounts, user } = await setUp()
  expect(user).toMatchObject({
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    emailVerified: true,
    image: userinfo.picture,
  })
  expect(accounts[0]?.providerAccountId).toBe('005x00000012Q9PAAU')
})

test('an address that is not verified is left out', async () => {
  const { user } = await setUp({ email_verified: false })
  expect(user).toMatchObject({ name: 'Ada Lovelace', email: null })
})
