import { answerWithin, isRecord } from '@latchkey/session/internal'
import { InvalidConfiguration } from '../../errors.js'
import type { AuthRequest } from '../../http/request.js'
import { readPerson } from '../../person/documents.js'
import { formerSubOf } from '../../person/former-sub.js'
import type { Place } from '../../stores/ledger/placement.js'
import type { AuditHeads, AuditPage } from '../../types.js'
import { unavailable } from './audit-lost.js'
import { networkNames, personNames } from './entry.js'
import type { RecordsPage, RecordsQuery } from './log/record.js'
import { merge } from './merge-chains.js'
import { checkedQuery } from './query.js'
import { type OperateSettings, settingsOf } from './settings.js'

/** An object that has not answered by then counts as failed. Milliseconds. */
const PATIENCE = 5_000

/**
 * A page of the audit log. It reads the chains of all objects; with a `sub`, those that have the person's records.
 *
 * @throws {TypeError} naming the member that is wrong @throws {InvalidConfiguration} the log is off
 * @throws {StoreUnavailable}
 */
export async function audit(request: AuthRequest, given: object): Promise<AuditPage> {
  const { log } = logOf(request)
  const { sub, ip: network, after, ...query } = checkedQuery(given)
  const people = sub === undefined ? [] : await everyoneIn(request, sub)
  const places = sub === undefined ? log.all() : people.flatMap((one) => log.placesOfPerson(one))
  const names = await Promise.all(people.map((one) => personNames(request, one)))
  const wanted = {
    ...query,
    ...(sub === undefined ? {} : { persons: names.flat() }),
    ...(network === undefined ? {} : { networks: await networkNames(request, network) }),
  }
  const byName = new Map(places.map((place) => [place.name, place]))
  return merge([...byName.keys()], after, query.limit, (chain, before) =>
    read(byName.get(chain) as Place, { ...wanted, ...(before === undefined ? {} : { before }) }),
  )

  async function read(place: Place, query: RecordsQuery): Promise<RecordsPage> {
    const page: unknown = await answered(log.at(place).records(query))
    if (isPage(page, query)) return page
    throw unavailable('read', new TypeError('The answer is not a page.'))
  }
}

/** The ends of every chain. An object without a record has none. @throws {StoreUnavailable} */
export async function auditHeads(request: AuthRequest): Promise<AuditHeads> {
  const { days, log } = logOf(request)
  const chains = await Promise.all(
    log.all().map(async (place) => {
      const heads = await answered(log.at(place).auditHead())
      return heads ? [{ chain: place.name, ...heads }] : []
    }),
  )
  return { days, chains: chains.flat() }
}

/**
 * A person, and everyone who was merged into them: their records stay where they were. Each way may have begun as a
 * person of its own.
 */
async function everyoneIn(request: AuthRequest, sub: string): Promise<readonly string[]> {
  const { person } = await readPerson(request, sub)
  const former = await Promise.all(person?.ways.map(formerSubOf) ?? [])
  return [...new Set([sub, ...former, ...(person?.were ?? [])])]
}

/** If a page continued at its own beginning, reading would not end. */
function isPage(
  page: unknown,
  { before = Number.POSITIVE_INFINITY }: RecordsQuery,
): page is RecordsPage {
  const isSeq = (seq: unknown) => Number.isSafeInteger(seq) && (seq as number) < before
  return (
    isRecord(page) &&
    Array.isArray(page.records) &&
    page.records.every((record) => isRecord(record) && isSeq(record.seq)) &&
    (page.next === null || isSeq(page.next))
  )
}

/** @throws {StoreUnavailable} */
async function answered<Answer>(call: Promise<Answer>): Promise<Answer> {
  return answerWithin(PATIENCE, call).catch((error) => {
    throw unavailable('read', error)
  })
}

/** @throws {InvalidConfiguration} */
function logOf(request: AuthRequest): NonNullable<OperateSettings['audit']> {
  const log = settingsOf(request)?.audit
  if (log) return log
  throw new InvalidConfiguration('The audit log is off: set AUTH_AUDIT_DAYS.')
}
