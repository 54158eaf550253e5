import { AccessDenied } from '../../errors.js'
import type { AuthRequest } from '../../http/request.js'
import { accountId, isSubject, mayBeOwnSub } from '../../person/subject.js'
import { isOfItself } from '../../session/of-itself.js'
import type { SignedIn } from '../../session/signed-in.js'
import type { Migration } from '../../types/old-sessions.js'
import type { Profile } from '../../types.js'

/** The person of an old session, as the old library describes them. Nothing is checked yet. */
export interface OldPerson {
  readonly id: unknown
  readonly name: unknown
  readonly email: unknown
  readonly image: unknown
  /** When they signed in, as far as the session says. Seconds since the epoch, not ahead of the time. */
  readonly since: number
  readonly profile: Profile
}

/** Longer values are left out, since they would make a cookie that servers refuse. Characters. */
const MAX_TEXT = { name: 256, email: 254, image: 2_048 }

/**
 * The id of a user with an old session: the old id, unless the app's `subject` gives another. No address counts as
 * verified, since this service has not seen its proof.
 *
 * @returns `undefined` if the old library does not say it
 * @throws {AccessDenied} the id may be the `sub` that an account has of its own
 * @throws {CallbackFailed} @throws {StoreUnavailable}
 */
export async function signedInAs(
  request: AuthRequest,
  provider: Migration['id'],
  { id: given, name, email, image, profile }: OldPerson,
): Promise<SignedIn | undefined> {
  const id = accountId(given)
  if (id === undefined) return undefined
  const described = {
    name: textIn(name, MAX_TEXT.name),
    email: textIn(email, MAX_TEXT.email),
    image: textIn(image, MAX_TEXT.image),
  }
  const account = { provider, type: 'credentials', providerAccountId: id } as const
  const asked = { user: { ...described, id }, account: { ...account, userId: id } }
  const answer = await request.features.ports.subjects?.ask(request, asked)
  const sub = answer ?? id
  if (!isSubject(sub)) return undefined
  // People may have chosen their ids in the old app, and can compute the `sub` of an account that comes later.
  if (mayBeOwnSub(sub) && (answer === undefined || (await isOfItself(request, sub)))) {
    throw new AccessDenied(
      'An old session names its person by 22 letters of base64url, like accounts here: subject() must give the id.',
    )
  }
  // By no way of this service: an id of the old app may be spelled as another person's.
  const way = `old:${sub}`
  const user = { ...described, id: sub }
  return { user, account: { ...account, userId: sub }, profile, way, isAlone: true }
}

function textIn(value: unknown, max: number): string | null {
  return typeof value === 'string' && value !== '' && value.length <= max ? value : null
}
