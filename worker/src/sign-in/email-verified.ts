/** A provider's description of a person. */
type Claims = Readonly<Record<string, unknown>>

/**
 * The profile with an `email_verified` that is a boolean or absent, for every function of an app that reads it: the
 * text "false" counts as true in many an app. Only the boolean vouches for an address, unless the
 * preset knows its vendor for texts ({@link booleanOfText}).
 */
export function withVerification(profile: Claims): Record<string, unknown> {
  const { email_verified: said, ...rest } = profile
  if (typeof said === 'boolean') return profile
  return saysUnverified(said) ? { ...rest, email_verified: false } : rest
}

/**
 * Does a provider say that an address is not verified? Anything but a yes is a no: such an address may belong to
 * anyone.
 */
export function saysUnverified(said: unknown): boolean {
  if (said === undefined || said === null) return false
  return said !== true && !(typeof said === 'string' && /^true$/i.test(said))
}

/** The boolean that a text means, at a vendor that is known to write its booleans as text. */
export function booleanOfText(value: unknown): unknown {
  return value === 'true' || (value === 'false' ? false : value)
}
