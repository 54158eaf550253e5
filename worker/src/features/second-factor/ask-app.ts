import { AccessDenied } from '../../errors.js'
import type { AuthRequest } from '../../http/request.js'
import { runCallback, type SignedIn } from '../../session/callbacks.js'
import type { AuthConfig } from '../../types.js'

/** What the app says of second factors. */
export interface SecondFactorSettings {
  readonly secondFactor: AuthConfig['secondFactor']
}

/**
 * Asks the app whether this person needs a second factor, whether they have one or not. Only `true` and `false`
 * are answers.
 *
 * @throws {AccessDenied}
 */
export async function askSecondFactor(
  { features }: AuthRequest,
  { user, account, amr = [account.provider] }: SignedIn,
): Promise<boolean> {
  const { secondFactor } = features.settings<SecondFactorSettings>('second-factor') ?? {}
  if (!secondFactor) return false
  const { userId: sub } = account
  const answer: unknown = await runCallback(AccessDenied, 'secondFactor', () =>
    secondFactor({ sub, user: { ...user, id: sub }, amr: [...amr] }),
  )
  if (typeof answer === 'boolean') return answer
  throw new AccessDenied('secondFactor returned neither true nor false.')
}
