import { machineSub } from '@latchkey/session/issue'
import { digest } from '../lib/base64url.js'
import { pattern } from '../lib/pattern.js'
import type { DescribedUser, User } from '../types.js'

/**
 * The stable id of a user: 128 bits of SHA-256 over provider and account id. The same account has
 * the same id on every deployment and after every rotation; different providers never share one,
 * also not when a person may choose their own account id.
 *
 * @param tenant the issuer, if one provider has many, each with ids of its own
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

/** The longest id of a person, in characters: code points, of which each has up to two units. */
export const MAX_SUBJECT = 255

/**
 * Can it be the id of a person: not blank, not that of a machine, and without control characters and lone surrogates?
 */
export function isSubject(text: string): boolean {
  if (text.startsWith(machineSub(''))) return false
  if (text.length > 2 * MAX_SUBJECT || text.trim() === '') return false
  return !unusable().test(text) && [...text].length <= MAX_SUBJECT
}

/** Control characters, and lone surrogates, which are all the same once they are UTF-8. */
const unusable = pattern(String.raw`[\p{Cc}\p{Cs}]`, 'u')

/**
 * An account id as text, or `undefined`. Numbers become text; objects are refused, since all would
 * become the same text, and so the same person.
 */
export function accountId(id: unknown): string | undefined {
  if (Number.isSafeInteger(id)) return String(id)
  return typeof id === 'string' && id.trim() !== '' && id.length <= 1024 ? id : undefined
}

/** Octets of a whole address (RFC 5321, 4.5.3.1.3 less the angle brackets). */
const MAX_ADDRESS = 254

/**
 * An address in the place of an account id, in lower case; `undefined` if it is not well-formed. Other letters than
 * those of ASCII must be lower case already: some capitals become a letter that another address has, such as the
 * Kelvin sign a `k`.
 */
export function addressAsId(email: unknown): string | undefined {
  if (typeof email !== 'string' || email.length > MAX_ADDRESS || !address().test(email)) {
    return undefined
  }
  const lower = email.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
  return lower === email.toLowerCase() ? lower : undefined
}

const address = pattern(
  String.raw`^(?!.*[\s"(),:;<>[\\\]\p{C}])[^@]{1,64}@[^@.]+(?:\.[^@.]+)*$`,
  'u',
)

/**
 * A person with `emailVerified: true` if it is the boolean and there is an address, and without
 * that member otherwise. Providers write `"true"`, `1` or a date, and many an app takes each for true.
 *
 * @param id the stable id, the session's `sub`
 */
export function vouchedUser(described: DescribedUser, id: string): User {
  const { emailVerified, ...user } = described
  const isVouchedFor = emailVerified === true && typeof user.email === 'string' && user.email !== ''
  return { ...user, id, ...(isVouchedFor ? { emailVerified } : {}) }
}
