import type { SafeRedirect } from '../config/safe-redirect.js'
import { OAuthAccountNotLinked } from '../errors.js'
import type { AuthRequest } from '../http/request.js'
import { ownPage } from '../http/targets.js'
import { readClaim, writeClaim } from '../person/claim.js'
import type { Claim } from '../person/found-way.js'
import { wayOf } from '../person/way-document.js'
import type { FirstSession } from '../service/session-hooks.js'
import type { SignedIn } from '../session/signed-in.js'

/**
 * Is it the first sign-in of a person? Exactly one of several at once is. A person with a
 * session was here before this was recorded.
 *
 * @param signedIn the sign-in; the ledger did not know its way when it was proved
 * @param claim to their `sub`, if it was read just now
 * @throws {OAuthAccountNotLinked} the `sub` belongs to another person
 * @throws {StoreUnavailable}
 */
export async function firstSignIn(
  request: AuthRequest,
  { account, way = wayOf(account), isGiven }: SignedIn,
  claim?: Claim,
): Promise<FirstSession | undefined> {
  const { userId: sub } = account
  const known = claim ?? (await readClaim(request, sub))
  if (known.way !== undefined && known.way !== way && !isGiven) {
    throw new OAuthAccountNotLinked('The id of an account was given to another one by subject().')
  }
  if (known.way !== undefined && !known.unseen) return undefined
  // A faster request writes before it begins a session, so a listed session is not one of theirs.
  const records = await request.stores.sessions.list(sub)
  const seen = { way: known.way ?? way }
  if (!(await writeClaim(request, sub, known.version, seen)) || records.length > 0) return undefined
  return {
    async undo() {
      const unseen = { ...seen, unseen: true as const }
      await writeClaim(request, sub, known.version + 1, unseen).catch((error: Error) =>
        request.config.logger.error(error),
      )
    },
    page: (target) => pageOfNew(request, target),
  }
}

/** The app's page for a new person, which leads on. */
function pageOfNew(request: AuthRequest, target: SafeRedirect): SafeRedirect | undefined {
  const { newUser } = request.config.pages
  if (newUser === undefined) return undefined
  const page = new URL(ownPage(request, newUser))
  page.searchParams.set('callbackUrl', target)
  return ownPage(request, page.href)
}
