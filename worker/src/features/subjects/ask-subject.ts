import { answerWithin } from '@latchkey/session/internal'
import { CallbackFailed } from '../../errors.js'
import type { AuthRequest } from '../../http/request.js'
import { isSubject, MAX_SUBJECT } from '../../person/subject.js'
import type { SignedIn } from '../../session/signed-in.js'
import { subjectSettings } from './settings.js'

/** How long the app's function may take. Milliseconds. */
const TIMEOUT = 10_000

/**
 * The person's id, as the app's `subject` says; `undefined`: it follows from their account.
 *
 * @param proved the account, before any other owner is considered
 * @throws {CallbackFailed} it threw, took too long, or returned a value that is not an id
 */
export async function askSubject(
  request: AuthRequest,
  { user, account: { userId: _, ...account } }: Pick<SignedIn, 'user' | 'account'>,
  timeout = TIMEOUT,
): Promise<string | undefined> {
  const { subject } = subjectSettings(request) ?? {}
  if (!subject) return undefined
  const { provider, providerAccountId: id } = account
  let answer: unknown
  try {
    const asked = subject({ provider, account: { ...account }, user: { ...user, id } })
    answer = await answerWithin(timeout, Promise.resolve(asked))
  } catch (cause) {
    throw new CallbackFailed(`subject() failed for provider "${provider}".`, { cause })
  }
  if (answer === undefined) return undefined
  const sub = Number.isSafeInteger(answer) ? String(answer) : answer
  if (typeof sub === 'string' && isSubject(sub)) return sub
  throw new CallbackFailed(
    `subject() must return a text of 1 to ${MAX_SUBJECT} characters, not blank and without control characters, or a whole number; for provider "${provider}" it returned something else.`,
  )
}
