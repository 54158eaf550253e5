import { signRevocationFeed, type UserCutoff } from '@latchkey/session/issue'
import { StoreUnavailable } from '../errors.js'
import type { Outcome } from '../http/outcome.js'
import type { AuthRequest } from '../http/request.js'
import { BadRequest } from '../lib/bad-request.js'
import type { PageSize } from '../stores/ending-log.js'

/** A page has 256 KiB at most, signed, unless a single second fills more. In characters of JSON. */
const PAGE = 190 * 1024

/** A cut-off as JSON, without the handle of a session that it may spare. */
const CUTOFF = 56

/**
 * GET /revocations: the sessions that ended lately, signed with the session key. It names no person
 * and holds no credential, so it needs no cookie, and caches may store it for two seconds. Readers
 * of version 0.1 ask for all at once, and others for pages.
 */
export async function revocations(request: AuthRequest): Promise<Outcome> {
  const { config, issuer, waitUntil } = request
  const { revocations: recent, keys } = request
  const since = sinceOf(request)
  const isPaged = request.query.get('pages') === '1'
  const known = () => recent.since(since, isPaged ? sizeOf(keys.pseudonyms.count) : undefined)
  let ended = recent.isDue ? undefined : known()
  if (!ended) {
    // Also beside the first request of a new isolate, which may be waiting for its first answer still.
    await recent.catchUp(config.logger, waitUntil)
    ended = known()
  }
  // The ledger never answered: an empty feed would claim that no session has ended.
  if (!ended) throw new StoreUnavailable('The ledger cannot be reached.')
  const { users, ...page } = ended
  const cutoffs = await Promise.all(users.map((user) => keys.pseudonyms.nameless(user)))
  const window = config.session.tokenMaxAge
  const feed = { ...page, users: [], cutoffs: cutoffs.flat(), iss: issuer, since, window }
  const token = await signRevocationFeed(feed, keys.session.signing)
  return { kind: 'jwt', token, cacheFor: 2 }
}

/** @param count how often a cut-off is listed */
function sizeOf(count: number): PageSize {
  return {
    most: PAGE,
    of: ({ except = '' }: UserCutoff) => (CUTOFF + except.length) * count,
  }
}

function sinceOf(request: AuthRequest): number {
  const since = request.query.get('since') ?? '0'
  if (!/^\d{1,12}$/.test(since)) {
    throw new BadRequest(400, '"since" is a number of seconds.')
  }
  return Number(since)
}
