import { digest } from '../lib/digest.js'

/**
 * The stable id of a user: 128 bits of SHA-256 over provider and account id. The same account has
 * the same id on every deployment and after every rotation; different providers never share one,
 * also not when a person may choose their own account id.
 *
 * @param tenant the issuer, where one provider has many, each with ids of its own
 */
export async function subjectOf(
  provider: string,
  providerAccountId: string,
  tenant?: string,
): Promise<string> {
  const parts = [provider, providerAccountId, ...(tenant === undefined ? [] : [tenant])]
  return digest(['latchkey/sub/v1', ...parts], 16)
}

/** Could it be the `sub` that an account has of its own? */
export function mayBeOwnSub(sub: string): boolean {
  return /^[\w-]{22}$/.test(sub)
}

/**
 * An account id as text, or `undefined`. Numbers become text; objects are refused, since all would
 * become the same text, and so the same person.
 */
export function accountId(id: unknown): string | undefined {
  if (Number.isSafeInteger(id)) return String(id)
  return typeof id === 'string' && id.trim() !== '' && id.length <= 1024 ? id : undefined
}
