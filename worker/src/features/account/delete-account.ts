import { renewCsrfToken } from '../../http/csrf.js'
import { type Outcome, redirect } from '../../http/outcome.js'
import type { AuthRequest } from '../../http/request.js'
import { BadRequest } from '../../lib/bad-request.js'
import { clearSessionCookie } from '../../session/issue.js'
import { deleteRecord } from '../../session/revoke.js'
import type { AuthConfig } from '../../types.js'
import { eraseDocuments } from '../people/erase.js'
import { answerFreshPost, signInFirst } from '../ways/fresh-post.js'
import { addressesOf } from '../ways/list.js'
import { notifyErased } from '../ways/notify.js'
import { isAsStrong } from '../ways/shown-strength.js'

/** The configuration of the account pages. */
export interface AccountSettings {
  /** May people delete their accounts themselves? */
  readonly isDeletable: boolean
}

export function accountSettings({ accountDeletion }: AuthConfig): AccountSettings {
  return { isDeletable: accountDeletion === true }
}

/** May people delete their accounts themselves? */
export function mayDelete({ features }: AuthRequest): boolean {
  return features.settings<AccountSettings>('account')?.isDeletable === true
}

/**
 * POST /account/delete: erases the signed-in user, and confirms it by mail. The route exists only if
 * the configuration has it.
 */
export async function deleteAccount(request: AuthRequest): Promise<Outcome> {
  if (!mayDelete(request)) throw new BadRequest(404, 'Not found')
  return answerFreshPost(request, async ({ asker, target }) => {
    if (!(await isAsStrong(request, asker))) return signInFirst(request, target, '2')
    const addresses = await addressesOf(request, asker)
    const eraseRest = await eraseDocuments(request, asker.sub, 'person')
    // KV does not list a session that has just begun.
    deleteRecord(request, asker)
    clearSessionCookie(request)
    request.features.forgotten(request)
    await renewCsrfToken(request)
    await notifyErased(request, addresses)
    // The person is gone and cannot ask once more: the remaining records are over, and lapse.
    await eraseRest().catch((error: Error) => request.config.logger.error(error))
    return redirect(target)
  })
}
