import { isCutOff } from '@latchkey/session/internal'
import type { UserCutoff } from '@latchkey/session/issue'
import { erasedName } from '../../lib/erased-name.js'
import {
  type Ledger,
  type LedgerDocument,
  MAX_DOCUMENT,
  MAX_WRONG_CODES,
  type SessionOwner,
} from '../ports.js'
import { type AnyMethod, ledgerOf } from './methods.js'
import { personKeyIn } from './placement.js'
import { DOCUMENTS_RESHARD, type ListedTable, type Rows, type Tables } from './rows.js'

/**
 * The most endings of either kind in one answer, about half a megabyte, unless one second has more.
 */
export const MAX_REVOCATIONS = 10_000

/** Queries overlap by this much, for a ledger whose clock is set back. Seconds. */
export const LOOK_OVERLAP = 5

/**
 * After this time another caller may take over an unsettled claim. Longer than the deadline of any
 * request to a provider. Seconds.
 */
const REFRESH_LEASE = 30

/** The kinds of documents, which begin their keys. */
const DOCUMENTS = ['way', 'person', 'connection', 'subject']

/** The kinds of documents whose names begin with a `sub`. */
const OF_PEOPLE = DOCUMENTS.slice(1)

/**
 * How long a deleted document is known, so that no slower writer takes it for one that never was.
 * Seconds.
 */
const TOMBSTONE = 24 * 60 * 60

/** @param now seconds since the epoch, by the clock of the process that stores the rows */
type Rule<Name extends keyof Ledger> = (
  rows: Rows,
  now: number,
  ...args: Parameters<Required<Ledger>[Name]>
) => Awaited<ReturnType<Required<Ledger>[Name]>>

/**
 * The ledger's rules, one for each method, without a clock or I/O of their own, for rows in any
 * storage. {@link Ledger} documents the methods.
 */
const rules: { readonly [Name in keyof Ledger]-?: Rule<Name> } = {
  consume(rows, _now, name, expires) {
    if (rows.get('consumed', name)) return false
    rows.put('consumed', name, { expires })
    return true
  },

  revoke(rows, now, sid, until) {
    const row = rows.get('revoked', sid)
    rows.put('revoked', sid, { at: now, expires: Math.max(until, row?.expires ?? 0) })
    rows.delete('refreshes', sid)
  },

  isRevoked: (rows, _now, sid, owner) => isOver(rows, sid, owner),

  // The spared session must not be over: it would spare itself. An ended session stays ended,
  // whatever comes later.
  cutOff(rows, now, { sub, until, except }, expires, auth_time = 0) {
    if (except !== undefined && isOver(rows, except, { sub, auth_time })) return false
    const row = rows.get('cutoffs', sub)
    rows.put('cutoffs', sub, {
      until: Math.max(until, row?.until ?? 0),
      kept: except ?? null,
      at: now,
      expires: Math.max(expires, row?.expires ?? 0),
    })
    return true
  },

  // An object that missed a decision takes it over. Each of two decisions of one second ends the
  // session that the other one spares.
  repeatCutOff(rows, now, sub, decided) {
    const row = rows.get('cutoffs', sub)
    if (!decided) return row && { ...cutoffOf(sub, row), expires: row.expires }
    const { until, except = null } = decided
    const isNews = !row || row.until < until
    const isAtOdds = row?.until === until && row.kept !== null && row.kept !== except
    const expires = Math.max(decided.expires, row?.expires ?? 0)
    const kept = isNews ? except : null
    if (isNews || isAtOdds) rows.put('cutoffs', sub, { until, kept, at: now, expires })
    return decided
  },

  erase(rows, now, { sub, until }, pids, expires) {
    for (const pid of pids) {
      const name = erasedName(pid)
      const row = rows.get('cutoffs', name)
      const longest = Math.max(expires, row?.expires ?? 0)
      const latest = Math.max(until, row?.until ?? 0)
      rows.put('cutoffs', name, { until: latest, kept: null, at: now, expires: longest })
    }
    rows.delete('cutoffs', sub)
  },

  // If documents are handed over, a tombstone is handed over after them. But if an object of the
  // other number has named this one to the caller, that object has forgotten them already: a tombstone
  // would delete documents that the person has written again there.
  forget(rows, now, key, isSub = false, isFromOther = false) {
    const changes = rows.keys('handovers', '')
    const isHanding = changes.includes(DOCUMENTS_RESHARD)
    if (!isSub) {
      for (const name of rows.keys('attempts', attemptsOf(key, ''))) rows.delete('attempts', name)
      for (const name of [key, ...rows.keys('verifications', `${key}\n`)]) {
        rows.delete('verifications', name)
      }
    }
    for (const kind of isSub ? OF_PEOPLE : DOCUMENTS) {
      const own = `${kind}\n${key}`
      for (const name of [own, ...rows.keys('documents', `${own}\n`)]) {
        const isOver = isFromOther && isCopy(rows, name)
        const row = isHanding && !isOver ? rows.get('documents', name) : undefined
        if (row) {
          const { version, content } = row
          const gone = { version: version + 1, content: null, expires: now + TOMBSTONE }
          if (content !== null) rows.put('documents', name, gone)
          rows.put('unhanded', name, { expires: null })
        } else {
          rows.delete('documents', name)
          rows.delete('unhanded', name)
        }
      }
    }
    return changes.flatMap((change) => rows.get('handovers', change)?.count ?? [])
  },

  revokedSince(rows, now, since) {
    const sessions = endedSince(rows, 'revoked', since)
    const users = endedSince(rows, 'cutoffs', since)
    // If there is more, the next query begins in the second of the last one.
    const ends = [sessions, users].flatMap(({ last }) => last ?? [])
    return {
      sessions: sessions.found.map(([sid, { at }]) => ({ sid, at })),
      users: users.found.map(([sub, row]) => cutoffOf(sub, row)),
      next: ends.length > 0 ? Math.min(...ends) : now - LOOK_OVERLAP,
      hasMore: ends.length > 0,
    }
  },

  refreshedTokens(rows, now, sid) {
    const { version = 0, sealed = null } = unexpired(rows.get('refreshes', sid), now) ?? {}
    return sealed === null ? undefined : { version, sealed }
  },

  claimRefresh(rows, now, sid, version, expires) {
    if (isOver(rows, sid)) return { state: 'over' }
    const row = unexpired(rows.get('refreshes', sid), now)
    if (row && row.version > version) {
      const { version: newer, sealed } = row
      return sealed === null ? { state: 'taken' } : { state: 'newer', version: newer, sealed }
    }
    const isSame = row?.version === version
    if (isSame && row.leased_until > now) return { state: 'taken' }
    const sealed = isSame ? row.sealed : null
    rows.put('refreshes', sid, { version, sealed, leased_until: now + REFRESH_LEASE, expires })
    return { state: 'yours' }
  },

  settleRefresh(rows, _now, sid, version, sealed) {
    if (rows.get('refreshes', sid)?.version !== version) return
    const refreshed = sealed === undefined ? {} : { version: version + 1, sealed }
    rows.change('refreshes', sid, { ...refreshed, leased_until: 0 })
  },

  admit(rows, now, key, limits) {
    const counts = limits.map((limit) => {
      const name = attemptsOf(key, limit.name)
      return { limit, name, known: unexpired(rows.get('attempts', name), now) }
    })
    const waits = counts.map(({ limit, known: row }) =>
      row && row.count >= limit.max ? row.expires - now : 0,
    )
    const wait = Math.max(0, ...waits)
    if (wait > 0) return wait
    for (const { limit, name, known: row } of counts) {
      if (row) rows.change('attempts', name, { count: row.count + 1 })
      else rows.put('attempts', name, { count: 1, expires: now + limit.period })
    }
    return 0
  },

  forgive(rows, now, key, limits, way, wholes = []) {
    for (const [at, limit] of limits.entries()) {
      const name = attemptsOf(key, limit)
      const part = unexpired(rows.get('attempts', name), now)
      rows.delete('attempts', name)
      const whole = wholes[at]
      if (part && whole !== undefined) takeOff(rows, now, attemptsOf(key, whole), part)
    }
    return way === undefined ? undefined : documentIn(rows, now, `way\n${way}`)
  },

  startVerification(rows, _now, key, { link, code, sealed, expires }) {
    rows.put('verifications', key, { link, code, sealed, wrong: 0, expires })
  },

  // Finding a link changes nothing, since mail scanners open links as well.
  findVerification(rows, now, key, link) {
    const mailed = unexpired(rows.get('verifications', key), now)
    return mailed?.link === link ? mailed.sealed : undefined
  },

  // A wrong code is counted and never ends the link, since a stranger may type codes too.
  redeemVerification(rows, now, key, proof) {
    const mailed = unexpired(rows.get('verifications', key), now)
    const isProof = 'link' in proof || 'code' in proof
    if (!mailed || !isProof) return { state: 'over' }
    if ('link' in proof && proof.link !== mailed.link) return { state: 'over' }
    if ('code' in proof && mailed.wrong >= MAX_WRONG_CODES) return { state: 'spent' }
    if ('code' in proof && proof.code !== mailed.code) {
      const wrong = mailed.wrong + 1
      rows.change('verifications', key, { wrong })
      return { state: wrong < MAX_WRONG_CODES ? 'wrong' : 'spent' }
    }
    rows.delete('verifications', key)
    const document = documentIn(rows, now, `way\n${key}`)
    return { state: 'redeemed', sealed: mailed.sealed, ...(document ? { document } : {}) }
  },

  withdrawVerification(rows, _now, key, link) {
    const isMeant = link === undefined || rows.get('verifications', key)?.link === link
    if (isMeant) rows.delete('verifications', key)
  },

  document: documentIn,

  // One of several objects may have missed an earlier version.
  changeDocument(rows, now, key, version, content, role, count) {
    const document = documentIn(rows, now, key)
    const at = document?.version ?? 0
    const next = { version: version + 1, content }
    if (role === 'replaces') return replaceCopy(rows, key, next, count)
    if (role === 'forgets') return forgetDeleted(rows, key)
    if (role === 'follows' && at === next.version) return document?.content === content
    if (role ? at > version : at !== version) return false
    checkLength(content)
    if (content === null && at === 0 && !role) return true
    rows.put('documents', key, { ...next, expires: content === null ? now + TOMBSTONE : null })
    if (rows.get('handovers', DOCUMENTS_RESHARD)) rows.put('unhanded', key, { expires: null })
    return true
  },

  insertDocuments(rows, now, entries) {
    const keys = entries.map(({ key }) => key)
    const all = rows.getAll?.('documents', keys)
    const added = new Map<string, Tables['documents']>()
    const answers = entries.map(({ key, content }) => {
      const row = added.get(key) ?? (all ? all.get(key) : rows.get('documents', key))
      const document = documentOf(row, now)
      if (document && document.content !== null) return document
      if (content === null) return null
      checkLength(content)
      added.set(key, { version: (document?.version ?? 0) + 1, content, expires: null })
      return null
    })
    if (rows.putAll) rows.putAll('documents', added)
    else for (const [key, row] of added) rows.put('documents', key, row)
    if (rows.get('handovers', DOCUMENTS_RESHARD)) {
      for (const key of added.keys()) rows.put('unhanded', key, { expires: null })
    }
    return answers
  },

  isConsumed: (rows, _now, name) => rows.get('consumed', name) !== undefined,

  enter(rows, now, name, expires, key) {
    if (!rules.consume(rows, now, name, expires)) return { isFirst: false }
    const document = documentIn(rows, now, key)
    const owner = personKeyIn(document?.content)
    const person = owner === undefined ? {} : { person: documentIn(rows, now, owner) ?? null }
    return { isFirst: true, ...(document ? { document, ...person } : {}) }
  },
}

/** The answer of a method, for code that handles all of them alike. */
export function decide(
  name: keyof Ledger,
  rows: Rows,
  now: number,
  args: readonly unknown[],
): unknown {
  const rule = rules[name] as (rows: Rows, now: number, ...args: readonly unknown[]) => unknown
  return rule(rows, now, ...args)
}

/** A ledger in this process. @param now milliseconds since the epoch */
export function ledgerOver(rows: Rows, now: () => number): Required<Ledger> {
  return ledgerOf(
    (name): AnyMethod =>
      async (...args) =>
        decide(name, rows, Math.floor(now() / 1000), args),
  )
}

/**
 * The oldest endings since a time, and the second of the last one if there may be more. That is a
 * later second, so that the next query goes on: however many ended in one, it is answered whole.
 */
function endedSince<Name extends ListedTable>(rows: Rows, table: Name, since: number) {
  for (let limit = MAX_REVOCATIONS; ; limit *= 2) {
    const found = rows.since(table, since, limit)
    const last = found.length < limit ? undefined : found.at(-1)?.[1].at
    if (last === undefined || last > since) return { found, last }
  }
}

function isOver(rows: Rows, sid: string, owner?: SessionOwner): boolean {
  if (rows.get('revoked', sid)) return true
  if (!owner) return false
  const names = [owner.sub, ...(owner.pid === undefined ? [] : [erasedName(owner.pid)])]
  return names.some((name) => {
    const cutoff = rows.get('cutoffs', name)
    return cutoff !== undefined && isCutOff({ sid, ...owner }, cutoffOf(name, cutoff))
  })
}

function cutoffOf(sub: string, { until, kept }: Tables['cutoffs']): UserCutoff {
  return { sub, until, ...(kept === null ? {} : { except: kept }) }
}

/** A row that is over may still be kept. */
function unexpired<Row extends { readonly expires: number | null }>(
  row: Row | undefined,
  now: number,
): Row | undefined {
  return row && (row.expires === null || row.expires > now) ? row : undefined
}

function documentIn(rows: Rows, now: number, key: string): LedgerDocument | undefined {
  return documentOf(rows.get('documents', key), now)
}

/**
 * Once an object has handed a document over, its copy says nothing that the new object does not know better: not of one
 * that is missing there either.
 *
 * @returns `false`: it was not handed over to that number, or was changed since
 */
function replaceCopy(
  rows: Rows,
  key: string,
  { version, content }: LedgerDocument,
  count = 0,
): boolean {
  if (!isCopy(rows, key, count)) return false
  if (content === null) rows.delete('documents', key)
  else rows.put('documents', key, { version, content, expires: null })
  return true
}

/**
 * Deletes the rest of a deleted document. While documents are handed over it stays for its day: an
 * older copy may be on its way, and would be taken for a new document.
 */
function forgetDeleted(rows: Rows, key: string): boolean {
  const isDeleted = rows.get('documents', key)?.content === null
  if (!isDeleted || rows.keys('handovers', '').length > 0) return false
  rows.delete('documents', key)
  return true
}

/** Was a document handed over, and not changed since? @param count to so many objects; left out, to any number */
function isCopy(rows: Rows, key: string, count?: number): boolean {
  const handover = rows.get('handovers', DOCUMENTS_RESHARD)
  if (!handover || (count ?? handover.count) !== handover.count) return false
  return handover.after === null && !rows.get('unhanded', key)
}

function documentOf(row: Tables['documents'] | undefined, now: number): LedgerDocument | undefined {
  const document = unexpired(row, now)
  return document && { version: document.version, content: document.content }
}

/** @throws {RangeError} */
function checkLength(content: string | null): void {
  if (content === null || content.length <= MAX_DOCUMENT) return
  throw new RangeError(`A document of ${content.length} characters is too long.`)
}

/**
 * Takes a part off the count that it was counted in too. Some of a part that began earlier were counted in a period that
 * is over, and the last one alone is sure to be in this one.
 */
function takeOff(rows: Rows, now: number, name: string, part: Tables['attempts']): void {
  const whole = unexpired(rows.get('attempts', name), now)
  if (!whole) return
  const count = whole.count - (part.expires < whole.expires ? 1 : part.count)
  if (count > 0) rows.change('attempts', name, { count })
  else rows.delete('attempts', name)
}

function attemptsOf(key: string, limit: string): string {
  return `${key} ${limit}`
}
