import { acrOf } from '@latchkey/session/issue'
import { logEvent } from '../../http/log-event.js'
import { type Outcome, redirect } from '../../http/outcome.js'
import type { AuthRequest } from '../../http/request.js'
import { answerFreshPost, signInFirst } from '../ways/fresh-post.js'
import { hasShownFactor } from '../ways/shown-strength.js'
import { answerStrongPost } from '../ways/strong-post.js'
import { notifyOfFactor } from './notices.js'
import { confirmFactor, removeFactor, renewRecoveryCodes } from './person-factor.js'
import { showCodes } from './show-codes.js'

/** POST /factor/recovery: ten new recovery codes, which replace the earlier ones. */
export function newRecoveryCodes(request: AuthRequest): Promise<Outcome> {
  return answerFreshPost(request, async ({ asker, target, fields }) => {
    if (!(await hasShownFactor(request, asker))) return signInFirst(request, target, '2')
    const { sub } = asker
    const shown = typeof fields.factor === 'string' ? fields.factor : undefined
    const made = await renewRecoveryCodes(request, sub, acrOf(asker.amr) === '2', shown)
    if (!made) return redirect(target)
    const { person, codes } = made
    await notifyOfFactor(request, 'recovery-codes-made', { sub, person, by: 'person' })
    return showCodes(request, codes, target)
  })
}

/** POST /factor/remove: ends the second factor of the signed-in user. */
export function removeOwnFactor(request: AuthRequest): Promise<Outcome> {
  return answerFreshPost(request, async ({ asker, target }) => {
    if (!(await hasShownFactor(request, asker))) return signInFirst(request, target, '2')
    const { sub } = asker
    const person = await removeFactor(request, sub, acrOf(asker.amr) === '2')
    if (person) await notifyOfFactor(request, 'factor-removed', { sub, person, by: 'person' })
    return redirect(target)
  })
}

/** POST /factor/confirm: an app that a session of one factor has set up counts from now on. */
export function confirmOwnFactor(request: AuthRequest): Promise<Outcome> {
  return answerStrongPost(request, async ({ asker: { sub }, target }, isEnough) => {
    if (await confirmFactor(request, sub, isEnough))
      await logEvent(request, { event: 'factor-confirmed', sub })
    return redirect(target)
  })
}
