import { StoreUnavailable } from '../../errors.js'
import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import { randomToken } from '../../lib/base64url.js'
import { ownWaysOf } from '../../person/claim.js'
import {
  changeDocument,
  changePerson,
  readDocument,
  readFreed,
  readPerson,
} from '../../person/documents.js'
import type { Person } from '../../person/person.js'
import { ownSubOf, readWay, wayKey } from '../../person/way-document.js'
import type { SessionWay } from '../../session/session-way.js'
import { firstWay, takeBack } from '../ways/announce.js'
import { settled } from '../ways/changes.js'
import { hasMeans, hasStrongStep } from '../ways/strength.js'
import { factorOf } from './demand.js'
import { sealKey } from './factor-key.js'
import type { PersonFactor } from './kept-factor.js'
import { makeRecoveryCodes } from './recovery-codes.js'
import type { ExportedFactor } from './types.js'

/** The part of an export about a person's factor. */
export function factorsIn(person: Person | undefined): readonly ExportedFactor[] {
  const { added, recovery } = factorOf(person) ?? {}
  if (added === undefined || !recovery) return []
  const since = new Date(added * 1000).toISOString()
  return [{ type: 'totp', added: since, recoveryCodes: recovery.length }]
}

/** A page's name for the recovery codes that it offers to replace. */
export function codesOf(person: Person | undefined): string | undefined {
  const factor = factorOf(person)
  return factor?.codes ?? factor?.mark
}

/** The person who sets a factor up: they have proved a way just now, or lately. */
export interface SettingUp {
  readonly sub: string
  /** When their session began, or their sign-in. Seconds since the epoch. */
  readonly began: number
  /** The way that they have proved, if they have no other. */
  readonly way: SessionWay
  /** Have they proved themselves by a passkey that counts? */
  readonly isStrong?: boolean
  /** Has their session or flow ended meanwhile? */
  isOver(): Promise<boolean>
}

/**
 * Gives a person a second factor. Before that, every way that signs in as them gets a document of
 * its own: a sign-in reads the person, and so their factor, only if the way has one.
 *
 * @param key of the app, of which the code of `step` has been shown
 * @returns the person, and their recovery codes, which are kept nowhere in the clear; `undefined`:
 * they have a factor, or no longer exist
 * @throws {InvalidCheck} their session or flow has ended
 * @throws {StoreUnavailable} they may have one
 */
export async function setUpFactor(
  request: AuthRequest,
  { sub, began, way, isStrong = false, isOver }: SettingUp,
  key: Uint8Array<ArrayBuffer>,
  step: number,
): Promise<{ readonly person: Person; readonly codes: readonly string[] } | undefined> {
  let before = (await readFreed(request, sub, isOver)).person
  // A passkey that was never added does not make this the second one.
  if (before?.ways.some(({ state }) => state !== undefined)) before = await settled(request, sub)
  // Their ways belong to another person now, or are being deleted: no document must lead to this
  // one.
  if (before?.mergedInto !== undefined || before?.erasing) return undefined
  const first = before ? [] : await firstWay(request, { sub, began, isOver }, way)
  if (!before && first.length === 0) return undefined
  await documentOwnWays(request, sub, before?.ways ?? first, before?.removed)
  const { codes, hashes } = await makeRecoveryCodes(sub)
  const factor: PersonFactor = {
    sealed: await sealKey(request, sub, key),
    step,
    recovery: hashes,
    added: nowInSeconds(request),
    mark: randomToken(9),
    codes: randomToken(9),
  }
  const { person, isChanged } = await changePerson(request, sub, (known) => {
    if (known?.factor || known?.erasing || known?.mergedInto !== undefined) return undefined
    // An erased person must not come back.
    if (!known && before) return undefined
    const person = known ?? { ways: first, isAlone: true }
    const isFurther = !isStrong && hasMeans(request, person)
    return { ...person, factor: isFurther ? { ...factor, unconfirmed: {} } : factor }
  })
  if (!person || !isChanged) return undefined
  if (!(await isOver())) return { person, codes }
  // The person may have been erased, and no trace of them must be left.
  if (before || !(await takeBack(request, sub, person))) await removeFactor(request, sub)
  return undefined
}

/**
 * An id that follows from the account alone signs in as the person without a document. So each
 * account that may be a way of theirs gets a document, even if no list has it. An id from `subject`
 * does not follow from an account.
 */
async function documentOwnWays(
  request: AuthRequest,
  sub: string,
  ways: Person['ways'],
  removed: Person['removed'] = [],
): Promise<void> {
  const listed = [...ways.map(({ way }) => way), ...removed].filter((way) => ownSubOf(way) === sub)
  const own = listed.length > 0 ? listed : await ownWaysOf(request, sub)
  for (const way of own) {
    const document = await readDocument(request, wayKey(way))
    if (readWay(document)) continue
    const first = { owner: sub, first: true }
    const isOurs = await changeDocument(request, wayKey(way), document?.version ?? 0, first)
    if (!isOurs && !readWay(await readDocument(request, wayKey(way)))) {
      throw new StoreUnavailable('A way is being changed all the time.')
    }
  }
}

/**
 * Gives a person new recovery codes, which replace the earlier ones. If their app waits and a
 * session of one factor asks, the wait begins again. If a form is sent twice, one request makes
 * codes: with two, the browser could show codes that the other one has replaced.
 *
 * @param isStrong are they here by two factors?
 * @param shown the {@link codesOf} the person on the page with the form; left out: as it is when
 * the request comes
 * @returns `undefined`: they have no factor, or another one than was shown, or its codes have
 * changed since
 * @throws {StoreUnavailable}
 */
export async function renewRecoveryCodes(
  request: AuthRequest,
  sub: string,
  isStrong = false,
  shown?: string,
): Promise<{ readonly person: Person; readonly codes: readonly string[] } | undefined> {
  const read = await readPerson(request, sub)
  const replaced = shown ?? codesOf(read.person)
  const { codes, hashes } = await makeRecoveryCodes(sub)
  const change = (person: Person | undefined) => {
    const factor = factorOf(person)
    if (!person || !factor || codesOf(person) !== replaced) return undefined
    // It may have been set up, or confirmed, since the session was judged.
    if (!isStrong && hasStrongStep(request, person)) return undefined
    const confirmation = factor.unconfirmed && !isStrong ? { unconfirmed: {} } : {}
    const made = { recovery: hashes, mark: randomToken(9), codes: randomToken(9) }
    return { ...person, factor: { ...factor, ...made, ...confirmation } }
  }
  const { person, isChanged } = await changePerson(request, sub, change, read)
  return person && isChanged ? { person, codes } : undefined
}

/**
 * Takes the factor from a person. Their ways keep the documents, which cost a sign-in one call.
 *
 * @param isStrong may a factor that counts be removed?
 * @returns the person; `undefined`: they had none
 * @throws {StoreUnavailable}
 */
export async function removeFactor(
  request: AuthRequest,
  sub: string,
  isStrong = true,
): Promise<Person | undefined> {
  const { person, isChanged } = await changePerson(request, sub, (person) => {
    if (!person || !factorOf(person)) return undefined
    if (!isStrong && hasStrongStep(request, person)) return undefined
    const { factor: _, ...rest } = person
    return { ...rest, hadMeans: true }
  })
  return isChanged ? person : undefined
}

/**
 * A person says that an app is their own, so that it counts from now on.
 *
 * @param isEnough may the session that asks confirm something of this person?
 * @returns `false`: it counts already, the person has none, or the session is not enough
 * @throws {StoreUnavailable}
 */
export async function confirmFactor(
  request: AuthRequest,
  sub: string,
  isEnough: (person: Person) => boolean,
): Promise<boolean> {
  const { isChanged } = await changePerson(request, sub, (person) => {
    if (!person?.factor?.unconfirmed || !isEnough(person)) return undefined
    const { unconfirmed: _, ...factor } = person.factor
    return { ...person, factor }
  })
  return isChanged
}
