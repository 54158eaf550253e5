/** A provider's answer about a person, or a part of it. */
export type Described = Readonly<Record<string, unknown>>

export const email = 'ada@example.com'

/**
 * Answers that do not verify an address by the claims of OpenID Connect Core, 5.1, or that end the
 * sign-in.
 */
export const UNVERIFIED: readonly Described[] = [
  { email },
  { email, email_verified: false },
  { email, email_verified: null },
  { email, email_verified: 'yes' },
  { email, email_verified: 1 },
  { email, verified: true },
  { email, emailVerified: true },
  { email_verified: true },
  { email: null, email_verified: true },
  { email: [email], email_verified: true },
  { preferred_username: email, email_verified: true },
]

/** The claims as text, which only vendors that write them so may send. */
export const AS_TEXT: readonly Described[] = [{ email, email_verified: 'true' }]
