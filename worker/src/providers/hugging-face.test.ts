import { expect, test } from 'vitest'
import { customFetch } from '../lib/symbols.js'
import { Browser, configWith, signInAt } from '../test-support/browser.js'
import { testIssuer } from '../test-support/issuer.js'
import type { Account } from '../types.js'
import huggingFace from './hugging-face.js'

const claims = { sub: '62f264b9f3c90f4b6514a269' }
const userinfo = {
  sub: claims.sub,
  name: 'Ada Lovelace',
  preferred_username: 'ada',
  profile: 'https://huggingface.co/ada',
  picture: 'https://cdn-avatars.huggingface.co/v1/1.png',
  email: 'ada@example.com',
  email_verified: true,
  isPro: false,
}

const client = { clientId: 'the-client-id', clientSecret: 'the-client-secret' }

async function setUp(changes: object = {}) {
  const issuer = await testIssuer('https://huggingface.co')
  Object.assign(issuer, { claims, userinfo: { ...userinfo, ...changes } })
  const provider = huggingFace({ ...client, [customFetch]: issuer.fetch })
  const accounts: Account[] = []
  const signIn = ({ account }: { account: Account }) => accounts.push(account) > 0
  const browser = new Browser(configWith({ providers: [provider], callbacks: { signIn } }))
  await signInAt(browser, 'hugging-face')
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
  expect(accounts[0]?.providerAccountId).toBe(claims.sub)
})

test('an address that is not verified is left out', async () => {
  const { user } = await setUp({ email_verified: false })
  expect(user).toMatchObject({ name: 'Ada Lovelace', email: null })
})
