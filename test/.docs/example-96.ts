import type { Session } from '@latchkey/worker'

/** The user's address, if the provider vouches for it. */
export function addressOf(session: Session | null): string | undefined {
  const { email, emailVerified } = session?.user ?? {}
  return emailVerified === true && email ? email : undefined
}
