import { acrOf } from '@latchkey/session/issue'
import type { Outcome } from '../../http/outcome.js'
import type { AuthRequest } from '../../http/request.js'
import type { Person } from '../../person/person.js'
import { answerFreshPost, type FreshForm, signInFirst } from './fresh-post.js'
import { isAsStrong } from './shown-strength.js'
import { isStrong } from './strength.js'

/**
 * Answers a POST of a person who has signed in within the last five minutes, if they have proved
 * themselves by two factors, or by a passkey that counts for both; or if none of their ways gives
 * that yet: any session of theirs could remove the waiting factor, and add it as the first one.
 *
 * @param handle gets a function that says so about the person it reads
 */
export function answerStrongPost(
  request: AuthRequest,
  handle: (form: FreshForm, isEnough: (person: Person) => boolean) => Outcome | Promise<Outcome>,
): Promise<Outcome> {
  return answerFreshPost(request, async (form) => {
    if (!(await isAsStrong(request, form.asker))) return signInFirst(request, form.target, '2')
    const isTwo = acrOf(form.asker.amr) === '2'
    return handle(form, (person) => isTwo || !isStrong(request, person))
  })
}
