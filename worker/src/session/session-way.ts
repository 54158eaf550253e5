import type { SessionClaims } from '@latchkey/session'
import { isRecord } from '@latchkey/session/internal'
import type { AuthRequest } from '../http/request.js'
import { readClaim } from '../person/claim.js'
import type { SessionRecord } from '../stores/ports.js'
import { loadSession } from './record.js'
import type { StoredValues } from './stored-values.js'

/** A way's description of its person. */
export interface WayDescription {
  /** The person's name at the provider. */
  readonly name?: string
  /** An address that the provider vouches for. */
  readonly address?: string
  /** The provider's id of the account. */
  readonly account?: string
  /** The person's name for a passkey, or the name of the authenticator that made it. */
  readonly label?: string
}

/** The way by which a session began. */
export interface SessionWay {
  readonly way: string
  readonly provider: string
  readonly described: WayDescription
}

/**
 * The way by which a session began. If KV does not show the record yet, the members of the token
 * must do.
 *
 * @throws {StoreUnavailable}
 */
export async function wayOfSession(
  request: AuthRequest,
  claims: SessionClaims,
): Promise<SessionWay> {
  const standing = await loadSession(request, claims)
  const { user } = claims.session
  const said = isRecord(user) ? user : {}
  const [name, email] = [textIn(said.name), textIn(said.email)]
  const values = {
    token: { name, email },
    ...(said.emailVerified === true && email !== null ? { vouched: email } : {}),
  }
  if (typeof standing !== 'string') return wayOfValues(request, standing.record, standing)
  const { sub } = claims
  // A `sub` that the app has given may be spelled as another person's way.
  const { way } = await readClaim(request, sub)
  return wayOfValues(
    request,
    { sub, provider: claims.amr[0] ?? '' },
    way ? { ...values, way } : values,
  )
}

/** The same, of a record; `undefined`: it is sealed with a secret that is no longer in use. */
export async function wayOfRecord(
  request: AuthRequest,
  record: SessionRecord,
): Promise<SessionWay | undefined> {
  const values = await request.keys.record.open(record.sealed)
  return values && wayOfValues(request, record, values as never)
}

/** The way by which the session of a record began. */
export function wayOfValues(
  request: AuthRequest,
  { sub, provider: by }: { readonly sub: string; readonly provider: string },
  values: Pick<StoredValues, 'token' | 'vouched' | 'way'>,
): SessionWay {
  const { usable } = request.providers
  const provider = usable.get(by)?.kind.accountsAt?.(request) ?? by
  const isAddress = usable.get(provider)?.type === 'email'
  const { token, vouched } = values
  const way = values.way ?? (isAddress ? `email:${sub}` : sub)
  const described = {
    ...(token.name ? { name: token.name } : {}),
    ...(vouched === undefined ? {} : { address: vouched }),
  }
  return { way, provider, described }
}

function textIn(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
