import type { AuthRequest } from '../../http/request.js'
import { isSid } from '../../session/end.js'

/** Seals of bound sessions last as long as their secret is in use. Seconds since the epoch. */
export const FOREVER = 9_999_999_999

/** The longest identifier. Characters. */
export const MAX_IDENTIFIER = 256

/** By this apps know that a browser speaks of a session of ours. */
const PREFIX = 'lk.'

/** The id of the key and the nonce of a seal, which no two identifiers share. Characters. */
const NAME_LENGTH = 8 + 1 + 16

/** What an identifier says to us. */
export interface Named {
  readonly sid: string
  /** When its session began. Seconds since the epoch. */
  readonly began?: number
}

/** A name by which a browser calls a session and its key. It opens nothing. */
export async function newIdentifier({ keys }: AuthRequest, named: Named): Promise<string> {
  const sealer = await keys.sealer('bound-id')
  return PREFIX + (await sealer.seal({ ...named }, FOREVER))
}

/** The session that an identifier names; `undefined`: no secret in use has made it. No store is asked. */
export async function namedBy(
  { keys }: AuthRequest,
  identifier: string,
): Promise<Named | undefined> {
  if (!identifier.startsWith(PREFIX)) return undefined
  const opened = await (await keys.sealer('bound-id')).open(identifier.slice(PREFIX.length))
  const { sid, began } = opened ?? {}
  if (typeof sid !== 'string' || !isSid(sid)) return undefined
  return typeof began === 'number' ? { sid, began } : { sid }
}

/** The part of an identifier that no other one has. It names the identifier in a row and in challenges. */
export function nameOf(identifier: string): string {
  return identifier.slice(PREFIX.length, PREFIX.length + NAME_LENGTH)
}

/** Was an identifier made with a secret that no longer signs? */
export async function isOld({ keys }: AuthRequest, identifier: string): Promise<boolean> {
  // A seal begins with the id of its key.
  const now = await (await keys.sealer('bound-id')).seal({}, FOREVER)
  return idOf(now) !== idOf(identifier.slice(PREFIX.length))
}

function idOf(sealed: string): string | undefined {
  return sealed.split('.', 1)[0]
}
