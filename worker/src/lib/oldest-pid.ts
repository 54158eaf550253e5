import type { KeyRing } from './key-ring.js'

/**
 * The `pid` of a user by the oldest secret in use. If an erasure came before the newest secret, the ledger has its end under this
 * name and not under the newest one.
 */
export async function oldestPid(
  { pseudonyms }: Pick<KeyRing, 'pseudonyms'>,
  sub: string,
): Promise<string> {
  return (await pseudonyms.all(sub)).at(-1) ?? ''
}
