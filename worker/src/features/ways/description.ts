import { isRecord } from '@latchkey/session/internal'
import type { AuthRequest } from '../../http/request.js'
import type { PersonWay } from '../../person/person.js'
import { isMail } from '../../person/way-document.js'
import type { WayDescription } from '../../session/session-way.js'
import type { SignedIn } from '../../session/signed-in.js'

/** It stays for as long as the way. Seconds. */
const FOR_GOOD = Number.MAX_SAFE_INTEGER

export function describedBy({ user, account, label }: SignedIn): WayDescription {
  const { name, email, emailVerified } = user
  return {
    ...(name ? { name } : {}),
    ...(email && emailVerified === true ? { address: email } : {}),
    account: account.providerAccountId,
    ...(label === undefined ? {} : { label }),
  }
}

/** Seals it, bound to its way, so that two cannot be swapped. */
export async function sealDescribed(
  { keys }: AuthRequest,
  way: string,
  described: WayDescription,
): Promise<string> {
  const sealer = await keys.sealer('way')
  return sealer.seal({ way, ...described }, FOR_GOOD)
}

/** Nothing if it was sealed with a secret that is no longer in use. */
export async function openDescribed(
  { keys }: AuthRequest,
  { way, sealed }: Pick<PersonWay, 'way' | 'sealed'>,
): Promise<WayDescription> {
  if (sealed === undefined) return {}
  const sealer = await keys.sealer('way')
  const content = await sealer.open(sealed)
  return isRecord(content) && content.way === way ? (content as WayDescription) : {}
}

/**
 * Could it be opened? A sealed description names its way at least, even if nothing else is known.
 */
export function isOpened(described: WayDescription = {}): boolean {
  return Object.keys(described).length > 0
}

/** The name that a list shows. */
export function shownName(
  { features }: AuthRequest,
  way: string,
  { name, address, label }: WayDescription,
): string | null {
  const kind = features.wayKind(way)
  if (kind) return label ?? kind.name
  if (!isMail(way)) return name ?? null
  return address === undefined ? null : masked(address)
}

/** An address with all but the first letter before the `@` hidden, however many there are. */
function masked(address: string): string {
  const at = address.lastIndexOf('@')
  return `${[...address][0] ?? ''}***${address.slice(at)}`
}
