import { InvalidCheck, OAuthCallbackError, StoreUnavailable } from '../errors.js'
import { tooManyAttempts } from '../http/limits.js'
import { tryProvider } from '../http/network-limit.js'
import type { Outcome } from '../http/outcome.js'
import type { Aim } from '../http/purpose.js'
import type { AuthRequest } from '../http/request.js'
import { LIMITED, showSignIn } from './show-sign-in.js'

/**
 * Asks a provider, unless too much that this network asked for has failed: then the sign-in page comes with
 * status 429, and nothing is used up.
 *
 * @param ask every request to the provider, and nothing else
 */
export async function askingProvider<Answer>(
  request: AuthRequest,
  kind: 'start' | 'callback',
  aim: Aim,
  ask: () => Promise<Answer>,
  proceed: (answer: Answer) => Promise<Outcome>,
): Promise<Outcome> {
  const attempt = await tryProvider(request, kind)
  if (attempt.wait > 0) {
    return tooManyAttempts(request, attempt.wait, aim.target, () =>
      showSignIn(request, aim, LIMITED),
    )
  }
  let answer: Answer
  try {
    answer = await ask()
  } catch (error) {
    if (wasNotAsked(error)) attempt.forgive()
    else await attempt.fail()
    throw error
  }
  attempt.forgive()
  return proceed(answer)
}

/**
 * Did it fail before a request to the provider? An expired flow, a user who cancels and a failed
 * store do.
 */
function wasNotAsked(error: unknown): boolean {
  if (error instanceof OAuthCallbackError) return error.code === 'access_denied'
  // If the callback was finished elsewhere, the provider has refused the code: the cause says so.
  if (error instanceof InvalidCheck) return error.cause === undefined
  return error instanceof StoreUnavailable
}
