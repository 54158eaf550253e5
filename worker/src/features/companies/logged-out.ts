import { isRecord } from '@latchkey/session/internal'
import { StoreUnavailable } from '../../errors.js'
import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import { companyIn } from '../../lib/company-id.js'
import { readClaim } from '../../person/claim.js'
import { readPerson } from '../../person/documents.js'
import type { StandingSession } from '../../session/stored-values.js'
import type { Ledger } from '../../stores/ledger/rules.js'
import { wholeList } from '../../stores/whole-list.js'
import { alone, KIND } from './session-rows.js'

// A company's provider ends all sessions of one of its accounts. The list of a person's sessions may be late, and is cut at a hundred,
// and the account may be another person's by now: so the ledger notes for the account up to when its sessions are over, and each of
// them asks when it is to be renewed.

/** An account of a company: the name of its way, and the id of the company. */
interface AccountOfCompany {
  readonly way: string
  readonly company: string
}

/** What the ledger has noted of an account. */
interface Note {
  /** The version of its document; 0 if the ledger has none. */
  readonly version: number
  /** The company's sessions of the account that began by then are over. Seconds since the epoch; -1: none is. */
  readonly until: number
  /** The digests of the tokens that have counted, and when each ends. Seconds since the epoch. */
  readonly used: Readonly<Record<string, number>>
}

/** More tokens of one account are not known again. Each counts for eleven minutes at most. */
const MAX_USED = 100
/** How often a note is read again after a faster request. */
const TRIES = 5

/** @throws {StoreUnavailable} */
export async function readNote(request: AuthRequest, account: AccountOfCompany): Promise<Note> {
  const document = await request.stores.ledger.document(keyOf(account))
  const { version = 0, content = null } = document ?? {}
  const kept: unknown = content === null ? undefined : JSON.parse(content)
  const { until = -1, used = {} } = isRecord(kept) ? kept : {}
  return { version, until: Number(until), used: used as Note['used'] }
}

/**
 * Notes that all sessions of an account that began by now are over, and that a token has counted.
 *
 * @param read the note as it was before
 * @param token its digest, and when it ends
 * @throws {StoreUnavailable}
 */
export async function noteLogout(
  request: AuthRequest,
  account: AccountOfCompany,
  read: Note,
  token: { readonly used: string; readonly until: number },
): Promise<void> {
  let known = read
  for (let tries = 0; tries < TRIES; tries++) {
    const now = nowInSeconds(request)
    const counting = Object.entries(known.used).filter(([, end]) => end > now)
    const used = Object.fromEntries([...counting.slice(1 - MAX_USED), [token.used, token.until]])
    const until = Math.max(now, known.until)
    const content = JSON.stringify({ until, used })
    const expires = until + request.config.session.absoluteMaxAge + 1
    const change = { version: known.version, content, expires }
    const life = alone(account.way)
    const key = keyOf(account)
    if ((await request.stores.ledger.liveDocument(key, life, change)).isChanged) return
    known = await readNote(request, account)
  }
  throw new StoreUnavailable('The logout of an account is being noted all the time.')
}

/** Has the company's provider ended a session that is about to be renewed? @throws {StoreUnavailable} */
export async function isLoggedOut(
  request: AuthRequest,
  { record, way = record.sub }: Pick<StandingSession, 'record' | 'way'>,
): Promise<boolean> {
  const company = companyIn(record.provider)
  if (company === undefined) return false
  const { until } = await readNote(request, { way, company })
  return record.created <= until
}

/** Deletes the notes of an erased person's accounts. @throws {StoreUnavailable} */
export async function forgetNotesOf(request: AuthRequest, sub: string): Promise<void> {
  const ledger = request.stores.ledger as Required<Ledger>
  const [{ person }, { way: first = sub }] = await Promise.all([
    readPerson(request, sub),
    readClaim(request, sub),
  ])
  const ways = person?.ways.filter(({ provider }) => companyIn(provider) !== undefined) ?? []
  for (const way of new Set([first, ...ways.map((one) => one.way)])) {
    const notes = await wholeList(ledger, way, [KIND])
    if (notes.length > 0) {
      const keys = notes.map(({ key }) => key)
      await ledger.endAll([], 0, keys)
    }
  }
}

function keyOf({ way, company }: AccountOfCompany): string {
  return `${KIND}\n${way}\n${company}`
}
