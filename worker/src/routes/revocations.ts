import { signRevocationFeed } from '@latchkey/session/issue'
import { StoreUnavailable } from '../errors.js'
import type { Outcome } from '../http/outcome.js'
import type { AuthRequest } from '../http/request.js'
import { BadRequest } from '../lib/bad-request.js'

/**
 * GET /revocations: the sessions that ended lately, signed with the session key. It names no person
 * and holds no credential, so it needs no cookie, and caches may store it for two seconds.
 */
export async function revocations(request: AuthRequest): Promise<Outcome> {
  const { config, issuer, waitUntil } = request
  const { revocations: recent, keys } = request
  const since = sinceOf(request)
  if (recent.isDue) await recent.catchUp(config.logger, waitUntil)
  const ended = recent.since(since)
  // The ledger never answered: an empty feed would claim that no session has ended.
  if (!ended) throw new StoreUnavailable('The ledger cannot be reached.')
  const feed = { ...ended, iss: issuer, since, window: config.session.tokenMaxAge }
  const token = await signRevocationFeed(feed, keys.session.signing)
  return { kind: 'jwt', token, cacheFor: 2 }
}

function sinceOf(request: AuthRequest): number {
  const since = request.query.get('since') ?? '0'
  if (!/^\d{1,12}$/.test(since)) {
    throw new BadRequest(400, '"since" is a number of seconds.')
  }
  return Number(since)
}
