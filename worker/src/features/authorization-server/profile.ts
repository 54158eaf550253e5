import type { SessionClaims } from '@latchkey/session'
import { isRecord } from '@latchkey/session/internal'
import type { AuthRequest } from '../../http/request.js'

/** Longer ones are left out: a code has all claims, and travels in a URL. In characters. */
const MAX_TEXT = 320
const MAX_PICTURE = 1_024

/**
 * The claims of UserInfo (OpenID Connect Core, section 5.4) for granted scopes, as the person's session has them: `name` and
 * `picture`, and an address that the provider vouches for. Reads the session's record if an app decides what a
 * session shows, since it may show another address.
 *
 * @throws {StoreUnavailable}
 */
export async function profileOf(
  request: AuthRequest,
  claims: SessionClaims,
  scopes: readonly string[],
): Promise<Record<string, unknown>> {
  const user = isRecord(claims.session.user) ? claims.session.user : {}
  const profile: Record<string, unknown> = {}
  if (scopes.includes('profile')) {
    if (isText(user.name)) profile.name = user.name
    if (isText(user.image, MAX_PICTURE)) profile.picture = user.image
  }
  if (scopes.includes('email')) {
    const email = await vouchedAddress(request, claims, user)
    if (email !== undefined) Object.assign(profile, { email, email_verified: true })
  }
  return profile
}

async function vouchedAddress(
  { config, stores, keys }: AuthRequest,
  { sub, sid }: SessionClaims,
  user: Record<string, unknown>,
): Promise<string | undefined> {
  const { jwt, session } = config.callbacks
  if (!jwt && !session) {
    return user.emailVerified === true && isText(user.email) ? user.email : undefined
  }
  const record = await stores.sessions.get(sub, sid)
  const opened = record && (await keys.record.open(record.sealed))
  return opened?.sid === sid && isText(opened.vouched) ? opened.vouched : undefined
}

function isText(value: unknown, most = MAX_TEXT): value is string {
  return typeof value === 'string' && value !== '' && value.length <= most
}
