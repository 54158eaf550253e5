import { DamagedRecord } from '../errors.js'
import type { AuthRequest } from '../http/request.js'
import { changeDocument, readDocument } from './documents.js'
import type { Claim } from './found-way.js'
import { mayBeOwnSub } from './subject.js'
import { contentOf, ownSubOf, subjectKey } from './way-document.js'

/** @throws {DamagedRecord} the sign-in is refused then @throws {StoreUnavailable} */
export async function readClaim(request: AuthRequest, sub: string): Promise<Claim> {
  const document = await readDocument(request, subjectKey(sub))
  const version = document?.version ?? 0
  const content = contentOf(document)
  if (!content) return { version }
  const { way, unseen } = content
  if (typeof way !== 'string' || way === '') {
    throw new DamagedRecord('The document of a subject cannot be read.')
  }
  return { version, way, ...(unseen === true ? { unseen } : {}) }
}

/**
 * Writes the owner of a `sub`, unless another request was faster.
 *
 * @param version the one that was read
 * @returns has this call written it?
 * @throws {StoreUnavailable}
 */
export function writeClaim(
  request: AuthRequest,
  sub: string,
  version: number,
  claim: Omit<Claim, 'version'>,
): Promise<boolean> {
  return changeDocument(request, subjectKey(sub), version, claim)
}

/**
 * The names of the ways with this `sub` of their own: as an account, and as an address. None if
 * `subject` has given it, for then they may be another person's.
 *
 * @throws {StoreUnavailable}
 */
export async function ownWaysOf(request: AuthRequest, sub: string): Promise<readonly string[]> {
  if (sub.includes(':')) return []
  const { way } = await readClaim(request, sub)
  return way === undefined || ownSubOf(way) === sub ? [sub, `email:${sub}`] : []
}

/** The account and the address whose own id a `sub` may be, by its form. */
export function waysByForm(sub: string): readonly string[] {
  return mayBeOwnSub(sub) ? [sub, `email:${sub}`] : []
}

/**
 * The ways by which a `sub` came about: the one to which the app has given it, or an account and an address of which it is the own
 * id. Documents that a way has for the person are written by this, and an erasure deletes them by this and by {@link waysByForm}.
 *
 * @throws {DamagedRecord} @throws {StoreUnavailable}
 */
export async function firstWaysOf(request: AuthRequest, sub: string): Promise<readonly string[]> {
  const { way } = await readClaim(request, sub)
  if (way !== undefined && ownSubOf(way) !== sub) return [way]
  return waysByForm(sub)
}

/**
 * Has `subject` given a `sub` to this way before any other? It is a first way of that person then, as one is that the
 * `sub` follows from.
 *
 * @throws {StoreUnavailable}
 */
export async function isGivenTo(request: AuthRequest, way: string, sub: string): Promise<boolean> {
  return (
    request.features.ports.subjects !== undefined && (await readClaim(request, sub)).way === way
  )
}
