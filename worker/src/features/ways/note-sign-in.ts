import type { AuthRequest } from '../../http/request.js'
import type { ReadPerson } from '../../person/documents.js'
import type { SignedIn } from '../../session/callbacks.js'
import { noteUse } from './note-use.js'
import { retryNotices } from './notify.js'

/** What the person's document is to know of a sign-in, if they have one. */
export async function noteSignIn(
  request: AuthRequest,
  { account, way, ...rest }: SignedIn,
  person: ReadPerson | undefined,
): Promise<void> {
  if (way !== undefined) await noteUse(request, way, { account, way, ...rest }, person)
  if (person?.person) await retryNotices(request, account.userId, person.person)
}
