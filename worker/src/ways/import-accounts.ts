import type { ImportRow } from '@latchkey/session/internal'
import { DamagedRecord } from '../errors.js'
import type { AuthRequest } from '../http/request.js'
import { liveRecords } from '../session/list.js'
import { isSubject, mayBeOwnSub, subjectOf } from '../session/subject.js'
import { type DocumentEntry, type LedgerDocument, MAX_DOCUMENT } from '../stores/ports.js'
import {
  asPerson,
  changePerson,
  type KeptWay,
  MAX_WAYS,
  ownSubOf,
  type Person,
  withWay,
} from './documents.js'
import {
  connectionKey,
  contentOf,
  ownerIn,
  personKey,
  readWay,
  subjectKey,
  wayKey,
  wayOf,
} from './way-document.js'

/** Why an account is left out. What is told of each is in docs/import.md. */
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
type Found = ReadonlyMap<string, LedgerDocument | null>

/**
 * Makes accounts of elsewhere ways of the people who had them there: who proves one is signed in as them. What
 * is somebody's stays theirs, so that it may be repeated.
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
  // It could be the one that an account has of its own: whoever proves that would be the same person.
  if (mayBeOwnSub(sub)) return 'id-of-ours'
  const provider = providers.usable.get(id)
  if (!provider?.kind.accountOf) return 'unknown-provider'
  const known = provider.kind.accountOf(provider, account, issuer)
  if (!known) return 'bad-account'
  const userId = await subjectOf(id, known.id, known.tenant)
  return { sub, provider: id, way: wayOf({ type: provider.type, userId }) }
}

async function fatesOf(
  request: AuthRequest,
  ways: ReadonlyMap<string, Account>,
): Promise<ReadonlyMap<string, Fate>> {
  const found = await readTogether(request, ways.values())
  const isUnused = (await request.stores.sessions.isEmpty?.()) ?? false
  const fates = new Map<string, Fate>()
  const free = new Map<string, Account[]>()
  const judged = [...ways.values()].map(async (account) => {
    const fate = standing(account, ways, found)
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
  const listed = await listAll(request, free, found, fates)
  await claimAll(request, listed, fates)
  return fates
}

async function readTogether(request: AuthRequest, accounts: Iterable<Account>): Promise<Found> {
  const keys = new Set<string>()
  for (const { sub, way } of accounts) {
    const own = ownSubOf(way) ?? sub
    for (const key of [wayKey(way), personKey(sub), subjectKey(sub), personKey(own)]) keys.add(key)
    keys.add(connectionKey(own, way))
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

/** What the documents say of an account; `undefined`: it is nobody's. */
function standing(
  { sub, way }: Account,
  ways: ReadonlyMap<string, Account>,
  found: Found,
): Fate | undefined {
  const at = (key: string) => found.get(key) ?? undefined
  try {
    const known = readWay(at(wayKey(way)))
    if (known) return ownerIn(known) === sub ? 'known' : 'removed' in known ? 'removed' : 'taken'
    const { person } = asPerson(at(personKey(sub)))
    if (isGone(person)) return 'gone'
    const holder = contentOf(at(subjectKey(sub)))?.way
    const isTheirs = (one: unknown) =>
      ways.get(one as string)?.sub === sub || person?.ways.some((kept) => kept.way === one)
    if (holder !== undefined && !isTheirs(holder)) return 'id-taken'
    const own = ownSubOf(way) ?? sub
    return at(personKey(own)) || at(connectionKey(own, way)) ? 'taken' : undefined
  } catch (error) {
    if (error instanceof DamagedRecord) return 'damaged'
    throw error
  }
}

/** Is the person that an account has of its own signed in here? Then they have been somebody before. */
async function hasSession(request: AuthRequest, { way }: Account): Promise<boolean> {
  const own = ownSubOf(way)
  return own !== undefined && (await liveRecords(request, own)).length > 0
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
  found: Found,
  fates: Map<string, Fate>,
): Promise<readonly Account[]> {
  const fresh = [...people].filter(([sub]) => !found.get(personKey(sub)))
  const entries = fresh.map(([sub, accounts]) => ({
    key: personKey(sub),
    content: JSON.stringify(withAll(undefined, accounts.slice(0, MAX_WAYS))),
  }))
  const there = await insert(request, entries)
  const written = new Set(fresh.flatMap(([sub], at) => (there[at] ? [] : sub)))
  const listed = [...people].map(async ([sub, accounts]) => {
    const fits = written.has(sub) ? accounts.slice(0, MAX_WAYS) : undefined
    const [isListed, why] = fits ? [fits, 'too-many-ways' as const] : await list(request, accounts)
    const own = new Set(isListed)
    for (const account of accounts) if (!own.has(account)) fates.set(account.way, why)
    return isListed
  })
  return (await Promise.all(listed)).flat()
}

/** Adds accounts to the list of somebody who has one. */
async function list(
  request: AuthRequest,
  accounts: readonly Account[],
): Promise<readonly [readonly Account[], LeftOut]> {
  const sub = accounts[0]?.sub ?? ''
  let answer: readonly [readonly Account[], LeftOut] = [accounts, 'gone']
  await changePerson(request, sub, (known) => {
    answer = [accounts, 'gone']
    if (isGone(known)) {
      answer = [[], 'gone']
      return undefined
    }
    const there = new Set(known?.ways.map(({ way }) => way))
    const missing = accounts.filter(({ way }) => !there.has(way))
    if (missing.length === 0) return undefined
    const changed = withAll(known, missing)
    const isSmall = JSON.stringify(changed).length <= MAX_DOCUMENT / 2
    if (changed.ways.length <= MAX_WAYS && isSmall) return changed
    answer = [accounts.filter(({ way }) => there.has(way)), 'too-many-ways']
    return undefined
  })
  return answer
}

function withAll(known: Person | undefined, accounts: readonly Account[]): Person {
  const added = accounts.map(
    ({ way, provider }): KeptWay => ({ way, provider, added: null, used: null }),
  )
  const { isAlone: _, ...before } = known ?? { ways: [] }
  const ways = [...before.ways, ...added]
  // Who has one way is as anybody who has one, until another is added.
  return { ...before, ways, ...(!known && ways.length === 1 ? { isAlone: true } : {}) }
}

/** Writes whose the ways are, unless somebody was faster. */
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
    const known = readWay(there[at] ?? undefined)
    const isTheirs = ownerIn(known) === sub
    fates.set(way, known ? (isTheirs ? 'known' : 'taken') : 'added')
    if (!known || isTheirs) return
    await changePerson(request, sub, (person) => person && withWay(person, way, undefined))
  })
  await Promise.all(claimed)
}
