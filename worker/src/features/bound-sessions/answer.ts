import type { SessionClaims } from '@latchkey/session'
import { toSession } from '@latchkey/session/issue'
import { StoreUnavailable } from '../../errors.js'
import { attributesOf, ownCookieName } from '../../http/cookies.js'
import { json, type Outcome } from '../../http/outcome.js'
import type { AuthRequest } from '../../http/request.js'
import { emit } from '../../session/callbacks.js'
import { setSessionCookie } from '../../session/issue.js'
import { newChallenge } from './challenge.js'
import { setChallenge } from './headers.js'
import { nameOf } from './identifier.js'
import type { BoundRow } from './row.js'
import { settingsOf } from './settings.js'

/**
 * The answer to a good registration or proof: the cookie with the new token, the challenge of the next proof, and how the browser
 * renews the session (DBSC, "Session registration instructions").
 *
 * @param claims of the new token
 * @param row as it is now, and its version
 */
export async function boundAnswer(
  request: AuthRequest,
  identifier: string,
  claims: SessionClaims,
  row: BoundRow & { readonly version: number },
): Promise<Outcome> {
  await setSessionCookie(request, claims)
  const next = { name: nameOf(identifier), row, token: claims }
  setChallenge(request, await newChallenge(request, next, row.last), identifier)
  await emit(request, 'session', { session: toSession(claims) })
  const { config, origin } = request
  const { site, domain } = settingsOf(request)
  const isOfSite = site && domain !== undefined
  return json({
    session_identifier: identifier,
    refresh_url: `${config.basePath}/bound/refresh`,
    scope: {
      origin: isOfSite ? `https://${domain}` : origin,
      include_site: isOfSite,
      scope_specification: [],
    },
    credentials: credentialsOf(request),
    // Otherwise a link from another site comes without the cookie, and without a word.
    allowed_refresh_initiators: ['*'],
  })
}

/** The parts of the session cookie that this answer sets. */
function credentialsOf(request: AuthRequest) {
  const name = ownCookieName(request, 'sessionToken')
  return request.setCookies
    .filter(({ name: part, options }) => {
      const isPart = part === name || part.startsWith(`${name}.`)
      return isPart && options.maxAge !== 0
    })
    .map(({ name: part, options }) => ({
      type: 'cookie',
      name: part,
      attributes: attributesOf(options),
    }))
}

/** Answers a browser, which may send the same again if a store fails. @throws {StoreUnavailable} @throws {CallbackFailed} */
export function retriable(handle: (request: AuthRequest) => Promise<Outcome>): typeof handle {
  return async (request) => {
    try {
      return await handle(request)
    } catch (error) {
      if (error instanceof StoreUnavailable) request.setHeaders.set('retry-after', '5')
      throw error
    }
  }
}

/** One answer for all that is wrong. */
export const INVALID: Outcome = json({ error: 'InvalidCheck' }, 400)

/** The browser forgets the key. Its cookie may be the next session's, so it is left. */
export const ENDED: Outcome = json({ continue: false }, 401)
