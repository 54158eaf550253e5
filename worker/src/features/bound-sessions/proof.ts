import { compactVerify } from 'jose'
import { objectIn } from '../../http/read-jwt.js'
import type { AuthRequest } from '../../http/request.js'
import { warnRarely } from '../../http/warn-rarely.js'
import { algOf, type BrowserKey } from './browser-key.js'

/** Why a proof is refused, for the log. */
export type ProofFault = 'form' | 'size' | 'algorithm' | 'key' | 'signature'

/** A proof of a browser, before its signature was checked. */
export interface Proof {
  readonly text: string
  readonly alg: string | undefined
  /** The key that a registration brings. */
  readonly jwk: unknown
  /** The challenge that it answers. */
  readonly jti: string | undefined
  /** The fault that it has with any key. */
  readonly fault: ProofFault | undefined
}

const COMPACT = /^([\w-]+)\.([\w-]+)\.[\w-]+$/

/** Reads a proof: a JWT of `typ` `dbsc+jwt`, whose claims but for `jti` do not count (DBSC, "DBSC proofs"). */
export function readProof(text: string): Proof {
  const [, first = '', second = ''] = COMPACT.exec(text) ?? []
  const { typ, alg, jwk, crit } = objectIn(first) ?? {}
  const { jti } = objectIn(second) ?? {}
  const isForm = typ === 'dbsc+jwt' && crit === undefined && typeof jti === 'string'
  const isAlgorithm = alg === 'ES256' || alg === 'RS256'
  return {
    text,
    alg: isAlgorithm ? alg : undefined,
    jwk,
    jti: typeof jti === 'string' ? jti : undefined,
    fault: !isForm ? 'form' : isAlgorithm ? undefined : 'algorithm',
  }
}

/** The fault of a proof, by the key that must have signed it; `undefined`: it is good. */
export async function faultOf(
  { text, alg, fault }: Proof,
  key: BrowserKey,
): Promise<ProofFault | undefined> {
  if (fault) return fault
  if (alg !== algOf(key)) return 'algorithm'
  // The platform takes no point that is not on the curve.
  return compactVerify(text, { ...key }, { algorithms: [alg] }).then(
    () => undefined,
    ({ code }) => (code === 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED' ? 'signature' : 'key'),
  )
}

/** Says in the log why a proof was refused. Nobody else hears it. */
export function warnOf(request: AuthRequest, fault: ProofFault): Promise<void> {
  return warnRarely(request, 'bound-proof-refused', fault)
}
