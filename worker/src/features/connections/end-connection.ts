import type { AuthRequest } from '../../http/request.js'
import {
  type ConnectedWay,
  type Connection,
  changeConnection,
  MAX_TRIES,
  neverDone,
  openTokens,
  readConnection,
} from './connection.js'
import { revokeAt, tokenSource } from './stored-tokens.js'

/**
 * Ends a connection. It may be called again, and does nothing if there is none.
 *
 * @returns revokes the tokens at the provider, if it can; never rejects
 * @throws {StoreUnavailable} it has not ended then
 */
export async function endConnection(
  request: AuthRequest,
  way: ConnectedWay,
): Promise<() => Promise<void>> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const connection = await readConnection(request, way)
    if (connection.sealed === '') return async () => {}
    if (await changeConnection(request, way, connection.version, undefined)) {
      return () => revokeAll(request, way, connection)
    }
  }
  throw neverDone()
}

async function revokeAll(
  request: AuthRequest,
  way: ConnectedWay,
  { sealed, spare }: Connection,
): Promise<void> {
  const source = await tokenSource(request, way.provider)
  if (!source) return
  for (const one of [sealed, spare]) {
    const tokens = await openTokens(request, way, one)
    if (tokens && !tokens.ended) await revokeAt(request, source, tokens)
  }
}
