import { signRevocationFeed } from '@latchkey/session'
import { HTTPException } from 'hono/http-exception'
import { StoreUnavailable } from '../errors.js'
import { type AuthContext, nowInSeconds } from '../http/scope.js'

/**
 * GET /revocations: the sessions that ended lately, signed with the session key. It names no person
 * and opens nothing, so it needs no cookie, and caches may keep it for two seconds.
 */
export async function revocations(c: AuthContext): Promise<Response> {
  const { config, issuer } = c.env
  const { revocations: recent, keys, logger } = config
  if (recent.isDue) await recent.refresh(logger)
  // Nothing was ever learned: an empty feed would say that nothing has ended.
  if (!recent.hasLearned) throw new StoreUnavailable('The ledger cannot be reached.')
  const earliest = nowInSeconds(c.env) - recent.window - 60
  const feed = {
    ...recent.since(Math.max(earliest, sinceOf(c))),
    iss: issuer,
    window: recent.window,
  }
  c.header('Cache-Control', 'public, max-age=2')
  c.header('Content-Type', 'application/jwt')
  return c.body(await signRevocationFeed(feed, keys.session.signing))
}

function sinceOf(c: AuthContext): number {
  const since = new URL(c.req.url).searchParams.get('since') ?? '0'
  if (!/^\d{1,12}$/.test(since)) {
    throw new HTTPException(400, { message: '"since" is a number of seconds.' })
  }
  return Number(since)
}
