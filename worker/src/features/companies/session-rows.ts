import type { SessionClaims } from '@latchkey/session'
import { isRecord } from '@latchkey/session/internal'
import { beganAt } from '@latchkey/session/issue'
import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import { companyIn } from '../../lib/company-id.js'
import { wayOf } from '../../person/way-document.js'
import type { SignedIn } from '../../session/signed-in.js'
import type { Ledger } from '../../stores/ledger/rules.js'
import type { Life } from '../../stores/ledger/types.js'
import { wholeList } from '../../stores/whole-list.js'

// By the `sid` of its own session a company's provider ends ours: a row below a digest of it names ours. Its content is sealed.

/** The kind of the documents, which begins their keys. */
export const KIND = 'company'

/** The longest `sid` of a provider, in characters. Without a row a longer one ends nothing. */
const MAX_SID = 255

/** Begins the names of tokens below a digest. No `sid` of ours begins so. */
const TOKEN = '.'
/** No sign-in waits for so long: ten minutes for the answer whether its person is new, and ten for a code. Seconds. */
const LONGEST_WAIT = 30 * 60

/** One of our sessions, as a row names it. Times are seconds since the epoch. */
export interface NamedSession {
  readonly sub: string
  readonly sid: string
  /** When it began. */
  readonly auth_time: number
  /** When it ends for good, whatever extends it. */
  readonly sexp: number
}

/** The same, with the way of the account that it began with. */
interface RowSession extends NamedSession {
  readonly way: string
}

/** A row is there for itself, and ends at its time. */
export const alone = (id: string): Life => ({
  sid: id,
  owner: { sub: id, auth_time: Number.MAX_SAFE_INTEGER },
})

/**
 * Notes which of our sessions belongs to the provider's, before it begins.
 *
 * @returns what the session's record keeps; `undefined`: the provider has named none
 * @throws {StoreUnavailable} the session does not begin: a logout could not end it
 */
export async function noteSession(
  request: AuthRequest,
  { account, profile, way = wayOf(account) }: SignedIn,
  session: NamedSession,
): Promise<{ readonly row: string } | undefined> {
  const { sid, iss } = profile ?? {}
  if (companyIn(account.provider) === undefined || typeof sid !== 'string' || sid === '')
    return undefined
  if (sid.length > MAX_SID) return undefined
  const [home = ''] = await homesOf(request, String(iss), sid)
  const row = `${home}\n${session.sid}`
  const sealer = await request.keys.sealer('company')
  const content = await sealer.seal({ ...session, way }, session.sexp)
  const change = { version: 0, content, expires: session.sexp }
  await request.stores.ledger.liveDocument(`${KIND}\n${row}`, alone(home), change)
  return { row }
}

/** The same after a step-up at the company: the person's session there may be another one by now. @throws {StoreUnavailable} */
export async function noteProved(
  request: AuthRequest,
  signedIn: SignedIn,
  session: SessionClaims,
): Promise<void> {
  const { sub, sid, company } = session
  if (company === undefined || companyIn(signedIn.account.provider) !== company) return
  const auth_time = beganAt(session)
  const sexp = auth_time + request.config.session.absoluteMaxAge
  const noted = await noteSession(request, signedIn, { sub, sid, auth_time, sexp })
  if (!noted) return
  // The record of the session names its first row alone.
  const change = { version: 0, content: noted.row, expires: sexp }
  const [home] = noted.row.split('\n')
  await request.stores.ledger.liveDocument(`${KIND}\n${sid}\n${home}`, alone(sid), change)
}

/** What the ledger has noted of a provider's session. */
interface NotedSession {
  /** Ours that belong to it. */
  readonly sessions: readonly RowSession[]
  /** When each logout token has ended it, by the digest of the token. Seconds since the epoch. */
  readonly ends: ReadonlyMap<string, number>
}

/**
 * A provider's session, as sign-ins under any secret in use have noted it: it may be older than the newest secret.
 *
 * @throws {StoreUnavailable}
 */
export async function readAtProvider(
  request: AuthRequest,
  issuer: string,
  sid: string,
): Promise<NotedSession> {
  const ledger = request.stores.ledger as Required<Ledger>
  const sealer = await request.keys.sealer('company')
  const homes = await homesOf(request, issuer, sid)
  const documents = await Promise.all(homes.map((home) => wholeList(ledger, home, [KIND])))
  const ends = new Map<string, number>()
  const sessions = documents.flat().map(async ({ key, content }) => {
    const name = key.slice(key.lastIndexOf('\n') + 1)
    if (content === null) return []
    if (name.startsWith(TOKEN)) ends.set(name.slice(TOKEN.length), Number(content))
    return name.startsWith(TOKEN) ? [] : [(await sealer.open(content)) as unknown]
  })
  const opened = (await Promise.all(sessions)).flat()
  return { sessions: opened.flatMap((one) => (one ? [one as RowSession] : [])), ends }
}

/**
 * Notes that a logout token has ended a provider's session, also for the sign-ins of that session that wait.
 *
 * @param used the digest of the token
 * @param until when the token stops to count. Seconds since the epoch
 * @throws {StoreUnavailable}
 */
export async function noteEndAtProvider(
  request: AuthRequest,
  issuer: string,
  sid: string,
  used: string,
  until: number,
): Promise<void> {
  const [home = ''] = await homesOf(request, issuer, sid)
  const now = nowInSeconds(request)
  const expires = Math.max(until, now + LONGEST_WAIT)
  const change = { version: 0, content: String(now), expires }
  await request.stores.ledger.liveDocument(`${KIND}\n${home}\n${TOKEN}${used}`, alone(home), change)
}

/** Deletes the row of a session that has ended, if it has one: its record says so. @throws {StoreUnavailable} */
export async function sessionEnded(
  request: AuthRequest,
  { sub, sid }: Pick<NamedSession, 'sub' | 'sid'>,
): Promise<void> {
  const record = await request.stores.sessions.get(sub, sid)
  const opened = record && (await request.keys.record.open(record.sealed))
  const row = isRecord(opened?.kept) ? opened.kept.row : undefined
  if (typeof row === 'string') await forgetRows(request, sid, row)
}

/** Deletes the row of a session that has ended, and those of its step-ups. @throws {StoreUnavailable} */
async function forgetRows(request: AuthRequest, sid: string, row: string): Promise<void> {
  const ledger = request.stores.ledger as Required<Ledger>
  const listed = await ledger.endAll([], 0, [`${KIND}\n${row}`], [sid, [KIND]])
  const later = listed ?? (await wholeList(ledger, sid, [KIND]))
  const keys = later.flatMap(({ key, content }) => [key, `${KIND}\n${content}`])
  if (keys.length > 0) await ledger.endAll([], 0, keys)
}

/** The digests under which a `sid` may be, the newest secret's first. */
function homesOf({ keys }: AuthRequest, issuer: string, sid: string): Promise<readonly string[]> {
  return keys.allNamesFor('company-handle', JSON.stringify([issuer.replace(/\/$/, ''), sid]), 18)
}
