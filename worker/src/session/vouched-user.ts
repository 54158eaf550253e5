import type { DescribedUser, User } from '../types.js'

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
