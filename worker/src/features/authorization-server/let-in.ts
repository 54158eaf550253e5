import type { Outcome } from '../../http/outcome.js'
import type { AuthRequest } from '../../http/request.js'
import { readSession } from '../../session/read.js'
import { wholeList } from '../../stores/whole-list.js'
import type { Answerable, Problem } from './authorization-request.js'
import { refuse } from './give-code.js'
import { grantsIn, keyOf } from './grant.js'
import { ledgerOf } from './grant-ledger.js'
import { type Consent, consentIn } from './kept-consents.js'
import { showNowhere } from './nowhere.js'
import { isOwnerless } from './redirect-uri.js'
import { type App, isPublic } from './settings.js'

/**
 * May a consent count again? Anybody can claim to be a public app on a person's own device (RFC 8252, 8.6), and a scheme that
 * nobody owns.
 */
export function isRemembered(app: App, redirectUri: string): boolean {
  return redirectUri.startsWith('https:') || (!isPublic(app) && !isOwnerless(redirectUri))
}

/** Does a consent count for this app, at this redirect URI? */
export function countsFor(consent: Consent, { name, host }: App, redirectUri: string): boolean {
  if (host === undefined) return consent.redirectUri === undefined
  return consent.name === name && consent.redirectUri === redirectUri
}

/**
 * The answer of a failure: at the app. Before a person has let in an app that nobody registered, it is the page that leads
 * nowhere: otherwise a link to this service would lead to any site, without a word (RFC 9700, 4.11.2).
 */
export async function refuseOrShow(
  request: AuthRequest,
  to: Answerable & { readonly app: App },
  problem: Problem,
): Promise<Outcome> {
  const isTrusted = to.app.host === undefined || (await hasLetIn(request, to.app, to.redirectUri))
  return isTrusted ? refuse(request, to, problem) : showNowhere(request)
}

/** Has the person of this browser let the app in? A store that fails cannot say so. */
async function hasLetIn(request: AuthRequest, app: App, redirectUri: string): Promise<boolean> {
  try {
    const sub = (await readSession(request))?.claims.sub
    if (sub === undefined) return false
    const documents = await wholeList(ledgerOf(request), sub, ['grant', 'consent'])
    const isAny = documents.some((document) => {
      const consent = document.key.startsWith('consent\n') ? consentIn(document) : undefined
      return consent?.app === app.id && countsFor(consent, app, redirectUri)
    })
    if (isAny || isRemembered(app, redirectUri)) return isAny
    // No consent is kept for an app on the person's own device.
    const beginning = keyOf(sub, '')
    const grants = documents.filter(({ key }) => key.startsWith(beginning))
    return grantsIn(request, sub, grants).some((one) => one.app === app.id)
  } catch (error) {
    request.config.logger.error(error as Error)
    return false
  }
}
