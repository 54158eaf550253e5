import { expect, test } from 'vitest'
import { OPENID_PRESETS, rowIssuer, rowSignIn } from '../test-support/openid-presets.js'

const { auth0 } = OPENID_PRESETS

test('the issuer may be given with the slash with which Auth0 writes it', async () => {
  const { user } = await rowSignIn({ ...auth0, ownIssuer: auth0.issuer })
  expect(user).toMatchObject(auth0.user)
})

test('asks for an audience, beside the standard scopes', async () => {
  const params = { audience: 'https://api.example.com' }
  const { browser } = await rowIssuer(auth0, { options: { authorization: { params } } })
  const { searchParams } = await browser.start('auth0')
  expect(Object.fromEntries(searchParams)).toMatchObject({ ...params, ...auth0.asks })
})
