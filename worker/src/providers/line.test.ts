import { SignJWT } from 'jose'
import { expect, test } from 'vitest'
import { customFetch } from '../lib/symbols.js'
import { Browser, configWith, errorOf, signInAt } from '../test-support/browser.js'
import { testIssuer } from '../test-support/issuer.js'
import line from './line.js'

const secret = 'a1b2c3d4e5f60718293a4b5c6d7e8f90'

/** As LINE signs them for a web app. */
const claims = {
  sub: 'U1234567890abcdef1234567890abcdef',
  amr: ['pwd'],
  name: 'Taro Line',
  picture: 'https://sample_line.me/aBcdefg123456',
  email: 'taro.line@example.com',
}

async function signInWith(key: string, alg = 'HS256') {
  const issuer = await testIssuer('https://access.line.me', { alg: 'ES256' })
  issuer.claims = claims
  issuer.sign = (all) =>
    new SignJWT(all)
      .setProtectedHeader({ typ: 'JWT', alg } as never)
      .sign(alg === 'HS256' ? new TextEncoder().encode(key) : issuer.privateKey())
  const client = { clientId: 'the-client-id', clientSecret: secret }
  const browser = new Browser(
    configWith({ providers: [line({ ...client, [customFetch]: issuer.fetch })] }),
  )
  const answer = await signInAt(browser, 'line')
  return { answer, user: (await browser.session())?.user }
}

test('signs in by an ID token that the channel’s secret has signed', async () => {
  const { user } = await signInWith(secret)
  expect(user).toMatchObject({ name: 'Taro Line', email: claims.email })
  expect(user).not.toHaveProperty('emailVerified')
})

test.each<[string, string, string?]>([
  ['by another secret', 'x'.repeat(32)],
  ['by another algorithm', secret, 'ES256'],
])('a token that was signed %s signs nobody in', async (_, key, alg) => {
  const { answer, user } = await signInWith(key, alg)
  expect(errorOf(answer)).toBe('/auth/signin OAuthCallbackError')
  expect(user).toBeUndefined()
})
