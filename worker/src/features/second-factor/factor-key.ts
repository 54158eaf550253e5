import { isRecord } from '@latchkey/session/internal'
import type { AuthRequest } from '../../http/request.js'
import { decodeBase64Url, encodeBase64Url } from '../../lib/base64url.js'
import type { PersonFactor } from './kept-factor.js'

/** It stays for as long as the factor. Seconds. */
const FOR_GOOD = Number.MAX_SAFE_INTEGER

export async function sealKey(request: AuthRequest, sub: string, key: Uint8Array): Promise<string> {
  const sealer = await request.keys.sealer('factor')
  return sealer.seal({ sub, key: encodeBase64Url(key) }, FOR_GOOD)
}

/** @returns `undefined` if it was sealed with a secret that is no longer in use, or for another person */
export async function openKey(
  request: AuthRequest,
  sub: string,
  { sealed }: PersonFactor,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const sealer = await request.keys.sealer('factor')
  const content = await sealer.open(sealed)
  const isTheirs = isRecord(content) && content.sub === sub && typeof content.key === 'string'
  return isTheirs ? decodeBase64Url(content.key as string) : undefined
}
