import type { AuthRequest } from './request.js'

/** How long a browser is known after a sign-in. An end of all of a person's sessions is known for as long. Seconds. */
export const DEVICE_MAX_AGE = 90 * 24 * 60 * 60

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
