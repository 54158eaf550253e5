import { expect, test } from 'vitest'
import { Browser, configWith, errorOf, signInAt } from '../test-support/browser.js'
import { OPENID_PRESETS, rowIssuer, rowSignIn } from '../test-support/openid-presets.js'
import type { Callbacks } from '../types.js'

const { google } = OPENID_PRESETS

test('signs in by the ID token alone', async () => {
  const { issuer, user } = await rowSignIn(google, {
    prepare: (issuer) => {
      issuer.userinfo = { sub: google.claims.sub, name: 'From the user info' }
    },
  })
  expect(user).toMatchObject(google.user)
  expect(issuer.requests.map(({ url }) => new URL(url).pathname)).not.toContain('/userinfo')
})

test('asks for the standard scopes, and for what the options add', async () => {
  const params = { access_type: 'offline', prompt: 'consent', hd: 'example.com' }
  const { browser } = await rowIssuer(google, { options: { authorization: { params } } })
  const asked = Object.fromEntries((await browser.start('google')).searchParams)
  expect(asked).toMatchObject({ ...params, ...google.asks })
})

test.each([
  ['example.com', '/inbox'],
  [undefined, '/auth/error AccessDenied'],
  ['evil.example', '/auth/error AccessDenied'],
])(
  'hd taken out of the request: the callback sees that the account’s domain is %s',
  async (hd, end) => {
    const options = { authorization: { params: { hd: 'example.com' } } }
    const { provider } = await rowIssuer(google, { options, claims: { hd } })
    const signIn: Callbacks['signIn'] = ({ profile }) => profile?.hd === 'example.com'
    const browser = new Browser(configWith({ providers: [provider], callbacks: { signIn } }))
    expect(errorOf(await signInAt(browser, 'google'))).toBe(end)
  },
)
