import { type AuthConfig, createAuth } from '@latchkey/worker'
import { authorizationServer } from '@latchkey/worker/features/authorization-server'
import { createLocalJWKSet } from 'jose'
import { expect, test } from 'vitest'
import { bindings } from './support.ts'

const { SESSIONS, LEDGER } = bindings
const env = { SESSIONS, LEDGER, AUTH_SECRET: 'the-secret-of-an-authorization-server-0123' }

/** A new isolate of the same deployment. */
function isolate() {
  const spa = { redirectUris: ['https://spa.example.com/cb'], alg: 'RS256' } as const
  const config: AuthConfig = {
    basePath: '/auth',
    providers: [],
    features: [authorizationServer({ apps: { spa } })],
    logger: { error() {} },
  }
  const auth = createAuth(() => ({ ...config }))
  return async () => {
    const answer = await auth.request('http://localhost/auth/oauth/jwks.json', {}, env as never)
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([
      200,
      'public, max-age=300',
    ])
    return (await answer.json()) as { keys: { alg: string; kid: string; n?: string }[] }
  }
}

test('isolates that make an RSA key at once publish the same one, beside those that follow from the secret', async () => {
  const all = await Promise.all([isolate()(), isolate()(), isolate()()])
  const [first] = all
  expect(first?.keys.map(({ alg }) => alg)).toEqual(['EdDSA', 'ES256', 'RS256'])
  for (const one of all) expect(one).toEqual(first)
  expect(await isolate()()).toEqual(first)
  expect(() => createLocalJWKSet(first as never)).not.toThrow()
})
