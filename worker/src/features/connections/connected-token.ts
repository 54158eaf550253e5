import { StoreUnavailable } from '../../errors.js'
import type { AuthRequest } from '../../http/request.js'
import type { AccessToken } from '../../types.js'
import { readConnection } from './connection.js'
import { connectionTokens } from './connection-tokens.js'
import { freshToken, type TokenHome } from './refresh.js'
import { waysWith } from './ways-with.js'

/**
 * The access token of a person's connection with a provider: of two accounts there, of the one that
 * was proved last.
 */
export async function connectedToken(
  request: AuthRequest,
  sub: string,
  provider: string,
): Promise<AccessToken> {
  try {
    const last = await lastProved(request, sub, provider)
    return last
      ? await freshToken(request, last, { version: 0 })
      : { ok: false, reason: 'no-token' }
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    request.config.logger.error(error)
    return { ok: false, reason: 'unavailable' }
  }
}

/** @throws {StoreUnavailable} */
async function lastProved(
  request: AuthRequest,
  sub: string,
  provider: string,
): Promise<TokenHome | undefined> {
  const ways = await waysWith(request, sub, provider)
  const candidates = await Promise.all(
    ways.map(async (way) => ({ way, connection: await readConnection(request, way) })),
  )
  const there = candidates.filter(({ connection }) => connection.sealed !== '')
  const [last] = there.toSorted((one, other) => other.connection.proved - one.connection.proved)
  return last && connectionTokens(request, last.way, last.connection)
}
