import { StoreUnavailable } from '../../errors.js'
import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import { setBlock } from '../../person/block.js'
import { ownWaysOf, readClaim } from '../../person/claim.js'
import {
  changeDocument,
  changePerson,
  contentOfPerson,
  readDocument,
  readPerson,
} from '../../person/documents.js'
import { formerSubOf } from '../../person/former-sub.js'
import type { ReadPerson } from '../../person/found-way.js'
import {
  hasMoved,
  isBlocked,
  type Person,
  type PersonWay,
  withDeleted,
  withWay,
} from '../../person/person.js'
import { ownerIn, ownSubOf, personKey, readWay, wayKey } from '../../person/way-document.js'
import { endSessionsOfMerged } from '../../session/erase.js'
import type { SignedIn } from '../../session/signed-in.js'
import { endConnection } from '../connections/end-connection.js'
import { moveConnection } from '../connections/move-connection.js'
import { decideRelease } from './decide-release.js'
import { notify } from './notify.js'
import { waysSettings } from './settings.js'
import { isMeans } from './strength.js'

// A change is two writes: one to the way's document, which sign-ins read, and before it one to the
// person's, so that no way signs in as a person who does not see it. A failure between them is
// repaired before the next change.

/** How often a document is read again after a faster request. */
const TRIES = 20

/**
 * A way that was to be added this long ago is no longer added by the request that began it.
 * Seconds.
 */
const ABANDONED = 15 * 60

/** A change to a person's ways that is not finished. */
type Pending = PersonWay & Required<Pick<PersonWay, 'state'>>

/**
 * Finishes changes of a person's ways that failed halfway.
 *
 * @returns the person; a way that is still `adding` may belong to a running request
 * @throws {StoreUnavailable}
 */
export async function settled(request: AuthRequest, sub: string): Promise<Person | undefined> {
  const { person } = await readPerson(request, sub)
  const pending = person?.ways.filter((way): way is Pending => way.state !== undefined) ?? []
  if (pending.length === 0) return person
  for (const way of pending) {
    if (way.state === 'removing') await finishRemoving(request, sub, way.way)
    else await finishAdding(request, sub, way)
  }
  return (await readPerson(request, sub)).person
}

async function finishAdding(
  request: AuthRequest,
  sub: string,
  { way, from, since = 0 }: Pending,
): Promise<void> {
  const owner = ownerIn(readWay(await readDocument(request, wayKey(way))))
  // Another request may have announced it since, as another person's way.
  for (const one of new Set([from, owner])) {
    if (one === undefined || one === sub) continue
    const { person } = await readPerson(request, one)
    if (person?.mergedInto === sub) return finishMerge(request, sub, one)
  }
  if (owner === sub) return markAdded(request, sub, way)
  if (nowInSeconds(request) - since > ABANDONED) await takeOut(request, sub, way)
}

/** The way is the person's: its entry says so from now on, and the person gets a notice. */
export async function markAdded(
  request: AuthRequest,
  sub: string,
  way: string,
  signedIn?: SignedIn,
): Promise<void> {
  const { person, isChanged } = await changePerson(request, sub, (person) => {
    const entry = person?.ways.find((one) => one.way === way && one.state === 'adding')
    const removed = person?.removed?.filter((one) => one !== way)
    const rest = removed && { removed }
    return person && entry && { ...withWay(person, way, standing(entry)), ...rest }
  })
  if (person && isChanged) await notify(request, { change: 'added', sub, way, person, signedIn })
}

/** The way has not become the person's. */
async function takeOut(request: AuthRequest, sub: string, way: string): Promise<void> {
  await changePerson(request, sub, (person) => {
    const entry = person?.ways.find((one) => one.way === way && one.state === 'adding')
    return person && entry && withWay(person, way, undefined)
  })
}

/**
 * Takes a way from a person whose entry says `removing`: first from the sign-ins, then from the list.
 *
 * @throws {StoreUnavailable}
 */
export async function finishRemoving(
  request: AuthRequest,
  sub: string,
  way: string,
): Promise<void> {
  const { person } = await readPerson(request, sub)
  const pending = person?.ways.find((one) => one.way === way && one.state === 'removing')
  if (!pending) return
  const { provider } = pending
  const subjects = await appSubjects(request, way, person?.were ?? [])
  const taken = [await formerSubOf(pending), ...subjects].filter((from) => from !== sub)
  const left = await release(request, sub, way, taken)
  if (!left) return
  const revokeAtProvider = await endConnection(request, { sub, way, provider })
  request.waitUntil(revokeAtProvider())
  let before: Person | undefined
  let announce: readonly ((before: Person) => Promise<void>)[] = []
  const { isChanged } = await changePerson(request, sub, (person) => {
    before = person
    const entry = person?.ways.find((one) => one.way === way && one.state === 'removing')
    if (!person || !entry) return undefined
    const removed = [...(person.removed ?? []).filter((one) => one !== way), way]
    const rest = person.were?.filter((one) => !subjects.includes(one))
    // Without a document the app may say that a way is theirs.
    const isNoted = left.isKept || request.features.ports.subjects?.isShared(request)
    const deleted = withDeleted(person.deleted, left.deleted, nowInSeconds(request))
    const changes = {
      ...(isNoted ? { removed } : {}),
      ...(rest ? { were: rest } : {}),
      ...(person.deleted || deleted.length > 0 ? { deleted } : {}),
      ...(isMeans(request, person, way) ? { hadMeans: true as const } : {}),
    }
    const without = { ...withWay(person, way, undefined), ...changes }
    const lost = request.features
      .hooks('person', 'losing')
      .flatMap((losing) => losing(request, sub, without) ?? [])
    announce = lost.map((one) => one.announce)
    return lost.reduce<Person>((now, one) => one.without(now), without)
  })
  if (!before || !isChanged) return
  await notify(request, { change: 'removed', sub, way, person: before })
  for (const say of announce) await say(before)
}

/** Each `sub` that the app has given a way, of people who were taken in with it. */
async function appSubjects(
  request: AuthRequest,
  way: string,
  were: readonly string[],
): Promise<readonly string[]> {
  const claims = await Promise.all(were.map((one) => readClaim(request, one)))
  return were.filter((_, at) => claims[at]?.way === way)
}

/**
 * Takes a way from the sign-ins of a person, and frees the people who were taken in with it: each is a person of their own
 * then. They are free before the way is, so that the way signs in a person who sees it at any moment.
 *
 * @param taken the ids of people who may have been taken in with it
 * @returns does a document stay, which says that the way was removed, and which were deleted? `undefined`: it is not being
 *   removed any more, or its person is blocked
 */
async function release(
  request: AuthRequest,
  sub: string,
  way: string,
  taken: readonly string[],
): Promise<Released | undefined> {
  const settings = waysSettings(request)
  for (let tries = 0; tries < TRIES; tries++) {
    // In this order: if a person is taken in again, or the way is added again, a write below finds
    // another version.
    const people = await Promise.all(taken.map((from) => readPerson(request, from)))
    const document = await readDocument(request, wayKey(way))
    const { person } = await readPerson(request, sub)
    const entry = readWay(document)
    const decided = decideRelease({ ...settings, sub, way, person, entry, taken, people })
    if (decided.does === 'nothing') return undefined
    if (decided.does === 'leave') return { isKept: false, deleted: [] }
    if (!(await freeAll(request, taken, people))) continue
    const at = nowInSeconds(request)
    const freed = taken.filter((_, index) => isDeleted(people[index]))
    const keys = (isLeft: boolean) => [...freed.map(personKey), ...(isLeft ? [] : [wayKey(way)])]
    const deleted = (isLeft: boolean) => keys(isLeft).map((key) => ({ key, at }))
    const { isKept } = decided
    if (decided.does === 'free') {
      return { isKept, deleted: deleted(!document || entry !== undefined) }
    }
    const { left } = decided
    if (await changeDocument(request, wayKey(way), document?.version ?? 0, left)) {
      if (left === null) await keepBlocks(request, freed)
      return { isKept, deleted: deleted(left !== null) }
    }
  }
  throw new StoreUnavailable('A way is being changed all the time.')
}

/**
 * Writes a block again that has come since its person was read: it has found the way with another owner, and now the way has no
 * document, by which a sign-in would read it.
 */
async function keepBlocks(request: AuthRequest, people: readonly string[]): Promise<void> {
  for (const sub of people) {
    const { person } = await readPerson(request, sub)
    if (person?.blocked) await setBlock(request, sub, person.blocked)
  }
}

interface Released {
  readonly isKept: boolean
  readonly deleted: NonNullable<Person['deleted']>
}

/** Was the person's document deleted after it was read? */
function isDeleted({ version, person }: ReadPerson = { version: 0, person: undefined }): boolean {
  return version > 0 && (!person || (hasMoved(person) && !isBlocked(person)))
}

/** @returns `false`: one of them was changed meanwhile */
async function freeAll(
  request: AuthRequest,
  taken: readonly string[],
  people: readonly ReadPerson[],
): Promise<boolean> {
  for (const [at, from] of taken.entries()) {
    const { version = 0, person } = people[at] ?? {}
    // The person who took them in may have been taken in as well. Ways that have not moved yet are
    // still theirs.
    if (!person || !hasMoved(person)) continue
    const { blocked } = person
    const left = blocked ? contentOfPerson({ ways: [], blocked }) : null
    if (!(await changeDocument(request, personKey(from), version, left))) return false
  }
  return true
}

/**
 * Finishes a merge that version 0.2 began, after one write had decided that a person is another one. Nothing begins one.
 *
 * @throws {StoreUnavailable} called again, it goes on
 */
export async function finishMerge(request: AuthRequest, sub: string, from: string): Promise<void> {
  const { person } = await readPerson(request, from)
  if (person?.mergedInto !== sub) return
  if (person.ways.length > 0) {
    // Their sessions end first: the rest only lets them sign in as the other.
    await endSessionsOfMerged(request, from)
    await request.features.gone(request, from)
    for (const way of person.ways) await moveWay(request, sub, from, way)
    await moveRemoved(request, sub, from, person)
    await noteAppSubject(request, sub, from, person.were ?? [])
  }
  const both = (await readPerson(request, sub)).person
  const { isChanged } = await changePerson(request, from, (person) =>
    person?.mergedInto === sub && person.ways.length > 0
      ? { ...(person.blocked ? { blocked: person.blocked } : {}), mergedInto: sub, ways: [] }
      : undefined,
  )
  if (both && isChanged) await notify(request, { change: 'merged', sub, from, person: both })
  // A failed merge goes on from a pending way in the other's list, so this comes last.
  const pending = both?.ways.filter((way) => isPending(way, from)) ?? []
  const owners = await Promise.all(
    pending.map(async ({ way }) => ownerIn(readWay(await readDocument(request, wayKey(way))))),
  )
  // One that was announced before, and that the person has removed since, has not moved.
  const moved = new Map(pending.map(({ way }, at) => [way, owners[at] === sub]))
  await changePerson(request, sub, (person) => {
    if (!person?.ways.some((way) => isPending(way, from) && moved.has(way.way))) return undefined
    const ways = person.ways.flatMap((way) => {
      if (!isPending(way, from) || !moved.has(way.way)) return way
      return moved.get(way.way) ? standing(way) : []
    })
    return { ...person, ways }
  })
}

function isPending({ state, from }: PersonWay, whose: string): boolean {
  return state === 'adding' && from === whose
}

async function moveWay(
  request: AuthRequest,
  sub: string,
  from: string,
  { way, provider }: PersonWay,
): Promise<void> {
  await moveOwner(request, sub, from, way)
  await moveConnection(request, { sub: from, way, provider }, sub)
}

/** @throws {StoreUnavailable} */
async function moveOwner(
  request: AuthRequest,
  sub: string,
  from: string,
  way: string,
): Promise<void> {
  const key = wayKey(way)
  for (let tries = 0; tries < TRIES; tries++) {
    const document = await readDocument(request, key)
    const entry = readWay(document)
    // An own way without a document signs in as the person it follows from.
    const isTheirs = entry ? ownerIn(entry) === from : ownSubOf(way) === from
    if (!isTheirs) return
    // Read after it: if they were freed since, the way is theirs again, and another request has finished the merge.
    const { person } = await readPerson(request, from)
    if (person?.mergedInto !== sub || !person.ways.some((one) => one.way === way)) return
    if (await changeDocument(request, key, document?.version ?? 0, { owner: sub })) return
  }
  throw new StoreUnavailable('A way is being changed all the time.')
}

/** The most removed ways that move: those that are left behind sign no user in either. */
const MAX_REMOVED = 100

/**
 * A way that a person has removed may be added again by the person they are now, and goes when they
 * are erased.
 */
async function moveRemoved(
  request: AuthRequest,
  sub: string,
  from: string,
  { removed = [], deleted = [] }: Person,
): Promise<void> {
  const moved = removed.slice(-MAX_REMOVED)
  for (const way of moved) {
    const document = await readDocument(request, wayKey(way))
    const entry = readWay(document)
    if (!entry || !('removed' in entry) || entry.removed !== from) continue
    await changeDocument(request, wayKey(way), document?.version ?? 0, { removed: sub })
  }
  await changePerson(request, sub, (person) => {
    const all = new Set([...(person?.removed ?? []), ...moved])
    const both = withDeleted(person?.deleted, deleted, nowInSeconds(request))
    const isMore =
      all.size > (person?.removed?.length ?? 0) || both.length > (person?.deleted?.length ?? 0)
    const lists = {
      ...(all.size > 0 ? { removed: [...all] } : {}),
      ...(both.length > 0 ? { deleted: both } : {}),
    }
    return person && isMore ? { ...person, ...lists } : undefined
  })
}

/** The most that are known; the others keep only their link to the new person. */
const MAX_WERE = 20

/**
 * Ids of the app do not follow from a way, so the person's list names them: an erasure has to find
 * them.
 */
async function noteAppSubject(
  request: AuthRequest,
  sub: string,
  from: string,
  before: readonly string[],
): Promise<void> {
  const own = await ownWaysOf(request, from)
  const were = own.length > 0 ? before : [...before, from]
  await changePerson(request, sub, (person) => {
    const all = new Set([...(person?.were ?? []), ...were])
    return person && all.size > (person.were?.length ?? 0)
      ? { ...person, were: [...all].slice(-MAX_WERE) }
      : undefined
  })
}

function standing({ state: _, since: __, from: ___, ...entry }: PersonWay): PersonWay {
  return entry
}
