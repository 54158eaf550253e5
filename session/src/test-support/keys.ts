import { base64url } from 'jose'
import type { SessionClaims } from '../token/claims.js'
import { type RefusalReason, standing } from '../token/claims.js'
import { deriveSessionKeys, type SigningKey } from '../token/keys.js'
import type { SessionReading } from '../verifier/reading.js'
import { SessionTokenVerifier } from '../verifier/session-token-verifier.js'

export const ISSUER = 'https://example.com/auth'
/** The tests' clock, in seconds. */
export const NOW = 1_800_000_000
export const SECRET = 'secret-of-the-tests-0123456789abcdef'

export const keys = await deriveSessionKeys([SECRET])

export const header = { alg: 'EdDSA', typ: 'session+jwt', kid: keys.signing.kid } as const

export const claims: SessionClaims = {
  iss: ISSUER,
  sub: 'user-1',
  sid: 'AAECAwQFBgcICQoLDA0ODw',
  iat: NOW - 10,
  exp: NOW + 290,
  auth_time: NOW - 3_600,
  sexp: NOW + 86_400,
  amr: ['videoapp'],
  session: { user: { id: 'user-1', name: 'Ann', email: null, image: null } },
}

/** The parts of a token: values become JSON, text and bytes are taken unchanged. */
export interface Parts {
  header?: unknown
  payload?: unknown
  key?: SigningKey
}

/** A token with a good signature over any header and payload: the worst that a genuine key signs. */
export async function forge(parts: Parts = {}): Promise<string> {
  const { privateKey } = parts.key ?? keys.signing
  const payload = 'payload' in parts ? parts.payload : claims
  const input = `${encode(parts.header ?? header)}.${encode(payload)}`
  const signature = await crypto.subtle.sign('Ed25519', privateKey, new TextEncoder().encode(input))
  return `${input}.${base64url.encode(new Uint8Array(signature))}`
}

export function encode(part: unknown): string {
  if (part instanceof Uint8Array) return base64url.encode(part)
  return base64url.encode(typeof part === 'string' ? part : JSON.stringify(part))
}

/** A verifier with a clock that stands still, or that `clock.now` moves, in seconds. */
export function verifierAt(clock = { now: NOW }, verify = keys.verify): SessionTokenVerifier {
  return new SessionTokenVerifier({ keys: verify, now: () => clock.now * 1000 })
}

/**
 * The verdict of a verifier on a token: `live`, `expired`, or the reason of the refusal. @param now
 * seconds
 */
export function stateOf(reading: SessionReading | RefusalReason | undefined, now = NOW): string {
  if (reading === undefined) return 'unknown'
  return typeof reading === 'string' ? reading : standing(reading.claims, now)
}

/** The verdict of a new verifier on a token. */
export async function fate(token: string, issuer: string | undefined = ISSUER): Promise<string> {
  return stateOf(await verifierAt().verify(token, issuer))
}

/** Numbers that look random and are the same on every run (mulberry32); from 0 up to `below`. */
export function seeded(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}
