import type { StoreUnavailable } from '../../errors.js'
import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import { emit } from '../../session/callbacks.js'
import type { ProviderTokens } from '../../session/stored-values.js'
import {
  type ConnectedWay,
  type Connection,
  changeConnection,
  LEASE,
  MAX_TRIES,
  neverDone,
  openTokens,
  readConnection,
  sealTokens,
} from './connection.js'
import { retryLater, type TokenHome } from './refresh.js'
import { revokeAt, tokenSource } from './stored-tokens.js'

/**
 * The tokens of a connection, with or without a session. The caller who refreshes them first writes
 * so into the connection itself, by a change that only one caller can make.
 *
 * @param read the connection as the caller has just read it
 */
export function connectionTokens(
  request: AuthRequest,
  way: ConnectedWay,
  read: Connection,
): TokenHome {
  let seen = read
  /** Was it read since the last caller had to wait? */
  let isFresh = true
  let isOver = false

  async function look(): Promise<Connection> {
    if (!isFresh) seen = await readConnection(request, way)
    return seen
  }

  async function newest(): Promise<ProviderTokens> {
    const { sealed, version } = await look()
    // Sealed with a removed secret: the next sign-in renews them.
    return (await openTokens(request, way, sealed)) ?? { version, ended: true }
  }

  async function claim() {
    const sealed = seen.sealed
    const current = await look()
    isFresh = current.sealed !== sealed
    if (current.sealed === '') return 'over'
    if (current.sealed !== sealed) return 'newer'
    const now = nowInSeconds(request)
    if ((current.lease ?? 0) > now) return 'taken'
    const leased = { ...current, lease: now + LEASE }
    if (!(await changeConnection(request, way, current.version, leased))) return 'taken'
    seen = { ...leased, version: current.version + 1 }
    return 'yours'
  }

  async function release(): Promise<void> {
    // If it was changed meanwhile, there is no claim to give up.
    await changeConnection(request, way, seen.version, { ...seen, lease: 0 })
  }

  async function settle(fresh: ProviderTokens): Promise<ProviderTokens> {
    const before = seen
    const written = new Set<string>()
    let tokens = fresh
    const attempt = async () => {
      tokens = await write(before, fresh, written)
    }
    try {
      await attempt()
    } catch (error) {
      request.config.logger.error(error as StoreUnavailable)
      request.waitUntil(retryLater(attempt))
    }
    return tokens
  }

  /**
   * Replaces the refreshed tokens, and no others.
   *
   * @param written the state that was written before; its answer may have been lost
   * @returns the tokens that count now @throws {StoreUnavailable}
   */
  async function write(
    before: Connection,
    fresh: ProviderTokens,
    written: Set<string>,
  ): Promise<ProviderTokens> {
    for (let tries = 0, current = before; tries < MAX_TRIES; tries++) {
      const { version, proved, spare } = current
      const instead = fresh.ended && (await openTokens(request, way, spare))
      const tokens = instead ? { ...instead, version: fresh.version } : fresh
      const sealed = await sealTokens(request, way, tokens)
      written.add(sealed)
      const next = { sealed, proved, ...(spare && !fresh.ended ? { spare } : {}) }
      const isDone = await changeConnection(request, way, version, next)
      if (!isDone) current = await readConnection(request, way)
      if (isDone || written.has(current.sealed)) return notifyIfEnded(tokens)
      if (current.sealed === '') return over(fresh)
      // A sign-in has renewed them.
      if (current.sealed !== before.sealed) return fresh
    }
    throw neverDone()
  }

  async function notifyIfEnded(tokens: ProviderTokens): Promise<ProviderTokens> {
    const { sub, provider } = way
    if (tokens.ended) await emit(request, 'signInNeeded', { sub, provider })
    return tokens
  }

  /** The connection has ended during the refresh: no caller may have the new tokens. */
  async function over(fresh: ProviderTokens): Promise<ProviderTokens> {
    isOver = true
    const source = await tokenSource(request, way.provider)
    if (source && !fresh.ended) await revokeAt(request, source, fresh)
    return fresh
  }

  return {
    provider: way.provider,
    over: 'no-token',
    newest,
    claim,
    release,
    settle,
    isOver: async () => isOver,
    revokes: () => false,
  }
}
