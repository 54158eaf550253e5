import type { AuthRequest } from './request.js'

/**
 * Has everything ended that a person had begun by a time: by "sign out everywhere", by the operator, or by an erasure? An
 * erasure leaves its end under a name for each secret, so all of them are asked.
 *
 * @param began seconds since the epoch
 * @throws {StoreUnavailable}
 */
export async function hasEndedSince(
  { keys, stores }: Pick<AuthRequest, 'keys' | 'stores'>,
  sub: string,
  began: number,
): Promise<boolean> {
  const pids = await keys.pseudonyms.all(sub)
  // The empty id stands for no session.
  const asked = pids.map((pid) => stores.ledger.isRevoked('', { sub, auth_time: began, pid }))
  return (await Promise.all(asked)).includes(true)
}
