import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTokenVerifier } from '@latchkey/session'
import {
  type AccessClaims,
  deriveAccessKeys,
  exportTokenJwks,
  publishTokenKey,
  signAccessToken,
  signIdToken,
  type TokenSigningKey,
} from '@latchkey/session/issue'
import { mintAccessToken } from '@latchkey/session/testing'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { rootDir } from '../../scripts/wrangler-dev.ts'
import { examplesIn } from '../support/example-below.ts'

/** The examples of docs/access-tokens.md, run unchanged. */
const exampleBelow = examplesIn('access-tokens')

const page = readFileSync(join(rootDir, 'docs', 'access-tokens.md'), 'utf8')

/** The block of code behind a line of the page. */
function block(after: string): string {
  const [, code] = page.split(`\n${after}\n\n\`\`\``)
  const [text = ''] = code?.split('\n```') ?? []
  return text.slice(text.indexOf('\n') + 1)
}

const SECRET = 'a-secret-of-the-page-tests-0123456789ab'
const issuer = 'https://example.com/auth'
const audience = 'https://api.example.com/'
const [eddsa] = await deriveAccessKeys([SECRET], 'EdDSA')
const [es256] = await deriveAccessKeys([SECRET], 'ES256')
const rsa = (await crypto.subtle.generateKey(
  {
    name: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-256',
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
  },
  true,
  ['sign', 'verify'],
)) as CryptoKeyPair
const rs256 = { ...(await publishTokenKey('RS256', rsa.publicKey)), privateKey: rsa.privateKey }

beforeEach(() => {
  vi.stubGlobal('fetch', async (input: string | URL | Request) => {
    const address = String(input instanceof Request ? input.url : input)
    if (address === `${issuer}/oauth/jwks.json`) {
      return Response.json(exportTokenJwks([eddsa, es256, rs256]))
    }
    return new Response('', { status: 404 })
  })
})
afterEach(() => vi.unstubAllGlobals())

async function claimsOf(changes: object = {}): Promise<AccessClaims> {
  const { claims } = await mintAccessToken({
    secret: SECRET,
    issuer,
    audience,
    scope: 'notes:read',
  })
  return { ...claims, ...changes }
}

describe('the example with jose alone', () => {
  const read = async (token: string) => {
    const { readToken } = await exampleBelow<{
      readToken(authorization: string): Promise<{ sub?: string }>
    }>('With jose alone')
    return readToken(`Bearer ${token}`)
  }

  test.each<[string, TokenSigningKey]>([
    ['EdDSA', eddsa],
    ['ES256', es256],
    ['RS256', rs256],
  ])('reads a token by %s', async (_, key) => {
    const token = await signAccessToken(await claimsOf(), key)
    expect((await read(token)).sub).toBe('test-user')
  })

  test.each<[string, () => Promise<string>]>([
    ['for another audience', async () => signAccessToken(await claimsOf({ aud: issuer }), eddsa)],
    ['for two', async () => signAccessToken(await claimsOf({ aud: [audience, issuer] }), eddsa)],
    ['of another issuer', async () => signAccessToken(await claimsOf({ iss: audience }), eddsa)],
    ['that has ended', async () => signAccessToken(await claimsOf({ exp: 1_700_000_000 }), eddsa)],
    ['that lives long', async () => signAccessToken(await claimsOf({ exp: 4_000_000_000 }), eddsa)],
    ['that is an ID token', async () => signIdToken(await claimsOf(), eddsa)],
    [
      'of another key',
      async () => (await mintAccessToken({ secret: SECRET.toUpperCase(), issuer, audience })).token,
    ],
  ])('refuses one %s', async (_, make) => {
    await expect(read(await make())).rejects.toThrow()
  })
})

test('the examples of the package answer a request without a token', async () => {
  const notes = await exampleBelow<{ readNotes(request: Request): Promise<Response> }>(
    'Anywhere else',
  )
  const answer = await notes.readNotes(new Request(audience))
  expect(answer.headers.get('www-authenticate')).toBe('Bearer scope="notes:read"')
  const mcp = await exampleBelow<{ serve(request: Request): Promise<Response> }>('An MCP server')
  const refused = await mcp.serve(new Request('https://example.com/mcp', { method: 'POST' }))
  expect(refused.headers.get('www-authenticate')).toContain(
    'resource_metadata="https://example.com/.well-known/oauth-protected-resource/mcp"',
  )
})

describe('the test vector', () => {
  const secret = block('secret')
  const payload = JSON.parse(block('payload')) as AccessClaims

  test('has the keys that we derive and the token that we sign', async () => {
    const [key] = await deriveAccessKeys([secret], 'EdDSA')
    const [other] = await deriveAccessKeys([secret], 'ES256')
    expect(JSON.stringify(key.jwk)).toBe(block('public key for EdDSA'))
    expect(JSON.stringify(other.jwk)).toBe(block('public key for ES256'))
    expect(await signAccessToken(payload, key)).toBe(block('token'))
  })

  test('verifies with the public keys alone', async () => {
    const keys = ['EdDSA', 'ES256'].map((alg) => JSON.parse(block(`public key for ${alg}`)))
    const verifier = createTokenVerifier({
      publicKeys: { keys },
      issuer: payload.iss,
      audience: payload.aud,
      now: () => payload.iat * 1000,
    })
    const { token } = await verifier.read(`Bearer ${block('token')}`)
    expect(token?.claims).toEqual(payload)
  })
})
