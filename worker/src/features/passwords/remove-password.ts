import { tooManyAttempts } from '../../http/limits.js'
import { type Outcome, redirect } from '../../http/outcome.js'
import type { AuthRequest } from '../../http/request.js'
import { ownPage } from '../../http/targets.js'
import { hashing } from './hasher.js'
import { countWrong, isTheirs } from './judge.js'
import { passwordOf } from './kept-password.js'
import { forgiveWrong, isInRow, tryPassword } from './limits.js'
import { announceChange } from './notices.js'
import { answerOwnPost, hasProvedOtherwise, type OwnForm, refused } from './own-post.js'
import { dropPassword } from './person-password.js'
import { typedIn } from './rules.js'
import { showSection } from './section.js'

/** POST /password/remove. */
export function removeOwnPassword(request: AuthRequest): Promise<Outcome> {
  return answerOwnPost(request, async (form) => {
    const { claims, read } = form.asker
    const { sub } = claims
    const account = redirect(ownPage(request, `${request.issuer}/account`))
    const kept = passwordOf(read.person)
    if (!kept) return account
    if (!hasProvedOtherwise(request, claims)) {
      const refusal = await hashing(request, () => refusalOfCurrent(request, form))
      if (refusal) return refusal
    }
    const person = await dropPassword(request, sub, kept, read)
    if (person) await announceChange(request, 'removed', { sub, person, by: 'person' })
    return account
  })
}

/** @returns `undefined`: the current password was typed */
async function refusalOfCurrent(
  request: AuthRequest,
  { asker, fields, page }: OwnForm,
): Promise<Outcome | undefined> {
  const { claims, read, name = '' } = asker
  const { sub } = claims
  const typed = typedIn(fields.current)
  if (typed === undefined) return refused(request, 'wrong_password', page)
  const attempt = await tryPassword(request, name, true)
  if (attempt.wait > 0) {
    const show = () => showSection(request, { error: 'CredentialsSignin', code: 'rate_limited' })
    return tooManyAttempts(request, attempt.wait, page, show)
  }
  const counts = attempt.isKnown || (await isInRow(request, sub))
  const isRight = counts && (await isTheirs(request, sub, passwordOf(read.person), typed))
  if (isRight) {
    attempt.takeBack()
    await forgiveWrong(request, sub, attempt.isKnown)
    return undefined
  }
  await countWrong(request, sub)
  return refused(request, 'wrong_password', page)
}

/**
 * Takes the password from a person, for the operator.
 *
 * @throws {StoreUnavailable} called again, it finishes
 */
export async function removePassword(request: AuthRequest, sub: string): Promise<void> {
  const person = await dropPassword(request, sub)
  if (person) await announceChange(request, 'removed', { sub, person, by: 'operator' })
}
