import { isRecord } from '@latchkey/session/internal'
import {
  deriveAccessKeys,
  deriveBytes,
  exportTokenJwks,
  publishTokenKey,
  type TokenAlg,
  type TokenKeyPair,
  type TokenSigningKey,
  type TokenVerifyKeys,
} from '@latchkey/session/issue'
import { DamagedRecord, StoreUnavailable } from '../../errors.js'
import type { AuthRequest } from '../../http/request.js'
import { encodeBase64Url } from '../../lib/base64url.js'
import { createSealer, type Sealer } from '../../lib/seal.js'
import { changeDocument, readDocument } from '../../person/documents.js'
import type { LedgerDocument } from '../../stores/ledger/types.js'
import { serverOf } from './settings.js'

/**
 * The key that signs access and ID tokens: that of the first secret. Ed25519 and P-256 follow from the secret. RSA is
 * made at its first use, and kept sealed in the ledger.
 *
 * @throws {StoreUnavailable} for `RS256`
 */
export async function signingKey(request: AuthRequest, alg: TokenAlg): Promise<TokenSigningKey> {
  if (alg !== 'RS256') return (await derivedKeys(request))[alg][0]
  const [first] = await rsaSeals(request)
  return (first && knownKeys(request).get(first.id)?.pair) ?? makeRsa(request, first as RsaSeal)
}

/**
 * The keys of every secret in use by their `kid`: one that signed verifies until its secret is taken out.
 *
 * @throws {StoreUnavailable} if an app or a resource has `RS256`
 */
export async function verifyKeys(request: AuthRequest): Promise<TokenVerifyKeys> {
  return new Map((await allKeys(request)).map((key) => [key.kid, key]))
}

/** What `/oauth/jwks.json` answers (RFC 7517): public members alone. @throws {StoreUnavailable} as {@link verifyKeys} */
export async function publicJwks(request: AuthRequest): Promise<object> {
  return exportTokenJwks(await allKeys(request))
}

async function allKeys(request: AuthRequest): Promise<readonly TokenKeyPair[]> {
  const { EdDSA, ES256 } = await derivedKeys(request)
  const { idTokens, accessTokens } = serverOf(request).algs
  const hasRsa = [...idTokens, ...accessTokens].includes('RS256')
  return [...EdDSA, ...ES256, ...(hasRsa ? await rsaKeys(request) : [])]
}

function derivedKeys({ keys }: AuthRequest) {
  return keys.derived('access', async (secrets) => {
    const [EdDSA, ES256] = await Promise.all([
      deriveAccessKeys(secrets, 'EdDSA'),
      deriveAccessKeys(secrets, 'ES256'),
    ])
    return { EdDSA, ES256 }
  })
}

/** What keeps the RSA key of a secret: the name of its document, and what seals it. */
interface RsaSeal {
  readonly id: string
  readonly sealer: Sealer
}

function rsaSeals({ keys, config }: AuthRequest): Promise<readonly RsaSeal[]> {
  return keys.derived('rsa', (secrets) =>
    Promise.all(
      secrets.map(async (secret) => ({
        id: encodeBase64Url(await deriveBytes(secret, 'latchkey/oauth/rsa/key-id/v1', 16)),
        sealer: await createSealer([secret], 'oauth-rsa', config.now),
      })),
    ),
  )
}

/** A key of the ledger as this isolate has read it; without a pair: it was not there. Milliseconds since the epoch. */
interface Known {
  readonly pair?: TokenKeyPair
  readonly at: number
}

/** By the object that a ledger has for itself. Values, and no promises: the request that makes them may end in the middle. */
const known = new WeakMap<AuthRequest['revocations'], Map<string, Known>>()

/** An isolate whose first secret is another one may make its key meanwhile. Milliseconds. */
const LOOK_AGAIN = 60 * 1000

function knownKeys({ revocations }: AuthRequest): Map<string, Known> {
  const keys = known.get(revocations) ?? new Map()
  known.set(revocations, keys)
  return keys
}

/** The keys that the ledger has. That of the first secret is made if it is missing, so that verifiers know it before it signs. */
async function rsaKeys(request: AuthRequest): Promise<readonly TokenKeyPair[]> {
  const [first, ...others] = await rsaSeals(request)
  const keys = knownKeys(request)
  const now = request.config.now()
  const find = async (seal: RsaSeal) => {
    const entry = keys.get(seal.id)
    if (entry && (entry.pair || now - entry.at < LOOK_AGAIN)) return entry.pair
    return readRsa(request, seal, await readDocument(request, documentOf(seal)))
  }
  const [own, ...rest] = await Promise.all([
    keys.get(first?.id ?? '')?.pair ?? makeRsa(request, first as RsaSeal),
    ...others.map(find),
  ])
  return [own, ...rest.flatMap((pair) => pair ?? [])]
}

function documentOf({ id }: RsaSeal): string {
  return `rsa\n${id}`
}

/** How often the document is read again after a faster request. */
const TRIES = 5

/** The key of a secret, which the first of any number of requests writes. @throws {StoreUnavailable} */
async function makeRsa(request: AuthRequest, seal: RsaSeal): Promise<TokenKeyPair> {
  const key = documentOf(seal)
  let sealed: string | undefined
  for (let tries = 0; tries < TRIES; tries++) {
    const document = await readDocument(request, key)
    const pair = await readRsa(request, seal, document)
    if (pair) return pair
    sealed ??= await seal.sealer.seal({ jwk: await generate() }, Number.MAX_SAFE_INTEGER)
    // Read again either way: every isolate signs with the key in the ledger.
    await changeDocument(request, key, document?.version ?? 0, { sealed })
  }
  throw new StoreUnavailable('The RSA key is being changed all the time.')
}

async function generate(): Promise<JsonWebKey> {
  const algorithm = {
    ...{ name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
    ...{ modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) },
  }
  const { privateKey } = (await crypto.subtle.generateKey(algorithm, true, [
    'sign',
    'verify',
  ])) as CryptoKeyPair
  return (await crypto.subtle.exportKey('jwk', privateKey)) as JsonWebKey
}

/** @returns `undefined`: there is none yet @throws {DamagedRecord} */
async function readRsa(
  request: AuthRequest,
  { id, sealer }: RsaSeal,
  document: LedgerDocument | undefined,
): Promise<TokenKeyPair | undefined> {
  const keys = knownKeys(request)
  if (typeof document?.content !== 'string') {
    keys.set(id, { at: request.config.now() })
    return undefined
  }
  const jwk = (await sealer.open(sealedIn(document.content)))?.jwk
  if (!isRecord(jwk)) throw new DamagedRecord('The RSA key of the ledger cannot be read.')
  const pair = await importRsa(jwk as unknown as JsonWebKey)
  keys.set(id, { pair, at: request.config.now() })
  return pair
}

function sealedIn(content: string): string {
  try {
    return String(JSON.parse(content).sealed)
  } catch {
    return ''
  }
}

async function importRsa(jwk: JsonWebKey): Promise<TokenKeyPair> {
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
  const { kty, n, e } = jwk
  const [privateKey, publicKey] = await Promise.all([
    crypto.subtle.importKey('jwk', { ...jwk, key_ops: ['sign'] }, algorithm, false, ['sign']),
    crypto.subtle.importKey('jwk', { kty, n, e } as JsonWebKey, algorithm, true, ['verify']),
  ])
  return { ...(await publishTokenKey('RS256', publicKey)), privateKey }
}
