import { StoreUnavailable } from '../../errors.js'
import { logEvent } from '../../http/log-event.js'
import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import {
  changeDocument,
  changePerson,
  forgetDeleted,
  readDocument,
  readPerson,
} from '../../person/documents.js'
import { formerSubOf } from '../../person/former-sub.js'
import { isMail, ownSubOf, readWay, wayKey } from '../../person/way-document.js'
import { emit } from '../../session/callbacks.js'
import { endErased, eraseRecords } from '../../session/erase.js'
import { endConnection } from '../connections/end-connection.js'
import { settled } from '../ways/changes.js'
import { inUse } from '../ways/decide-release.js'
import { addressesOf } from '../ways/list.js'
import { notifyErased } from '../ways/notify.js'
import { stopAdding } from '../ways/stop-adding.js'
import { blockedAgain, forgetPerson } from './forget-person.js'

type By = 'person' | 'operator'

/**
 * How many ways the list marks as erased together: each costs some five calls, and a Worker has 50
 * or 1,000.
 */
const PART = 5

/**
 * Deletes everything that is kept of a person.
 *
 * @throws {StoreUnavailable} called again, it finishes
 */
export async function erasePerson(request: AuthRequest, sub: string): Promise<void> {
  const eraseRest = await eraseDocuments(request, sub, 'operator')
  await eraseRest()
}

/**
 * Goes on with an erasure that its person has asked for, and that has failed after their sessions had ended: by then they
 * cannot ask again.
 *
 * @throws {StoreUnavailable} called again, it goes on
 */
export async function goOnErasing(request: AuthRequest, sub: string): Promise<void> {
  const addresses = await addressesOf(request, { sub })
  const eraseRest = await eraseDocuments(request, sub, 'person')
  await notifyErased(request, addresses)
  await eraseRest().catch((error: Error) => request.config.logger.error(error))
}

/**
 * Ends the sessions of a person, and deletes all of their data. The list of their ways goes last,
 * after the documents that only it names, so that a call after a failure finds the rest.
 *
 * @returns deletes the records of their sessions, which takes a call for each: a Worker has 50 or
 * 1,000 for a request. Records that it leaves are over already, and lapse
 * @throws {StoreUnavailable}
 */
export async function eraseDocuments(
  request: AuthRequest,
  sub: string,
  by: By,
): Promise<() => Promise<void>> {
  const people = [sub]
  // Only the operator ends a block.
  const keepsBlocks = by === 'person'
  const end = async (one: string) => {
    if (one !== sub) people.push(one)
    await endErased(request, one, by)
  }
  await beginToErase(request, sub, by)
  await end(sub)
  // A session that has ended now may have added the first further way meanwhile.
  await beginToErase(request, sub, by)
  // A merge that was decided and is not finished would leave ways that sign in as them, and that no list has.
  await stopAdding(request, sub)
  const person = await settled(request, sub)
  const done = new Set<string>()
  const all = (person?.ways.length ?? 0) + (person?.removed?.length ?? 0)
  const note = async (way: string) => {
    done.add(way)
    if (done.size % PART === 0 && done.size < all) await takeOut(request, sub, done)
  }
  for (const entry of person?.ways ?? []) {
    const { way, provider } = entry
    const revokeAtProvider = await endConnection(request, { sub, way, provider })
    request.waitUntil(revokeAtProvider())
    await eraseWay(request, sub, way, await formerSubOf(entry), end, keepsBlocks)
    await note(way)
  }
  for (const way of person?.removed ?? []) {
    // Passkeys are removed without a trace.
    await eraseWay(request, sub, way, ownSubOf(way) ?? sub, end, keepsBlocks)
    await note(way)
  }
  for (const former of person?.were ?? []) {
    const { mergedInto } = (await readPerson(request, former)).person ?? {}
    if (mergedInto === undefined) continue
    await end(former)
    await forgetPerson(request, former, false, keepsBlocks)
  }
  await forgetDeleted(request, person?.deleted?.map(({ key }) => key) ?? [])
  // A session that began before a block was there again ends too.
  if (await forgetPerson(request, sub, false, keepsBlocks)) await end(sub)
  await logEvent(request, { event: 'person-erased', sub, by })
  // The operator knows.
  if (by === 'person') await emit(request, 'deletePerson', { sub })
  return async () => {
    for (const one of people) await eraseRecords(request, one)
  }
}

/** From now on no request adds a way to them. */
async function beginToErase(request: AuthRequest, sub: string, by: By): Promise<void> {
  const asked = by === 'person' ? { asked: nowInSeconds(request) } : {}
  await changePerson(request, sub, (person) =>
    person && !person.erasing ? { ...person, erasing: true, ...asked } : undefined,
  )
}

/**
 * Ways without an owner now: a request that goes on after this one has run out of calls begins with
 * the next one.
 */
async function takeOut(
  request: AuthRequest,
  sub: string,
  done: ReadonlySet<string>,
): Promise<void> {
  await changePerson(request, sub, (person) => {
    const removed = person?.removed?.filter((way) => !done.has(way))
    const ways = person?.ways.filter(({ way }) => !done.has(way)) ?? []
    return person && { ...person, ways, ...(removed ? { removed } : {}) }
  })
}

/**
 * A person who signs in with it afterwards is new.
 *
 * @param own the `sub` of the person who may have begun with it
 * @param end ends the sessions of another person who goes too
 * @param keepsBlocks does a block of that person stay?
 */
async function eraseWay(
  request: AuthRequest,
  sub: string,
  way: string,
  own: string,
  end: (sub: string) => Promise<void>,
  keepsBlocks: boolean,
): Promise<void> {
  const { ledger } = request.stores
  const [document, { person }] = await Promise.all([
    readDocument(request, wayKey(way)),
    readPerson(request, own),
  ])
  // A person that this one has taken in, directly or over another one.
  const isTakenIn = own !== sub && person?.mergedInto !== undefined
  if (isTakenIn) await end(own)
  const isBlocked = isTakenIn && (await forgetPerson(request, own, isMail(way), keepsBlocks))
  const entry = readWay(document)
  const isTheirs = entry && ('owner' in entry ? entry.owner : entry.removed) === sub
  // Their own stay until the list is gone: without a document one would sign in as them, and ask for no factor.
  if (!isTheirs || ownSubOf(way) === sub) return
  const isTheirOwn = isBlocked && ownSubOf(way) === own
  const left = isTheirOwn ? { owner: own, first: true } : inUse(sub, way, own, { person })
  if (!left) {
    await ledger.forget(way)
    // A block that came meanwhile has found the way with an owner.
    if (isTakenIn) await blockedAgain(request, own, (await readPerson(request, own)).person)
  } else if (!(await changeDocument(request, wayKey(way), document?.version ?? 0, left))) {
    throw new StoreUnavailable('A way is being changed meanwhile.')
  }
}
