import { StoreUnavailable } from '../../errors.js'
import type { AuthRequest } from '../../http/request.js'
import { readPerson } from '../../person/documents.js'
import { isBlocked } from '../../person/person.js'
import type { AccessToken } from '../../types.js'
import { type ConnectedWay, readConnection } from './connection.js'
import { connectionTokens } from './connection-tokens.js'
import { freshToken, type TokenHome } from './refresh.js'
import { waysIn } from './ways-with.js'

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
    const { person } = await readPerson(request, sub)
    if (isBlocked(person)) return { ok: false, reason: 'blocked' }
    const last = await lastProved(request, waysIn(person, sub, provider))
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
  ways: readonly ConnectedWay[],
): Promise<TokenHome | undefined> {
  const candidates = await Promise.all(
    ways.map(async (way) => ({ way, connection: await readConnection(request, way) })),
  )
  const there = candidates.filter(({ connection }) => connection.sealed !== '')
  const [last] = there.toSorted((one, other) => other.connection.proved - one.connection.proved)
  return last && connectionTokens(request, last.way, last.connection)
}
