import { readIdToken } from '@latchkey/session/issue'
import type { AuthRequest } from '../../http/request.js'
import { verifyKeys } from './oauth-keys.js'

/** What an ID token of this service says, however old it is (OpenID Connect Core, 3.1.2.1, `id_token_hint`). */
export interface Hint {
  readonly sub: string
  /** The app that has it. */
  readonly app: string
  /** The session in which the person decided. */
  readonly sid: string | undefined
}

/** @returns `undefined`: this service has not issued it as an ID token */
export async function readHint(request: AuthRequest, token: string): Promise<Hint | undefined> {
  const claims = await readIdToken(token, await verifyKeys(request))
  if (typeof claims === 'string') return undefined
  const { iss, sub, aud, sid } = claims
  if (iss !== request.issuer || typeof sub !== 'string' || typeof aud !== 'string') return undefined
  return { sub, app: aud, sid: typeof sid === 'string' ? sid : undefined }
}
