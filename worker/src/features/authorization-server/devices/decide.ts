import type { SessionClaims } from '@latchkey/session'
import { logEvent } from '../../../http/log-event.js'
import { type Outcome, showPage } from '../../../http/outcome.js'
import { pageHead } from '../../../http/page-head.js'
import type { AuthRequest } from '../../../http/request.js'
import { named } from '../find-app.js'
import { authorizationFor } from '../give-code.js'
import { letDeviceIn } from '../kept-consents.js'
import { standingScopes } from '../tokens.js'
import { DecidedPage } from './device-page.js'
import {
  AFTERWARDS,
  decided,
  type ReadDevice,
  readDevice,
  type WaitingDevice,
} from './waiting-device.js'
import { nothingWaits, waitsFor } from './waits-for.js'

/**
 * Writes what a person has decided about a device, once. The same form, sent again, ends where the first one did.
 *
 * @param asked the home of the code, and the device as the page has shown it
 * @throws {InvalidCheck} the session is over, or the device waits no longer
 * @throws {StoreUnavailable} the form can be sent again
 */
export async function decideDevice(
  request: AuthRequest,
  claims: SessionClaims,
  asked: { readonly device: string; readonly read?: ReadDevice },
  isAllowed: boolean,
): Promise<Outcome> {
  const home = asked.device
  // The form of a version before has not shown it.
  const read = asked.read ?? (await readDevice(request, home))
  const app = read && waitsFor(request, read)
  if (!app) return decidedBefore(request, claims, read?.device, isAllowed)
  const { device, version } = read
  const scopes = standingScopes(request, device)
  const given = { app: app.id, resource: device.resource, scopes, name: app.name }
  const until = { home, expires: device.ends + AFTERWARDS }
  const kept = isAllowed ? await letDeviceIn(request, claims, given, until) : undefined
  if (isAllowed && !kept) throw nothingWaits()
  const decision: WaitingDevice = kept
    ? {
        ...device,
        state: 'allowed',
        authorization: await authorizationFor(request, claims, { ...device, app, scopes }, [
          kept.rest,
        ]),
      }
    : { ...device, state: 'denied' }
  const written = await decided(request, claims, home, version, decision)
  if (written === 'over') throw nothingWaits()
  if (written === 'late') {
    const after = await readDevice(request, home)
    return decidedBefore(request, claims, after?.device, isAllowed)
  }
  const { sub } = claims
  if (isAllowed) await logEvent(request, { event: 'app-allowed', sub, ...named(request, app.id) })
  return show(request, isAllowed)
}

/** @throws {InvalidCheck} it was decided otherwise, by somebody else, or not at all */
function decidedBefore(
  request: AuthRequest,
  { sub }: SessionClaims,
  device: WaitingDevice | undefined,
  isAllowed: boolean,
): Promise<Outcome> {
  const isSame = isAllowed ? device?.authorization?.sub === sub : device?.state === 'denied'
  if (!isSame) throw nothingWaits()
  return show(request, isAllowed)
}

async function show(request: AuthRequest, isAllowed: boolean): Promise<Outcome> {
  const { theme, words } = await pageHead(request)
  const { device } = words.texts
  const title = isAllowed ? device.allowed : device.denied
  return showPage(words, title, DecidedPage({ theme, words, isAllowed }))
}
