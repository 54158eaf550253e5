import { signRevocationFeed } from '@latchkey/session/issue'
import { HTTPException } from 'hono/http-exception'
import { StoreUnavailable } from '../errors.js'
import type { AuthContext } from '../http/scope.js'

/**
 * GET /revocations: the sessions that ended lately, signed with the session key. It names no person
 * and opens nothing, so it needs no cookie, and caches may keep it for two seconds.
 */
export async function revocations(c: AuthContext): Promise<Response> {
  const { config, issuer, waitUntil } = c.env
  const { revocations: recent, keys, logger } = config
  const since = sinceOf(c)
  if (recent.isDue) await recent.catchUp(logger, waitUntil)
  const ended = recent.since(since)
  // Nothing was ever learned: an empty feed would say that nothing has ended.
  if (!ended) throw new StoreUnavailable('The ledger cannot be reached.')
  c.header('Cache-Control', 'public, max-age=2')
  c.header('Content-Type', 'application/jwt')
  const feed = { ...ended, iss: issuer, since, window: recent.window }
  return c.body(await signRevocationFeed(feed, keys.session.signing))
}

function sinceOf(c: AuthContext): number {
  const since = c.env.query.get('since') ?? '0'
  if (!/^\d{1,12}$/.test(since)) {
    throw new HTTPException(400, { message: '"since" is a number of seconds.' })
  }
  return Number(since)
}
