import { createTokenVerifier } from '@latchkey/session'
import { expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { createAuth } from '../../core.js'
import { refreshClaimsOf } from '../../session/refresh-claims.js'
import { memoryStore } from '../../stores/memory.js'
import { Browser, claimsIn, configWith } from '../../test-support/browser.js'
import { claimsOf, issuer, oauthIsolate, resource } from '../../test-support/oauth.js'
import { accountsAt } from '../../test-support/people.js'
import { account } from '../account/index.js'
import { people } from '../people/index.js'
import { authorizationServer } from './index.js'

const { pass } = clock()

it('a refresh of claims: the old access token is refused, and a client that refreshes in the same second goes on', async () => {
  const one = oauthIsolate()
  const { accessToken, refreshToken } = await one.grant()
  const fetch = (url: unknown, init?: RequestInit) => one.answer(new Request(String(url), init))
  const verifier = createTokenVerifier({ worker: { fetch }, issuer, audience: resource })
  const fateOf = async (token: string) =>
    (await verifier.read(`Bearer ${token}`)).refusal?.error ?? 'live'
  expect(await fateOf(accessToken)).toBe('live')
  pass(60)
  await one.within((request) => refreshClaimsOf(request, { sub: 'ada' }))
  const second = await one.refresh(refreshToken)
  pass(15)
  expect(await fateOf(accessToken)).toBe('invalid_token')
  expect(await fateOf(second.accessToken)).toBe('live')
  expect(claimsOf(second.accessToken).grant).toBe(claimsOf(accessToken).grant)
  verifier.close()
})

it('a refresh of claims: a key is exchanged again within the same request, and by its key_pid no end touches it', async () => {
  const server = authorizationServer({
    resources: { [resource]: { name: 'Notes API', scopes: { 'notes:read': 'Read your notes' } } },
    keys: { prefix: 'acme' },
  })
  const config = configWith({
    store: memoryStore(),
    providers: [accountsAt('one')],
    features: [account, people, server],
    logger: { error() {}, warn() {}, info() {} },
  })
  const auth = createAuth(config)
  const ada = new Browser(config, { answer: (request) => auth.fetch(request) })
  await ada.signIn('one', 'ada')
  const made = await ada.submit(
    '/auth/keys/create',
    { name: 'CI', scope: 'notes:read' },
    { 'x-auth-return-redirect': '1' },
  )
  const { key } = (await made.json()) as { key: string }
  const asked: string[] = []
  const fetch = (url: unknown, init?: RequestInit) => {
    asked.push(String(url))
    return auth.fetch(new Request(String(url), init))
  }
  const verifier = createTokenVerifier({ worker: { fetch }, issuer, audience: resource })
  const read = async () => (await verifier.read(`Bearer ${key}`)).token?.claims
  const first = await read()
  const { pid, sub } = claimsIn(ada)
  expect(first).toMatchObject({ key_pid: pid, sub })
  expect(first).not.toHaveProperty('pid')
  pass(60)
  await auth.refreshClaims({ sub }, {})
  pass(15)
  asked.length = 0
  const second = await read()
  expect(second?.jti).not.toBe(first?.jti)
  expect((await read())?.jti).toBe(second?.jti)
  expect(asked.filter((url) => url.endsWith('/oauth/token'))).toHaveLength(1)
  await auth.endSessions({ sub }, {})
  pass(15)
  expect((await read())?.jti).toBe(second?.jti)
  verifier.close()
})
