import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import { readPerson } from '../../person/documents.js'
import {
  type ConnectedWay,
  type Connection,
  changeConnection,
  LEASE,
  neverDone,
  openTokens,
  readConnection,
  sealTokens,
} from './connection.js'
import { endConnection } from './end-connection.js'
import { LOOKS, pause } from './refresh.js'

/**
 * Moves a connection to the person that its owner has become. It may be called again, and finishes.
 *
 * @throws {StoreUnavailable}
 */
export async function moveConnection(
  request: AuthRequest,
  from: ConnectedWay,
  sub: string,
): Promise<void> {
  for (let look = 0; look < LOOKS; look++) {
    const connection = await readConnection(request, from)
    if (connection.sealed === '') return
    const now = nowInSeconds(request)
    if (connection.movedTo === sub) {
      const isThere = await copied(request, from, { ...from, sub }, connection)
      if (isThere && (await changeConnection(request, from, connection.version, undefined))) return
    } else if ((connection.lease ?? 0) > now) {
      await pause()
    } else {
      // No caller refreshes the tokens while they are in two places.
      const leased = { ...connection, lease: now + LEASE, movedTo: sub }
      await changeConnection(request, from, connection.version, leased)
    }
  }
  throw neverDone()
}

/** @returns is it there? An existing connection is newer, or an unfinished move has left it. */
async function copied(
  request: AuthRequest,
  from: ConnectedWay,
  to: ConnectedWay,
  { sealed, spare, proved }: Connection,
): Promise<boolean> {
  const there = await readConnection(request, to)
  const seal = async (one: string | undefined) => {
    const tokens = await openTokens(request, from, one)
    return tokens && sealTokens(request, to, tokens)
  }
  const [tokens, less] = [await seal(sealed), await seal(spare)]
  // Tokens that are sealed with a removed secret are useless there too.
  if (there.sealed !== '' || !tokens) return true
  const moved = { sealed: tokens, proved, ...(less ? { spare: less } : {}) }
  if (!(await changeConnection(request, to, there.version, moved))) return false
  // If the other person was erased before that, no other request would end the tokens.
  const { person } = await readPerson(request, to.sub)
  if (!person || person.erasing) request.waitUntil((await endConnection(request, to))())
  return true
}
