import type { AuthRequest } from '../../http/request.js'
import { readDocument } from '../../person/documents.js'
import { subjectOf } from '../../person/subject.js'
import { hereKey, ownerIn, personHere, readWay, wayKey, wayOf } from '../../person/way-document.js'
import { getPerson } from '../../session/for-operator.js'
import type { FoundPerson, SoughtPerson } from '../../types/audit.js'
import { personNames } from './entry.js'
import { recordFound } from './operated.js'

const NOBODY: FoundPerson = { sub: null, next: null }

/**
 * Finds the id of a person by the address that they sign in with, or by `person` of a line of the log, with every secret
 * in use.
 *
 * @throws {StoreUnavailable}
 */
export async function findPerson(
  request: AuthRequest,
  { email, person, after }: SoughtPerson,
): Promise<FoundPerson> {
  const found =
    email === undefined ? await ofLine(request, person, after) : await ofAddress(request, email)
  if (found.sub !== null) await recordFound(request, found.sub)
  return found
}

/** A digest leads back to nobody, so everybody who has a session is tried. */
async function ofLine(
  request: AuthRequest,
  person: string,
  after: string | undefined,
): Promise<FoundPerson> {
  const { subs, next = null } = (await request.stores.sessions.people?.(after)) ?? { subs: [] }
  const names = await Promise.all(subs.map((sub) => personNames(request, sub)))
  const at = names.findIndex((all) => all.includes(person))
  return at < 0 ? { sub: null, next } : { sub: subs[at] ?? null, next: null }
}

/** The owner of the address at the first provider of mails that knows one. */
async function ofAddress(request: AuthRequest, email: string): Promise<FoundPerson> {
  for (const provider of request.providers.usable.values()) {
    if (provider.type !== 'email') continue
    const known = provider.kind.accountOf?.(provider, email, undefined)
    if (!known) continue
    const own = await subjectOf(provider.id, known.id)
    const sub = await ownerOf(request, own)
    if (sub !== undefined && (await getPerson(request, sub)) !== null) return { sub, next: null }
  }
  return NOBODY
}

/** @param own the id that follows from the address @returns `undefined`: its person has removed the address */
async function ownerOf(request: AuthRequest, own: string): Promise<string | undefined> {
  const name = wayOf({ type: 'email', userId: own })
  const [document, trace] = await Promise.all([
    readDocument(request, wayKey(name)),
    readDocument(request, hereKey(name)),
  ])
  const way = readWay(document)
  if (way) return ownerIn(way)
  const here = personHere(trace)
  return typeof here === 'string' ? here : own
}
