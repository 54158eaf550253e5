import type { AuthRequest } from '../http/request.js'
import type { SignedIn } from '../session/callbacks.js'
import type { Migration } from '../types/migration.js'
import type { Profile, User } from '../types.js'

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
 * Who somebody is who moves in: who they were. No address is vouched for, since nobody here has seen its proof.
 *
 * @returns `undefined` where the old library does not say it
 */
export async function signedInAs(
  _request: AuthRequest,
  provider: Migration['id'],
  { id: given, name, email, image, profile }: OldPerson,
): Promise<SignedIn | undefined> {
  const id = Number.isSafeInteger(given) ? String(given) : given
  if (typeof id !== 'string' || !isId(id)) return undefined
  const described: User = {
    name: textIn(name, MAX_TEXT.name),
    email: textIn(email, MAX_TEXT.email),
    image: textIn(image, MAX_TEXT.image),
  }
  const account = { provider, type: 'credentials', providerAccountId: id, userId: id } as const
  return { user: { ...described, id }, account, profile }
}

function textIn(value: unknown, max: number): string | null {
  return typeof value === 'string' && value !== '' && value.length <= max ? value : null
}

/** A text of 1 to 255 characters that is not blank, with no control characters and no half of one. */
function isId(text: string): boolean {
  if (text.length > 510 || text.trim() === '' || /[\p{Cc}\p{Cs}]/u.test(text)) return false
  return [...text].length <= 255
}
