import { signLogoutToken } from '@latchkey/session/issue'
import { type AuthRequest, nowInSeconds } from '../../../http/request.js'
import { randomToken } from '../../../lib/base64url.js'
import { signingKey } from '../oauth-keys.js'
import type { App } from '../settings.js'
import type { EndedAtApp } from './outbox.js'

/** The member of `events` by which a receiver knows a logout token (OpenID Connect Back-Channel Logout 1.0, 2.4). */
const EVENT = 'http://schemas.openid.net/event/backchannel-logout'

/** Clocks may differ by less than this, and a token that leaks is soon of no use. Seconds. */
const LIFE = 120

/**
 * Says to an app that a session is over which an ID token of the app has named. It is made for each try, since a receiver may refuse
 * an old one.
 *
 * @throws {StoreUnavailable} for an app with `RS256`
 */
export async function logoutToken(
  request: AuthRequest,
  { id, alg }: Pick<App, 'id' | 'alg'>,
  sub: string,
  { iss, sid }: Pick<EndedAtApp, 'iss' | 'sid'>,
): Promise<string> {
  const iat = nowInSeconds(request)
  const times = { iat, exp: iat + LIFE, jti: randomToken(16) }
  const claims = { iss, sub, aud: id, ...times, events: { [EVENT]: {} }, sid }
  return signLogoutToken(claims, await signingKey(request, alg))
}
