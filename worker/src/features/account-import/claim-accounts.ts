import type { AuthRequest } from '../../http/request.js'
import { changeDocument, changePerson, readDocument } from '../../person/documents.js'
import { MAX_WAYS, type Person, type PersonWay, withWay } from '../../person/person.js'
import {
  hereKey,
  ownerIn,
  personHere,
  personKey,
  readWay,
  wayKey,
} from '../../person/way-document.js'
import { type DocumentEntry, type LedgerDocument, MAX_DOCUMENT } from '../../stores/ledger/types.js'

/** Why an account is left out. docs/import.md explains each reason. */
export type LeftOut =
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
  | 'bad-hash'
  | 'has-password'

export type Fate = 'added' | 'known' | LeftOut

export interface Account {
  readonly sub: string
  readonly provider: string
  /** Its own name. */
  readonly way: string
  /** The `sub` that it has of its own. */
  readonly own: string
}

/** Documents by their keys. */
export type DocumentsByKey = ReadonlyMap<string, LedgerDocument | null>

export async function insert(
  { stores }: AuthRequest,
  entries: readonly DocumentEntry[],
): Promise<readonly (LedgerDocument | null)[]> {
  if (entries.length === 0) return []
  return stores.ledger.insertDocuments(entries)
}

/** @returns is the person another one now, or being erased? */
export function isGone(person: Person | undefined): boolean {
  return person?.mergedInto !== undefined || person?.erasing === true
}

/**
 * Writes people's lists: a person sees a way before it signs in as them.
 *
 * @returns the accounts that are listed
 */
export async function listAll(
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
export async function claimAll(
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

/** Frees a way that signed its owner in here just before it was claimed. */
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
