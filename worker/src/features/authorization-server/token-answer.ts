import { ACCESS_TOKEN_LIFE } from '@latchkey/session/issue'
import { StoreUnavailable } from '../../errors.js'
import type { Outcome } from '../../http/outcome.js'
import type { AuthRequest } from '../../http/request.js'
import type { Grant } from './grant.js'
import { sealRefreshToken } from './refresh-token.js'
import type { App, SigningAlg } from './settings.js'
import { accessToken, type Granted, type Identity, idToken, standingScopes } from './tokens.js'

/** Neither tokens nor their refusals are kept (RFC 6749, 5.1). */
export const NO_STORE = { 'cache-control': 'no-store' } as const

/** The answer to the code, or the device code, that began a grant. */
export async function answerGrant(
  request: AuthRequest,
  app: App,
  alg: SigningAlg,
  identity: Identity,
  grant: Grant,
): Promise<Outcome> {
  const refreshToken = await sealRefreshToken(request, grant)
  if (refreshToken === undefined) {
    throw new StoreUnavailable('A grant was begun with a secret that is not known here.')
  }
  const isOpenId = grant.scopes.includes('openid')
  return answerTokens(request, alg, grant, {
    refresh_token: refreshToken,
    ...(isOpenId ? { id_token: await idToken(request, app, identity) } : {}),
  })
}

/**
 * The successful answer of the token endpoint (RFC 6749, 5.1).
 *
 * @param granted with the scopes of the access token
 */
export async function answerTokens(
  request: AuthRequest,
  alg: SigningAlg,
  granted: Grant & Pick<Granted, 'staleUntil'>,
  more: Readonly<Record<string, string>>,
): Promise<Outcome> {
  const scopes = standingScopes(request, granted)
  return json({
    access_token: await accessToken(request, { ...granted, scopes }, alg),
    token_type: 'Bearer',
    expires_in: ACCESS_TOKEN_LIFE,
    ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
    ...more,
  })
}

function json(body: object): Outcome {
  return { kind: 'json', body, headers: NO_STORE }
}
