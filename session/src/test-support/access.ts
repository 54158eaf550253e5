import { deriveAccessKeys, exportTokenJwks, publishTokenKey } from '../token/access-keys.js'
import { type AccessClaims, signAccessToken } from '../token/access-token.js'
import {
  type AccessVerifierOptions,
  createTokenVerifier,
  type ReadTokenOptions,
  type TokenVerifier,
} from '../verifier/create-token-verifier.js'
import { WorkerUnavailable } from '../verifier/worker-client.js'
import { encode, ISSUER, NOW, SECRET } from './keys.js'
import { worker } from './worker.js'

export const AUDIENCE = 'https://api.example.com/notes'

export const [eddsa] = await deriveAccessKeys([SECRET], 'EdDSA')
export const [es256] = await deriveAccessKeys([SECRET], 'ES256')
export const rs256 = await generateRsa()

/** The keys of all three kinds, as the service publishes them. */
export const accessJwks = exportTokenJwks([eddsa, es256, rs256])

export const accessClaims: AccessClaims = {
  iss: ISSUER,
  sub: 'user-1',
  aud: AUDIENCE,
  client_id: 'notes-app',
  iat: NOW - 10,
  exp: NOW + 290,
  jti: 'jti-AAECAwQFBgcICQoLDA',
  auth_time: NOW - 3_600,
  acr: '1',
  scope: 'notes:read notes:write',
  grant: 'grant-AAECAwQFBgcICQoLDA',
  began: NOW - 7_200,
  pid: 'pid-AAECAwQFBgcI',
  sid: 'sid-AAECAwQFBgcICQoLDA',
}

export const accessHeader = { alg: 'EdDSA', typ: 'at+jwt', kid: eddsa.kid } as const

/** The parts of an access token: values become JSON, text and bytes are taken unchanged. */
export interface AccessParts {
  header?: unknown
  payload?: unknown
}

/** A token with a good signature over any header and payload: the worst that a genuine key signs. */
export async function forgeAccess({
  header = accessHeader,
  payload = accessClaims,
}: AccessParts = {}): Promise<string> {
  const input = `${encode(header)}.${encode(payload)}`
  const signature = await crypto.subtle.sign(
    'Ed25519',
    eddsa.privateKey,
    new TextEncoder().encode(input),
  )
  return `${input}.${encode(new Uint8Array(signature))}`
}

/** A value of `Authorization` with a token of its own, which is a second old. */
export async function bearer(changes: Partial<AccessClaims> = {}, key = eddsa): Promise<string> {
  const { now } = worker.clock
  const times = { iat: now - 1, exp: now + 299, auth_time: now - 1, began: now - 1 }
  return `Bearer ${await signAccessToken({ ...accessClaims, ...times, ...changes }, key)}`
}

const verifiers: TokenVerifier[] = []

/** A verifier that has only the address and the clock of the service of the current test. */
export function tokenVerifier(options: Partial<AccessVerifierOptions> = {}): TokenVerifier {
  const verifier = createTokenVerifier({
    worker: ISSUER,
    audience: AUDIENCE,
    fetch: (url, init) => worker.fetch(String(url), init),
    now: () => worker.clock.now * 1000,
    onError: (error) => void worker.errors.push(error),
    ...options,
  })
  verifiers.push(verifier)
  return verifier
}

export function closeVerifiers(): void {
  for (const verifier of verifiers.splice(0)) verifier.close()
}

/** The result of a read: `live`, the reason of the refusal, or `503`. */
export async function tokenFate(
  verifier: TokenVerifier,
  authorization: string | null,
  needs?: ReadTokenOptions,
): Promise<string> {
  try {
    const { refusal } = await verifier.read(authorization, needs)
    return refusal?.reason ?? 'live'
  } catch (error) {
    return error instanceof WorkerUnavailable ? '503' : String(error)
  }
}

async function generateRsa() {
  const algorithm = {
    name: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-256',
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
  }
  const { privateKey, publicKey } = (await crypto.subtle.generateKey(algorithm, true, [
    'sign',
    'verify',
  ])) as CryptoKeyPair
  return { ...(await publishTokenKey('RS256', publicKey)), privateKey }
}
