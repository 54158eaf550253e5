import { createSandbox, defaultClient } from '@latchkey/sandbox'
import { expect, it } from 'vitest'
import { customFetch } from '../../lib/symbols.js'
import videoapp from '../../providers/videoapp.js'
import { Browser, configWith, signInAt } from '../../test-support/browser.js'
import { providerAt, testIssuer } from '../../test-support/issuer.js'
import type { Callbacks } from '../../types.js'

it('a sign-out revokes the access token of the video app, by client_key, and the whole grant ends', async () => {
  const sandbox = createSandbox()
  const bodies: URLSearchParams[] = []
  const provider = videoapp({
    clientId: defaultClient.clientKey,
    clientSecret: defaultClient.clientSecret,
    revokeOnSignOut: true,
    [customFetch]: async (input, init) => {
      bodies.push(new URLSearchParams(String((init as RequestInit).body)))
      return sandbox.request(input as string, init)
    },
  })
  const tokens: unknown[] = []
  const jwt: Callbacks['jwt'] = ({ token, account }) => {
    tokens.push(account?.access_token)
    return token
  }
  const browser = new Browser(configWith({ providers: [provider], callbacks: { jwt } }))
  const consent = await browser.start('videoapp')
  const decision = { person: 'ada', decision: 'allow', scope: 'user.info.profile' }
  const body = new URLSearchParams(decision)
  const decided = await sandbox.request(consent.href, { method: 'POST', body })
  const back = new URL(decided.headers.get('location') ?? '')
  await browser.get(back.pathname + back.search)
  expect(tokens).toHaveLength(1)
  await browser.submit('/auth/signout')
  await expect.poll(() => sandbox.requests.at(-1)?.path).toBe('/v2/oauth/revoke/')
  expect(sandbox.requests.at(-1)).toMatchObject({ outcome: 'ok' })
  expect(Object.fromEntries(bodies.at(-1) ?? [])).toMatchObject({
    client_key: defaultClient.clientKey,
    client_secret: defaultClient.clientSecret,
    token: tokens[0],
  })
  const headers = { authorization: `Bearer ${tokens[0]}` }
  const info = await sandbox.request('/v2/user/info/?fields=open_id', { headers })
  expect(info.status).toBe(401)
})

it('a sign-out revokes the refresh token of an OpenID provider, at the endpoint that it names itself', async () => {
  const issuer = await testIssuer()
  issuer.tokens = { refresh_token: 'the-refresh-token' }
  const provider = providerAt(issuer, { revokeOnSignOut: true })
  const browser = new Browser(configWith({ providers: [provider] }))
  await signInAt(browser)
  await browser.submit('/auth/signout')
  await expect.poll(() => issuer.requests.at(-1)?.url).toBe(`${issuer.issuer}/revoke`)
  const sent = new URLSearchParams(await issuer.requests.at(-1)?.text())
  expect(sent.get('token')).toBe('the-refresh-token')
  expect(issuer.requests.at(-1)?.headers.get('authorization')).toMatch(/^Basic /)
})
