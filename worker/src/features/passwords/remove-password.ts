import { type Outcome, redirect } from '../../http/outcome.js'
import type { AuthRequest } from '../../http/request.js'
import { ownPage } from '../../http/targets.js'
import { hashing } from './hasher.js'
import { findCurrent } from './judge.js'
import { type KeptPassword, passwordOf } from './kept-password.js'
import { announceChange } from './notices.js'
import { answerOwnPost, hasProvedOtherwise, type OwnForm, refused } from './own-post.js'
import { dropPassword } from './person-password.js'
import { typedIn } from './rules.js'
import { tooManyTries } from './section.js'

/** POST /password/remove. */
export function removeOwnPassword(request: AuthRequest): Promise<Outcome> {
  return answerOwnPost(request, async (form) => {
    const { claims, read } = form.asker
    const { sub } = claims
    const account = redirect(ownPage(request, `${request.issuer}/account`))
    const kept = passwordOf(read.person)
    if (!kept) return account
    if (!hasProvedOtherwise(request, claims)) {
      const refusal = await hashing(request, () => refusalOfCurrent(request, form, kept))
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
  kept: KeptPassword,
): Promise<Outcome | undefined> {
  if (typedIn(fields.current) === undefined) return refused(request, 'wrong_password', page)
  const found = await findCurrent(request, asker, kept, [fields.current])
  if ('text' in found) return undefined
  if (found.wait > 0) return tooManyTries(request, page, found.wait)
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
