import type { SessionClaims } from '@latchkey/session'
import type { AuthRequest } from '../http/request.js'
import { announce } from './announce.js'
import { finishMerge, settled } from './changes.js'
import { changeDocument, type KeptWay, readDocument, readPerson } from './documents.js'
import { ownerIn, personKey, readWay, wayKey } from './way-document.js'

/** How often somebody is read again who was changed meanwhile. */
const TRIES = 20

/**
 * Takes another person in, of whom the asker has just proved a way: what was theirs is the asker's from then on.
 * One write decides, so that it happens once, whoever else tries.
 *
 * @param proved the way, as an entry
 * @returns `false`: it cannot be done, since they have a second factor, are somebody else's now, being deleted,
 *   or about to change themselves, perhaps by taking in the asker
 * @throws {AccessDenied} these would be too many ways
 * @throws {StoreUnavailable} tried again, it goes on
 */
export async function takeIn(
  request: AuthRequest,
  asker: SessionClaims,
  from: string,
  proved: KeptWay,
): Promise<boolean> {
  const { sub } = asker
  // Their sign-ins look at their own document from now on, which is what decides.
  if (!(await hasDocument(request, from, proved.way))) return false
  for (let tries = 0; tries < TRIES; tries++) {
    const { ways, factor } = (await settled(request, from)) ?? { ways: [proved] }
    // One proof of theirs is not what their sign-ins take.
    if (factor) return false
    const taken = ways.map((way) => ({ ...(way.way === proved.way ? proved : way), from }))
    await announce(request, asker, taken)
    const { version, person = { ways: [proved] } } = await readPerson(request, from)
    if (person.mergedInto !== undefined) {
      if (person.mergedInto === sub) await finishMerge(request, sub, from)
      return person.mergedInto === sub
    }
    // What they are adding at this moment would be theirs alone afterwards, and seen by nobody.
    if (person.erasing || person.factor || person.ways.some(({ state }) => state !== undefined))
      return false
    const names = new Set(taken.map(({ way }) => way))
    if (!person.ways.every(({ way }) => names.has(way))) continue
    const decided = { ...person, mergedInto: sub }
    if (await changeDocument(request, personKey(from), version, decided)) {
      await finishMerge(request, sub, from)
      return true
    }
  }
  return false
}

/** Does the ledger say whose the way is? What only follows from the account is written down. */
async function hasDocument(request: AuthRequest, from: string, way: string): Promise<boolean> {
  const key = wayKey(way)
  const document = await readDocument(request, key)
  const known = readWay(document)
  if (known) return ownerIn(known) === from
  const first = { owner: from, first: true }
  if (await changeDocument(request, key, document?.version ?? 0, first)) return true
  return ownerIn(readWay(await readDocument(request, key))) === from
}
