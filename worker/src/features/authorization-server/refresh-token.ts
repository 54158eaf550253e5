import type { AuthRequest } from '../../http/request.js'
import { type Grant, type Uses, usesIn } from './grant-document.js'
import { createStableSealer, type StableSealer } from './stable-seal.js'

/** Raised when older versions would misread a token. */
const VERSION = 1

/** The longest that is looked at, in characters. */
const MAX_LENGTH = 8_192

/** How long a used one still gives its successor, and for how long uses are remembered. Seconds. */
export const GRACE = 30

/**
 * What a refresh token holds: all that its refresh needs to know before it asks the ledger. No part of it is a
 * secret of the app; as a whole it proves that this service has issued it.
 */
export interface RefreshToken
  extends Pick<
    Grant,
    'sub' | 'handle' | 'app' | 'resource' | 'scopes' | 'began' | 'sid' | 'sexp' | 'version' | 'uses'
  > {}

/** What seals refresh tokens, and names the keys. */
export function refreshSealer({ keys }: AuthRequest): Promise<StableSealer> {
  return keys.derived('refresh', (secrets) => createStableSealer(secrets, 'refresh'))
}

/**
 * The refresh token of one version of a grant (RFC 6749, 1.5). It follows from the grant, the version, its uses and the key
 * that the newest of them names, so all that refresh at once get the same one, to the letter.
 *
 * @returns `undefined`: this isolate lacks the secret that another one has
 */
export async function sealRefreshToken(
  request: AuthRequest,
  { sub, handle, app, resource, scopes, began, sid, sexp, version, uses }: RefreshToken,
): Promise<string | undefined> {
  const used = uses.map(({ at, key }) => [at, key])
  const scope = scopes.join(' ')
  const content = [VERSION, sub, handle, version, resource, scope, began, sid ?? null, sexp, used]
  const sealer = await refreshSealer(request)
  return sealer.seal(JSON.stringify(content), boundTo(request, app), uses[0].key)
}

/**
 * Reads a refresh token.
 *
 * @returns `undefined`: it is made up, another app's or another issuer's, or was sealed with a secret that is no longer in use
 */
export async function openRefreshToken(
  request: AuthRequest,
  app: string,
  text: string,
): Promise<RefreshToken | undefined> {
  if (text.length > MAX_LENGTH) return undefined
  const opened = await (await refreshSealer(request)).open(text, boundTo(request, app))
  if (!opened) return undefined
  const [v, sub, handle, version, resource, scope, began, sid, sexp, used] = JSON.parse(opened.text)
  const uses = usesIn(used)
  if (v !== VERSION || !uses) return undefined
  const scopes = scope === '' ? [] : scope.split(' ')
  return { sub, handle, app, resource, scopes, began, sid: sid ?? undefined, sexp, version, uses }
}

/** The uses once there is one more: those of the last 30 seconds, and at least that one. */
export function usesWith(uses: Uses, use: Uses[0]): Uses {
  const isPast = uses.findIndex(({ at }) => use.at - at > GRACE)
  return [use, ...(isPast < 0 ? uses : uses.slice(0, isPast))]
}

/** Without these it does not open: a token of another app is as good as a made-up one. */
function boundTo({ issuer }: AuthRequest, app: string): readonly string[] {
  return [issuer, app]
}
