import { addsOf, factorsOf } from '../http/limits.js'
import { logEvent } from '../http/log-event.js'
import type { AuthRequest } from '../http/request.js'
import { endConnection } from '../provider-tokens/connections.js'
import { emit } from '../session/callbacks.js'
import { eraseSessionsOf } from '../session/list.js'
import {
  changePerson,
  formerSubOf,
  isMail,
  ownSubOf,
  type Person,
  readDocument,
  readPerson,
} from '../ways/documents.js'
import { ownWaysOf } from '../ways/subject-claim.js'
import { readWay, wayKey } from '../ways/way-document.js'

type By = 'person' | 'operator'

/**
 * Deletes everything that is kept of a person. The list of their ways goes after all that it alone names, so
 * that a call after a failure finds what remains.
 *
 * @throws {StoreUnavailable}
 */
export async function erasePerson(
  request: AuthRequest,
  sub: string,
  by: By = 'operator',
): Promise<void> {
  await beginToErase(request, sub)
  await eraseSessionsOf(request, sub, by)
  // A session that has ended now may have added the first further way meanwhile.
  const person = await beginToErase(request, sub)
  for (const kept of person?.ways ?? []) {
    const { way, provider } = kept
    const revokeAtProvider = await endConnection(request, { sub, way, provider })
    request.waitUntil(revokeAtProvider())
    await eraseWay(request, sub, way, await formerSubOf(kept), by)
  }
  for (const way of person?.removed ?? []) {
    // Passkeys are removed without a trace.
    await eraseWay(request, sub, way, ownSubOf(way) ?? sub, by)
  }
  for (const former of person?.were ?? []) {
    const { mergedInto } = (await readPerson(request, former)).person ?? {}
    if (mergedInto === undefined) continue
    await eraseSessionsOf(request, former, by)
    await forgetPerson(request, former)
  }
  await forgetPerson(request, sub)
  await logEvent(request, { event: 'person-erased', sub, by })
  // Whoever runs the service knows.
  if (by === 'person') await emit(request, 'deletePerson', { sub })
}

/**
 * Deletes what the ledger knows of somebody by their `sub`, their claim to it among that. Nothing is deleted of another
 * person who has a way that is spelt alike.
 *
 * @param isAddress the mails of the address stay
 */
async function forgetPerson(request: AuthRequest, sub: string, isAddress = false): Promise<void> {
  const { ledger } = request.stores
  const own = await ownWaysOf(request, sub)
  for (const name of [await addsOf(sub), await factorsOf(sub)]) await ledger.forget?.(name)
  // Who they are goes first: without it what is left of a way signs in as somebody of whom nothing is known.
  await ledger.forget?.(sub, true)
  // An account's `sub` is no address's, but a second factor may have left a document of one.
  for (const name of isAddress ? [sub] : own) {
    const way = readWay(await readDocument(request, wayKey(name)))
    const holder = way && ('owner' in way ? way.owner : way.removed)
    if (holder === undefined || holder === sub) await ledger.forget?.(name)
  }
}

/** From now on nobody adds a way to them. */
async function beginToErase(request: AuthRequest, sub: string): Promise<Person | undefined> {
  const { person } = await changePerson(request, sub, (known) =>
    known && !known.erasing ? { ...known, erasing: true } : undefined,
  )
  return person
}

/**
 * Whoever signs in with it afterwards is somebody who has never been here.
 *
 * @param own the `sub` of who may have begun with it
 */
async function eraseWay(
  request: AuthRequest,
  sub: string,
  way: string,
  own: string,
  by: By,
): Promise<void> {
  const { ledger } = request.stores
  const [document, { person }] = await Promise.all([
    readDocument(request, wayKey(way)),
    readPerson(request, own),
  ])
  // Somebody whom the person has taken in, or who was by somebody whom they have.
  if (own !== sub && person?.mergedInto !== undefined) {
    await eraseSessionsOf(request, own, by)
    await forgetPerson(request, own, isMail(way))
  }
  const known = readWay(document)
  const isTheirs = known && ('owner' in known ? known.owner : known.removed) === sub
  // Their own stay until the list is gone: without a document one would sign in as them, and ask for no factor.
  if (isTheirs && ownSubOf(way) !== sub) await ledger.forget?.(way)
}
