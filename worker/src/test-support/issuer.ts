import {
  exportJWK,
  type GenerateKeyPairResult,
  generateKeyPair,
  type JWTPayload,
  SignJWT,
} from 'jose'
import { encodeBase64Url } from '../lib/base64url.js'
import { customFetch } from '../lib/symbols.js'
import type { OIDCConfig } from '../types.js'

/** The answers and tokens of an issuer under test; every member can be changed between requests. */
export interface TestIssuer {
  readonly issuer: string
  /** For a provider's `[customFetch]`. */
  readonly fetch: typeof fetch
  /** Every request that was seen, oldest first. */
  readonly requests: Request[]
  /** Changes of the ID token's claims; `undefined` removes one. */
  claims: Record<string, unknown>
  /** Changes of the ID token's header. */
  header: Record<string, unknown>
  /** Changes of the discovery document. */
  metadata: Record<string, unknown>
  /** Changes of the token answer. */
  tokens: Record<string, unknown>
  /** The user-info answer; `undefined`: there is no such endpoint. */
  userinfo: Record<string, unknown> | undefined
  /** Replaces an endpoint's answer, by the last part of its path. */
  answers: Record<string, () => Response | Promise<Response>>
  /** Replaces the function that makes the ID token of its claims. */
  sign: ((claims: JWTPayload) => Promise<string>) | undefined
  /** New keys with new ids; the old ones are gone. */
  rotate(): Promise<void>
  /** The discovery document as it is now. */
  document(): Record<string, unknown>
  /** The keys as the issuer publishes them. */
  jwks(): { keys: object[] }
  privateKey(): CryptoKey
}

const keyPairs = new Map<string, GenerateKeyPairResult[]>()
let turn = 0

/**
 * Pairs of RSA take long to make: issuers take turns with a few. One that rotates gets another one, and issuers that
 * meet in a test have different ones.
 */
async function nextKeyPair(alg: string): Promise<GenerateKeyPairResult> {
  const made = keyPairs.get(alg) ?? []
  keyPairs.set(alg, made)
  const at = turn++ % 8
  made[at] ??= await generateKeyPair(alg, { extractable: true })
  return made[at]
}

/** An OpenID provider without a network: RFC 6749 and OpenID Connect, as far as a client sees it. */
export async function testIssuer(
  issuer = 'https://issuer.example',
  { alg = 'RS256', clientId = 'the-client-id' } = {},
): Promise<TestIssuer> {
  let serial = 0
  let keys: { kid: string; privateKey: CryptoKey; jwk: object }
  const rotate = async () => {
    const { publicKey, privateKey } = await nextKeyPair(alg)
    const kid = `key-${++serial}`
    keys = { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, use: 'sig', alg } }
  }
  await rotate()
  const base = issuer.replace(/\/$/, '')
  const it: TestIssuer = {
    issuer,
    fetch: async (input, init) => {
      const request = new Request(input as string, init as RequestInit)
      it.requests.push(request.clone() as Request)
      return answer(request)
    },
    requests: [],
    claims: {},
    header: {},
    metadata: {},
    tokens: {},
    userinfo: undefined,
    answers: {},
    sign: undefined,
    rotate,
    document: () => defined(document()),
    jwks: () => ({ keys: [keys.jwk] }),
    privateKey: () => keys.privateKey,
  }

  async function answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url)
    const name = pathname.split('/').at(-1) as string
    const changed = it.answers[name]
    if (changed) return changed()
    if (name === 'openid-configuration') return Response.json(it.document())
    if (name === 'keys') return Response.json(it.jwks())
    if (name === 'userinfo') return Response.json(it.userinfo)
    if (name === 'revoke') return new Response(null)
    return Response.json(defined({ ...(await tokens(request)), ...it.tokens }))
  }

  function document(): Record<string, unknown> {
    return {
      issuer,
      authorization_endpoint: `${base}/authorize`,
      token_endpoint: `${base}/token`,
      jwks_uri: `${base}/keys`,
      revocation_endpoint: `${base}/revoke`,
      ...(it.userinfo ? { userinfo_endpoint: `${base}/userinfo` } : {}),
      id_token_signing_alg_values_supported: [alg],
      ...it.metadata,
    }
  }

  async function tokens(request: Request) {
    const body = new URLSearchParams(await request.text())
    const access_token = `access-token-${++serial}`
    // The code is `<nonce>`, so that the issuer needs no memory.
    const nonce = body.get('code')
    const now = Math.floor(Date.now() / 1000)
    const claims = defined({
      iss: issuer,
      aud: clientId,
      sub: 'ada',
      iat: now,
      exp: now + 300,
      nonce,
      at_hash: await atHash(access_token),
      ...it.claims,
    })
    const id_token = it.sign ? await it.sign(claims) : await signed(claims)
    return { access_token, token_type: 'Bearer', expires_in: 3600, id_token }
  }

  function signed(claims: JWTPayload): Promise<string> {
    const header = defined({ alg, kid: keys.kid, ...it.header })
    return new SignJWT(claims).setProtectedHeader(header as never).sign(keys.privateKey)
  }

  async function atHash(token: string): Promise<string> {
    const hash = `SHA-${/(?:256|384|512)$/.exec(alg)?.[0] ?? '512'}`
    const digest = await crypto.subtle.digest(hash, new TextEncoder().encode(token))
    return encodeBase64Url(new Uint8Array(digest, 0, digest.byteLength / 2))
  }

  return it
}

/** A provider at a test issuer. */
export function providerAt(it: TestIssuer, options: Partial<OIDCConfig> = {}): OIDCConfig {
  return {
    id: 'test',
    name: 'Test',
    type: 'oidc',
    issuer: it.issuer,
    clientId: 'the-client-id',
    clientSecret: 'the-client-secret-of-enough-length',
    [customFetch]: it.fetch,
    ...options,
  }
}

function defined<Members extends object>(members: Members): Members {
  const there = Object.entries(members).filter(([, value]) => value !== undefined)
  return Object.fromEntries(there) as Members
}
