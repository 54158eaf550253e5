import type { SessionClaims } from '@latchkey/session'
import { isRecord } from '@latchkey/session/internal'
import { beganAt } from '@latchkey/session/issue'
import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import { changePerson } from '../../person/documents.js'
import type { ReadPerson } from '../../person/found-way.js'
import { isBlocked, type Person } from '../../person/person.js'
import { isMail } from '../../person/way-document.js'
import { isRevoked } from '../../session/revoke.js'
import { type SessionWay, wayOfSession } from '../../session/session-way.js'
import { firstWay, takeBack } from '../ways/announce.js'
import { openDescribed } from '../ways/description.js'
import { type KeptPassword, sealHash } from './kept-password.js'
import { passwordSettings } from './settings.js'

/** A signed-in person, as this request has read them. */
export interface Asker {
  readonly claims: SessionClaims
  readonly read: ReadPerson
  /** The way that their session began with, if they have no document. */
  readonly way: SessionWay | undefined
  /** An address by which they sign in with a password. */
  readonly address: string | undefined
  /** The key of that address, in the ledger. */
  readonly name: string | undefined
}

/** What of a person a password needs: the address of their session first. */
export async function askerIn(
  request: AuthRequest,
  claims: SessionClaims,
  read: ReadPerson,
): Promise<Asker> {
  const { email } = passwordSettings(request)
  const isOurs = ({ provider, way }: { provider: string; way: string }) =>
    provider === email && isMail(way)
  if (!read.person) {
    const way = await wayOfSession(request, claims)
    const own = isOurs(way) ? { address: way.described.address, name: way.way } : undefined
    return { claims, read, way, address: own?.address, name: own?.name }
  }
  const ways = read.person.ways.filter((one) => isOurs(one) && one.state === undefined)
  const described = await Promise.all(ways.map((way) => openDescribed(request, way)))
  const { user } = claims.session
  const mine = isRecord(user) ? user.email : undefined
  const own = described.findIndex(({ address }) => address !== undefined && address === mine)
  const at = Math.max(own, 0)
  const address = described[at]?.address
  return { claims, read, way: undefined, address, name: ways[at]?.way }
}

/**
 * Gives a person a password, or another one, unless another request has changed it since it was read.
 *
 * @param hash of the new password
 * @returns the person, and what takes it back; `undefined`: another request was faster, or the person can have none any more
 * @throws {InvalidCheck} their session has ended
 * @throws {StoreUnavailable} it is set, or not
 */
export async function writePassword(
  request: AuthRequest,
  { claims, read, way }: Asker,
  before: KeptPassword | undefined,
  hash: string,
): Promise<{ readonly person: Person; undo(): Promise<void> } | undefined> {
  const { sub } = claims
  const isOver = () => isRevoked(request, claims)
  const first =
    read.person || !way ? [] : await firstWay(request, { sub, began: beganAt(claims), isOver }, way)
  if (!read.person && first.length === 0) return undefined
  const password: KeptPassword = {
    since: nowInSeconds(request),
    sealed: await sealHash(request, sub, hash),
    ...(before ? { ends: true as const } : {}),
  }
  const change = (known: Person | undefined): Person | undefined => {
    if (known?.erasing || known?.mergedInto !== undefined || isBlocked(known)) return undefined
    if (known?.password?.sealed !== before?.sealed) return undefined
    // An erased person must not come back.
    if (!known && read.person) return undefined
    return { ...(known ?? { ways: first, isAlone: true }), password }
  }
  const { person, isChanged } = await changePerson(request, sub, change, read)
  if (!person || !isChanged) return undefined
  const undo = async () => {
    if (!read.person && (await takeBack(request, sub, person))) return
    await changePerson(request, sub, (now) => {
      if (now?.password?.sealed !== password.sealed) return undefined
      const { password: _, ...rest } = now
      return before ? { ...rest, password: before } : rest
    })
  }
  return { person, undo }
}

/**
 * Takes the password from a person.
 *
 * @param kept as it was read; left out: whatever it is
 * @returns the person; `undefined`: they had none, or another one
 * @throws {StoreUnavailable}
 */
export async function dropPassword(
  request: AuthRequest,
  sub: string,
  kept?: KeptPassword,
  read?: ReadPerson,
): Promise<Person | undefined> {
  const change = (person: Person | undefined) => {
    if (!person?.password || (kept && person.password.sealed !== kept.sealed)) return undefined
    const { password: _, ...rest } = person
    return rest
  }
  const { person, isChanged } = await changePerson(request, sub, change, read)
  return isChanged ? person : undefined
}
