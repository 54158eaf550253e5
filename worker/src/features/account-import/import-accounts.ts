import type { ImportRow } from '@latchkey/host/shared'
import { DamagedRecord } from '../../errors.js'
import type { AuthRequest } from '../../http/request.js'
import { asPerson } from '../../person/documents.js'
import { isSubject, mayBeOwnSub, subjectOf } from '../../person/subject.js'
import {
  connectionKey,
  contentOf,
  hereKey,
  ownerIn,
  personHere,
  personKey,
  readWay,
  subjectKey,
  wayKey,
  wayOf,
} from '../../person/way-document.js'
import {
  type Account,
  claimAll,
  type DocumentsByKey,
  type Fate,
  insert,
  isGone,
  type LeftOut,
  listAll,
} from './claim-accounts.js'

/** What became of the accounts of a batch. */
interface Imported {
  readonly added: number
  /** They were the same people's before. */
  readonly known: number
  /** By their place in the batch. */
  readonly left: readonly (readonly [at: number, why: LeftOut])[]
}

/**
 * Makes imported accounts ways of the people who had them in the old library: a person who proves
 * one is signed in as themselves. Existing accounts stay with their owners, so that it may be
 * repeated.
 *
 * @throws {StoreUnavailable} some of it may be done
 */
export async function importAccounts(
  request: AuthRequest,
  rows: readonly ImportRow[],
): Promise<Imported> {
  const named = await Promise.all(rows.map((row) => nameOf(request, row)))
  const ways = new Map<string, Account>()
  for (const one of named) {
    if (typeof one !== 'string' && !ways.has(one.way)) ways.set(one.way, one)
  }
  const fates = await fatesOf(request, ways)
  const passwords = await keepHashes(request, rows, (at) => {
    const one = named[at] as Account
    const fate = fateOf(one, ways, fates)
    return fate === 'added' || fate === 'known' ? one.sub : undefined
  })
  const left: [number, LeftOut][] = []
  let [added, known] = [0, 0]
  for (const [at, one] of named.entries()) {
    const why = passwords.get(at) ?? fateOf(one, ways, fates)
    if (why === 'known') known++
    else if (why === 'added') added++
    else left.push([at, why])
  }
  return { added, known, left }
}

/**
 * Keeps the hashes of people whose address is theirs by now.
 *
 * @param ownerOf the person of the account at a place of the batch; `undefined`: it was left out
 * @returns what became of them, by their places
 */
async function keepHashes(
  request: AuthRequest,
  rows: readonly ImportRow[],
  ownerOf: (at: number) => string | undefined,
): Promise<ReadonlyMap<number, Fate>> {
  const brought = rows.flatMap(([, , , , hash], at) => {
    const sub = hash === undefined ? undefined : ownerOf(at)
    return sub === undefined || hash === undefined ? [] : [{ at, sub, hash }]
  })
  const entries = brought.map(({ sub }) => ({ key: personKey(sub), content: null }))
  const documents = await insert(request, entries)
  const kept = brought.map(async ({ at, sub, hash }, place) => {
    try {
      const read = asPerson(request, documents[place] ?? undefined)
      const fate = await request.features.ports.oldHashes?.keep(request, sub, hash, read)
      return [at, fate ?? 'damaged'] as const
    } catch (error) {
      if (error instanceof DamagedRecord) return [at, 'damaged'] as const
      throw error
    }
  })
  return new Map(await Promise.all(kept))
}

function fateOf(
  one: Account | LeftOut,
  ways: ReadonlyMap<string, Account>,
  fates: ReadonlyMap<string, Fate>,
): Fate {
  if (typeof one === 'string') return one
  const first = ways.get(one.way)
  if (first?.sub !== one.sub) return 'taken'
  const fate = fates.get(one.way) ?? 'damaged'
  return fate === 'added' && first !== one ? 'known' : fate
}

async function nameOf(
  { providers }: AuthRequest,
  [sub, id, account, issuer]: ImportRow,
): Promise<Account | LeftOut> {
  if (!isSubject(sub)) return 'bad-id'
  // It could be the own id of an account: a person who proves that account would be the same
  // person.
  if (mayBeOwnSub(sub)) return 'id-of-ours'
  const provider = providers.usable.get(id)
  if (!provider?.kind.accountOf) return 'unknown-provider'
  const known = provider.kind.accountOf(provider, account, issuer)
  if (!known) return 'bad-account'
  const userId = await subjectOf(id, known.id, known.tenant)
  return { sub, provider: id, way: wayOf({ type: provider.type, userId }), own: userId }
}

async function fatesOf(
  request: AuthRequest,
  ways: ReadonlyMap<string, Account>,
): Promise<ReadonlyMap<string, Fate>> {
  const documents = await readTogether(request, ways.values())
  const isUnused = (await request.stores.sessions.isEmpty?.()) === true
  const fates = new Map<string, Fate>()
  const free = new Map<string, Account[]>()
  const judged = [...ways.values()].map(async (account) => {
    const fate = standing(request, account, ways, documents)
    if (fate) return [account, fate] as const
    const isOthers = !isUnused && (await hasSession(request, account))
    return [account, isOthers ? 'taken' : undefined] as const
  })
  for (const [account, fate] of await Promise.all(judged)) {
    const others = free.get(account.sub) ?? []
    if (fate) fates.set(account.way, fate)
    else free.set(account.sub, others)
    if (!fate) others.push(account)
  }
  const listed = await listAll(request, free, documents, fates)
  await claimAll(request, listed, fates)
  return fates
}

async function readTogether(
  request: AuthRequest,
  accounts: Iterable<Account>,
): Promise<DocumentsByKey> {
  const keys = new Set<string>()
  for (const { sub, way, own } of accounts) {
    for (const key of [wayKey(way), personKey(sub), subjectKey(sub), personKey(own)]) keys.add(key)
    for (const key of [connectionKey(own, way), hereKey(way)]) keys.add(key)
  }
  const entries = [...keys].map((key) => ({ key, content: null }))
  const documents = await insert(request, entries)
  return new Map(entries.map(({ key }, at) => [key, documents[at] ?? null]))
}

/** The documents' answer about an account; `undefined`: it has no owner. */
function standing(
  request: AuthRequest,
  { sub, way, own }: Account,
  ways: ReadonlyMap<string, Account>,
  documents: DocumentsByKey,
): Fate | undefined {
  const at = (key: string) => documents.get(key) ?? undefined
  try {
    const entry = readWay(at(wayKey(way)))
    if (entry) return ownerIn(entry) === sub ? 'known' : 'removed' in entry ? 'removed' : 'taken'
    const { person } = asPerson(request, at(personKey(sub)))
    if (isGone(person)) return 'gone'
    const holder = contentOf(at(subjectKey(sub)))?.way
    const theirs = new Set<unknown>(person?.ways.map((entry) => entry.way))
    const isTheirs = theirs.has(holder) || ways.get(holder as string)?.sub === sub
    if (holder !== undefined && !isTheirs) return 'id-taken'
    const here = personHere(at(hereKey(way)))
    if (here !== undefined && here !== sub) return 'taken'
    return at(personKey(own)) || at(connectionKey(own, way)) ? 'taken' : undefined
  } catch (error) {
    if (error instanceof DamagedRecord) return 'damaged'
    throw error
  }
}

/**
 * Is there a session of the account's own person? Then that person has signed in here before, also if
 * the session is over, or if another secret has sealed it.
 */
async function hasSession({ stores }: AuthRequest, { own }: Account): Promise<boolean> {
  return (await stores.sessions.list(own)).length > 0
}
