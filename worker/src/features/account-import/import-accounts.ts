import type { ImportRow } from '@latchkey/session/internal'
import { DamagedRecord } from '../../errors.js'
import type { AuthRequest } from '../../http/request.js'
import { asPerson, changeDocument, changePerson, readDocument } from '../../person/documents.js'
import { MAX_WAYS, type Person, type PersonWay, withWay } from '../../person/person.js'
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
import { isSubject, mayBeOwnSub, subjectOf } from '../../session/subject.js'
import { type DocumentEntry, type LedgerDocument, MAX_DOCUMENT } from '../../stores/ports.js'

/** Why an account is left out. docs/import.md explains each reason. */
type LeftOut =
  | 'bad-id'
  | 'id-of-ours'
  | 'id-taken'
  | 'unknown-provider'
  | 'bad-account'
  | 'taken'
  | 'removed'
  | 'gone'
  | 'too-many-ways'
  | 'damaged'

type Fate = 'added' | 'known' | LeftOut

interface Account {
  readonly sub: string
  readonly provider: string
  /** Its own name. */
  readonly way: string
  /** The `sub` that it has of its own. */
  readonly own: string
}

/** What became of the accounts of a batch. */
interface Imported {
  readonly added: number
  /** They were the same people's before. */
  readonly known: number
  /** By their place in the batch. */
  readonly left: readonly (readonly [at: number, why: LeftOut])[]
}

/** Documents by their keys. */
type DocumentsByKey = ReadonlyMap<string, LedgerDocument | null>

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
  const left: [number, LeftOut][] = []
  let [added, known] = [0, 0]
  for (const [at, one] of named.entries()) {
    const why = fateOf(one, ways, fates)
    if (why === 'known') known++
    else if (why === 'added') added++
    else left.push([at, why])
  }
  return { added, known, left }
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

async function insert(
  { stores }: AuthRequest,
  entries: readonly DocumentEntry[],
): Promise<readonly (LedgerDocument | null)[]> {
  if (entries.length === 0) return []
  return (await stores.ledger.insertDocuments?.(entries)) ?? []
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
 * Is there a session of the person that an account has of its own? Then they have been somebody here before, also if
 * the session is over, or if another secret has sealed it.
 */
async function hasSession({ stores }: AuthRequest, { own }: Account): Promise<boolean> {
  return (await stores.sessions.list(own)).length > 0
}

/** @returns is the person another one now, or being erased? */
function isGone(person: Person | undefined): boolean {
  return person?.mergedInto !== undefined || person?.erasing === true
}

/**
 * Writes people's lists: before a way signs in as somebody, they see it.
 *
 * @returns the accounts that are listed
 */
async function listAll(
  request: AuthRequest,
  people: ReadonlyMap<string, readonly Account[]>,
  documents: DocumentsByKey,
  fates: Map<string, Fate>,
): Promise<readonly Account[]> {
  const fresh = [...people].filter(([sub]) => !documents.get(personKey(sub)))
  const entries = fresh.map(([sub, accounts]) => ({
    key: personKey(sub),
    content: JSON.stringify(withAll(undefined, accounts.slice(0, MAX_WAYS))),
  }))
  const there = await insert(request, entries)
  const written = new Set(fresh.filter((_, at) => !there[at]).map(([sub]) => sub))
  const listed = [...people].map(async ([sub, accounts]) => {
    if (!written.has(sub)) return list(request, sub, accounts, fates)
    for (const { way } of accounts.slice(MAX_WAYS)) fates.set(way, 'too-many-ways')
    return accounts.slice(0, MAX_WAYS)
  })
  return (await Promise.all(listed)).flat()
}

/**
 * Adds accounts to the list of a person who has one.
 * @returns the accounts that are listed then
 */
async function list(
  request: AuthRequest,
  sub: string,
  accounts: readonly Account[],
  fates: Map<string, Fate>,
): Promise<readonly Account[]> {
  let listed = accounts
  await changePerson(request, sub, (person) => {
    const there = new Set(person?.ways.map(({ way }) => way))
    const missing = accounts.filter(({ way }) => !there.has(way))
    const changed = missing.length > 0 ? withAll(person, missing) : undefined
    const why = isGone(person)
      ? 'gone'
      : changed && isTooMuch(changed)
        ? 'too-many-ways'
        : undefined
    if (!why) return changed
    // A listed account is claimed all the same, unless its person is gone.
    for (const { way } of accounts) fates.set(way, why)
    listed = why === 'gone' ? [] : accounts.filter(({ way }) => there.has(way))
    return undefined
  })
  return listed
}

function isTooMuch(person: Person): boolean {
  return person.ways.length > MAX_WAYS || JSON.stringify(person).length > MAX_DOCUMENT / 2
}

function withAll(person: Person | undefined, accounts: readonly Account[]): Person {
  const added = accounts.map(
    ({ way, provider }): PersonWay => ({ way, provider, added: null, used: null }),
  )
  const { isAlone: _, ...before } = person ?? { ways: [] }
  const ways = [...before.ways, ...added]
  // A person with one imported way is like any other with one, until another is added.
  return { ...before, ways, ...(!person && ways.length === 1 ? { isAlone: true } : {}) }
}

/** Writes the owner of each way, unless another request was faster. */
async function claimAll(
  request: AuthRequest,
  accounts: readonly Account[],
  fates: Map<string, Fate>,
): Promise<void> {
  const entries = accounts.map(({ sub, way }) => ({
    key: wayKey(way),
    content: JSON.stringify({ owner: sub, first: true }),
  }))
  const there = await insert(request, entries)
  const claimed = accounts.map(async ({ sub, way }, at) => {
    const entry = readWay(there[at] ?? undefined)
    const isTheirs = ownerIn(entry) === sub
    fates.set(way, entry ? (isTheirs ? 'known' : 'taken') : 'added')
    if (!entry || isTheirs) return
    await changePerson(request, sub, (person) => person && withWay(person, way, undefined))
  })
  await Promise.all(claimed)
  const added = accounts.filter(({ way }) => fates.get(way) === 'added')
  const traces = await insert(
    request,
    added.map(({ way }) => ({ key: hereKey(way), content: null })),
  )
  const theirs = added.filter(({ sub }, at) => {
    const here = personHere(traces[at])
    return here !== undefined && here !== sub
  })
  await Promise.all(theirs.map((account) => giveBack(request, account, fates)))
}

/** Frees the way of somebody who was signed in by it here just before it was claimed. */
async function giveBack(
  request: AuthRequest,
  { sub, way }: Account,
  fates: Map<string, Fate>,
): Promise<void> {
  const document = await readDocument(request, wayKey(way))
  const isClaimed = document && ownerIn(readWay(document)) === sub
  if (isClaimed && !(await changeDocument(request, wayKey(way), document.version, null))) return
  await changePerson(request, sub, (person) => person && withWay(person, way, undefined))
  fates.set(way, 'taken')
}
