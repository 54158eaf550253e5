import { DamagedRecord, StoreUnavailable } from '../../../errors.js'
import type { AuthRequest } from '../../../http/request.js'
import { digest } from '../../../lib/base64url.js'
import type { Entrance } from '../../../stores/ledger/types.js'
import { ledgerOf } from '../grant-ledger.js'

/** An id stays used for longer than its assertion counts, by whatever clock. Seconds. */
const LONGER = 300

/** The id of an assertion that everything else has been checked of. */
export interface Jti {
  /** The app, or the issuer, that has given it. */
  readonly of: string
  readonly jti: string
  /** When the assertion ends. Seconds since the epoch. */
  readonly exp: number
}

/**
 * Uses the id of an assertion up: for one of any number of requests, whatever the parallelism and the secret. If the work that it is
 * for fails because a store does, the id is given back, so that the same assertion counts afterwards.
 *
 * @param refuse what is thrown if the id was used before
 * @throws {StoreUnavailable}
 */
export async function usingJti<Result>(
  request: AuthRequest,
  jti: Jti,
  refuse: () => Error,
  work: () => Promise<Result>,
): Promise<Result> {
  const name = await nameOf(jti)
  const isFirst = await ledgerOf(request).consume(name, endOf(jti))
  if (!isFirst) throw refuse()
  return unlessFailing(request, work, name)
}

/**
 * The same, and reads the document of a way with the same call.
 *
 * @param key of the document
 */
export async function enteringBy<Result>(
  request: AuthRequest,
  jti: Jti,
  key: string,
  refuse: () => Error,
  work: (entrance: Entrance) => Promise<Result>,
): Promise<Result> {
  const name = await nameOf(jti)
  const entrance = await ledgerOf(request).enter(name, endOf(jti), key)
  if (!entrance.isFirst) throw refuse()
  return unlessFailing(request, () => work(entrance), name, key)
}

async function unlessFailing<Result>(
  request: AuthRequest,
  work: () => Promise<Result>,
  name: string,
  key?: string,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof StoreUnavailable) || error instanceof DamagedRecord) throw error
    const giveBack = () => ledgerOf(request).giveBack(name, key)
    // If it cannot be given back, the client asks for a new assertion, as after a use.
    await giveBack()
      .catch(giveBack)
      .catch((fault: Error) => request.config.logger.error(fault))
    throw error
  }
}

function endOf({ exp }: Jti): number {
  return Math.ceil(exp) + LONGER
}

/** By no secret, so that a used one stays used after a rotation. */
async function nameOf({ of, jti }: Jti): Promise<string> {
  return `jti:${await digest(['latchkey/jti/v1', of, jti])}`
}
