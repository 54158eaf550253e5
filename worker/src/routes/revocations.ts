import {
  FEED_NAME_LENGTH,
  MAX_FEED_NAMES,
  type RevocationFeed,
  type StaleClaims,
  signRevocationFeed,
  type UserCutoff,
} from '@latchkey/session/issue'
import { StoreUnavailable } from '../errors.js'
import type { Outcome } from '../http/outcome.js'
import { type AuthRequest, nowInSeconds } from '../http/request.js'
import { BadRequest } from '../lib/bad-request.js'
import type { PageSize } from '../stores/revocation-timeline.js'

/** A page has 256 KiB at most, signed, unless a single second fills more. In characters of JSON. */
const PAGE = 190 * 1024

/** A cut-off as JSON, without the handle of a session that it may spare. */
const CUTOFF = 56

/** Names one after the other, all of the same length. */
const NAMES = new RegExp(`^(?:[\\w-]{${FEED_NAME_LENGTH}}){1,${MAX_FEED_NAMES}}$`)

/**
 * GET /revocations: the sessions that ended lately, signed with the session key. It names no person
 * and holds no credential, so it needs no cookie, and caches may store it for two seconds. Readers
 * of version 0.1 ask for all at once, and others for pages, or for sessions of theirs if the pages
 * would be many.
 */
export async function revocations(request: AuthRequest): Promise<Outcome> {
  const { config, features, issuer, waitUntil, revocations: recent } = request
  const answer = answerTo(request)
  let ended = recent.isDue || recent.isBehind ? undefined : await answer()
  if (!ended) {
    // Also beside the first request after a pause, which may be waiting for its answer still.
    await recent.refresh(config.logger, waitUntil)
    ended = await answer()
  }
  // The ledger never answered: an empty feed would claim that no session has ended.
  if (!ended) throw new StoreUnavailable('The ledger cannot be reached.')
  const window = Math.max(config.session.tokenMaxAge, features.tokenLife)
  const { stale: all = [], ...rest } = ended
  const now = nowInSeconds(request)
  const stale = all.filter(({ until }) => until + window > now)
  const refreshed = stale.length === 0 ? {} : { stale }
  const feed = { ...rest, ...refreshed, users: [], iss: issuer, window }
  const token = await signRevocationFeed(feed, request.keys.session.signing)
  return { kind: 'jwt', token, cacheFor: 2 }
}

type Answer = Omit<RevocationFeed, 'iss' | 'users' | 'window'>

/** @throws {BadRequest} */
function answerTo(request: AuthRequest): () => Promise<Answer | undefined> {
  const { query, revocations: recent } = request
  const { pseudonyms } = request.keys
  const since = sinceOf(query)
  const of = query.get('of')
  if (of === null) {
    const size = query.get('pages') === '1' ? sizeOf(pseudonyms.count) : undefined
    return async () => {
      const found = recent.since(since, size)
      if (!found) return undefined
      const { users, ...page } = found
      const cutoffs = await Promise.all(users.map((user) => pseudonyms.nameless(user)))
      const stale = (
        await Promise.all((page.stale ?? []).map((one) => pseudonyms.stale(one)))
      ).flat()
      // An app that has to read on may ask for less.
      const names = page.more === undefined ? {} : { names: MAX_FEED_NAMES }
      return { ...page, ...names, since, stale, cutoffs: cutoffs.flat() }
    }
  }
  const names = namesIn(of)
  return async () => {
    const page = recent.among(names)
    if (!page) return undefined
    const { users, ...rest } = page
    // All that is known, whatever time was asked for: of a few sessions that is little.
    const all = (await Promise.all((rest.stale ?? []).map((one) => pseudonyms.stale(one)))).flat()
    const stale = all.filter((one) => isNamed(names, one))
    return { ...rest, stale, cutoffs: await pseudonyms.among(names, users), since: 0, of }
  }
}

function isNamed(names: readonly string[], one: StaleClaims): boolean {
  const name = 'pid' in one ? one.pid : 'sid' in one ? one.sid : ''
  return names.includes(name.slice(0, FEED_NAME_LENGTH))
}

/** @param count how often a cut-off is listed */
function sizeOf(count: number): PageSize {
  return {
    most: PAGE,
    of: ({ except = '' }: UserCutoff) => (CUTOFF + except.length) * count,
  }
}

function sinceOf(query: URLSearchParams): number {
  const since = query.get('since') ?? '0'
  if (!/^\d{1,12}$/.test(since)) {
    throw new BadRequest(400, '"since" is a number of seconds.')
  }
  return Number(since)
}

function namesIn(of: string): readonly string[] {
  if (!NAMES.test(of)) {
    const text = `"of" is up to ${MAX_FEED_NAMES} names of ${FEED_NAME_LENGTH} characters, without anything between.`
    throw new BadRequest(400, text)
  }
  return Array.from({ length: of.length / FEED_NAME_LENGTH }, (_, index) =>
    of.slice(index * FEED_NAME_LENGTH, (index + 1) * FEED_NAME_LENGTH),
  )
}
