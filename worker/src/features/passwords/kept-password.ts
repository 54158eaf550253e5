import { isRecord } from '@latchkey/session/internal'
import type { AuthRequest } from '../../http/request.js'
import type { Person } from '../../person/person.js'

/** A password of a person, as their document has it. Times are seconds since the epoch. */
export interface KeptPassword {
  /** When it was set. */
  readonly since: number
  /** The hash, bound to the person; unreadable once its secret is retired. */
  readonly sealed: string
  /** It has replaced another one: sessions that began by `since` end. */
  readonly ends?: true
}

declare module '../../person/person.js' {
  interface Person {
    readonly password?: KeptPassword
  }
}

/** A hash that can be read. */
export interface ReadHash {
  readonly hash: string
  /** Has another system made it, of the text as it was typed? */
  readonly isOld?: boolean
  /** Is it sealed under the first secret? */
  readonly isNewest: boolean
}

/** It stays for as long as the password. Seconds. */
const FOR_GOOD = Number.MAX_SAFE_INTEGER

export async function sealHash(
  request: AuthRequest,
  sub: string,
  { hash, isOld }: Pick<ReadHash, 'hash' | 'isOld'>,
): Promise<string> {
  const sealer = await request.keys.sealer('password')
  return sealer.seal({ sub, hash, ...(isOld ? { old: true } : {}) }, FOR_GOOD)
}

/** @returns `undefined` if it was sealed with a secret that is no longer in use, or for another person */
export async function openHash(
  request: AuthRequest,
  sub: string,
  { sealed }: KeptPassword,
): Promise<ReadHash | undefined> {
  const sealer = await request.keys.sealer('password')
  const content = await sealer.open(sealed)
  if (!isRecord(content) || content.sub !== sub || typeof content.hash !== 'string')
    return undefined
  const keyOf = (text: string) => text.split('.', 1)[0]
  const isNewest = keyOf(sealed) === keyOf(await sealer.seal({}, 1))
  return { hash: content.hash, isOld: content.old === true, isNewest }
}

/** The password of an existing person: not being erased, and not merged into another. */
export function passwordOf(person: Person | undefined): KeptPassword | undefined {
  return person?.erasing || person?.mergedInto !== undefined ? undefined : person?.password
}

/** The part of an export about a person's password. */
export function exportedPassword(person: Person | undefined) {
  const kept = passwordOf(person)
  return kept ? { password: { since: new Date(kept.since * 1000).toISOString() } } : {}
}
