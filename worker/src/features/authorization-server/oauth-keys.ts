import {
  deriveAccessKeys,
  type TokenKeyPair,
  type TokenSigningKey,
  type TokenVerifyKeys,
} from '@latchkey/session/issue'
import { InvalidConfiguration } from '../../errors.js'
import type { AuthRequest } from '../../http/request.js'
import type { SigningAlg } from './settings.js'

/** The key that signs access or ID tokens now. @throws {InvalidConfiguration} */
export async function signingKey(request: AuthRequest, alg: SigningAlg): Promise<TokenSigningKey> {
  if (alg === 'RS256') throw new InvalidConfiguration('RS256 is not there yet.')
  const [first] = await pairsOf(request, alg)
  return first
}

/** The keys of access and ID tokens that are valid, for each secret in use. */
export async function verifyKeys(request: AuthRequest): Promise<TokenVerifyKeys> {
  const pairs = await Promise.all([pairsOf(request, 'EdDSA'), pairsOf(request, 'ES256')])
  return new Map(pairs.flat().map((pair) => [pair.kid, pair]))
}

function pairsOf(
  { keys }: AuthRequest,
  alg: 'EdDSA' | 'ES256',
): Promise<readonly [TokenKeyPair, ...TokenKeyPair[]]> {
  return keys.derived(`oauth ${alg}`, (secrets) => deriveAccessKeys(secrets, alg))
}
