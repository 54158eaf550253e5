import type { SessionClaims } from '@latchkey/session'
import { isRecord } from '@latchkey/session/internal'
import { beganAt } from '@latchkey/session/issue'
import { DamagedRecord, StoreUnavailable } from '../../errors.js'
import { logEvent } from '../../http/log-event.js'
import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import { companyIn } from '../../lib/company-id.js'
import { readClaim } from '../../person/claim.js'
import { forgetDeleted, isBarred } from '../../person/documents.js'
import { personKey, wayOf } from '../../person/way-document.js'
import type { Logouts } from '../../service/session-hooks.js'
import type { PendingSignIn } from '../../service/sign-in-hooks.js'
import { revokeSession } from '../../session/revoke.js'
import type { StandingSession } from '../../session/stored-values.js'
import type { Ledger } from '../../stores/ledger/rules.js'
import type { LedgerDocument } from '../../stores/ledger/types.js'
import { wholeList } from '../../stores/whole-list.js'
import { alone, KIND, readAtProvider } from './session-rows.js'

// A company's provider ends all sessions of one of its accounts. The list of a person's sessions may be late, and is cut at a hundred,
// and the account may be another person's by now: so the ledger notes for the account up to when its sessions are over, and each of
// them asks when it is to be renewed, and before anything is done by it that outlives its token.

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
  return noteIn(await request.stores.ledger.document(keyOf(account)))
}

function noteIn(document: LedgerDocument | undefined): Note {
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

/** Has the company's provider ended a session that is about to be renewed, or has its account been blocked? @throws {StoreUnavailable} */
export async function isLoggedOut(
  request: AuthRequest,
  { record, way = record.sub }: Pick<StandingSession, 'record' | 'way'>,
): Promise<boolean> {
  const company = companyIn(record.provider)
  return company !== undefined && isOverAt(request, { way, company }, record.created)
}

/**
 * May sessions of an account go on that began then? Its person may have removed it from their ways: then a block of the account's own
 * person, such as by SCIM, holds for the sessions that it has begun. With one call.
 *
 * @param began seconds since the epoch
 * @throws {StoreUnavailable}
 */
async function isOverAt(
  request: AuthRequest,
  account: AccountOfCompany,
  began: number,
): Promise<boolean> {
  const keys = [keyOf(account), personKey(account.way)]
  const entries = keys.map((key) => ({ key, content: null }))
  const [note, person] = await request.stores.ledger.insertDocuments(entries)
  return began <= noteIn(note ?? undefined).until || isBarred(person ?? undefined)
}

/**
 * Has the company's provider ended what a sign-in that has waited rests on? Its session would begin after that end, which leaves
 * out whatever begins later.
 *
 * @param came when the proof came. Seconds since the epoch
 * @throws {StoreUnavailable}
 */
export async function isProofOver(
  request: AuthRequest,
  { signedIn, came }: Pick<PendingSignIn, 'signedIn' | 'came'>,
): Promise<boolean> {
  const { account, profile = {}, way = wayOf(account) } = signedIn
  const company = companyIn(account.provider)
  if (company === undefined) return false
  if (await isOverAt(request, { way, company }, came)) return true
  const { iss, sid } = profile
  if (typeof sid !== 'string') return false
  const { ends: endings } = await readAtProvider(request, String(iss), sid)
  return [...endings.values()].some((end) => came <= end)
}

/**
 * Ends a session of a token if the company's provider has ended it, and the ledger has not, since no list showed it then. While its
 * record is not shown, by the person alone.
 *
 * @throws {StoreUnavailable}
 */
export const ends: Logouts['ends'] = async (request, claims) => {
  const { sub, sid, company } = claims
  if (company === undefined) return false
  const { way = sub } = await keptIn(request, { sub, sid })
  if (!(await isOverAt(request, { way, company }, beganAt(claims)))) return false
  await revokeSession(request, claims)
  await logEvent(request, { event: 'sessions-ended', sub, which: 'one', by: 'company' })
  return true
}

/** The name of the way that a session began by, as far as its record is shown. @throws {StoreUnavailable} */
async function keptIn(
  { stores, keys }: AuthRequest,
  { sub, sid }: Pick<SessionClaims, 'sub' | 'sid'>,
): Promise<{ readonly way?: string }> {
  const record = await stores.sessions.get(sub, sid).catch((error: unknown) => {
    if (!(error instanceof DamagedRecord)) throw error
    return undefined
  })
  const { way } = (record && (await keys.record.open(record.sealed))) ?? {}
  return typeof way === 'string' ? { way } : {}
}

/**
 * Deletes the notes of an erased person's first account, which has no document of its own. The notes of the other ones go with
 * the documents of their ways.
 *
 * @throws {StoreUnavailable}
 */
export async function forgetNotesOf(request: AuthRequest, sub: string): Promise<void> {
  const ledger = request.stores.ledger as Required<Ledger>
  const { way: first = sub } = await readClaim(request, sub)
  const keys = (await wholeList(ledger, first, [KIND])).map(({ key }) => key)
  if (keys.length === 0) return
  await ledger.endAll([], 0, keys)
  // Their names follow from the account.
  await forgetDeleted(request, keys)
}

function keyOf({ way, company }: AccountOfCompany): string {
  return `${KIND}\n${way}\n${company}`
}
