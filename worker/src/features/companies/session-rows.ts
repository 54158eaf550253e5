import type { SessionClaims } from '@latchkey/session'
import { isRecord } from '@latchkey/session/internal'
import { beganAt } from '@latchkey/session/issue'
import type { AuthRequest } from '../../http/request.js'
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
  await noteSession(request, signedIn, { sub, sid, auth_time, sexp })
}

/**
 * Our sessions that belong to a provider's, all of them, which sign-ins under any secret in use have noted: the provider's session may
 * be older than the newest secret.
 *
 * @throws {StoreUnavailable}
 */
export async function sessionsBy(
  request: AuthRequest,
  issuer: string,
  sid: string,
): Promise<readonly RowSession[]> {
  const ledger = request.stores.ledger as Required<Ledger>
  const sealer = await request.keys.sealer('company')
  const homes = await homesOf(request, issuer, sid)
  const documents = await Promise.all(homes.map((home) => wholeList(ledger, home, [KIND])))
  const opened = await Promise.all(
    documents.flat().map(({ content }) => (content === null ? undefined : sealer.open(content))),
  )
  return opened.flatMap((one) => (one ? [one as unknown as RowSession] : []))
}

/** Deletes the rows of an erased person's sessions. @throws {StoreUnavailable} */
export async function forgetRowsOf(request: AuthRequest, sub: string): Promise<void> {
  const records = await request.stores.sessions.list(sub)
  const own = records.filter(({ provider }) => companyIn(provider) !== undefined)
  await Promise.all(own.map((one) => sessionEnded(request, one)))
}

/** Deletes the row of a session that has ended, if it has one: its record says so. @throws {StoreUnavailable} */
export async function sessionEnded(
  request: AuthRequest,
  { sub, sid }: Pick<NamedSession, 'sub' | 'sid'>,
): Promise<void> {
  const record = await request.stores.sessions.get(sub, sid)
  const opened = record && (await request.keys.record.open(record.sealed))
  const row = isRecord(opened?.kept) ? opened.kept.row : undefined
  if (typeof row === 'string') await forgetRow(request, row)
}

/** Deletes the row of a session that has ended. @throws {StoreUnavailable} */
async function forgetRow(request: AuthRequest, row: string): Promise<void> {
  await request.stores.ledger.endAll([], 0, [`${KIND}\n${row}`])
}

/** The digests under which a `sid` may be, the newest secret's first. */
function homesOf({ keys }: AuthRequest, issuer: string, sid: string): Promise<readonly string[]> {
  return keys.allNamesFor('company-handle', JSON.stringify([issuer.replace(/\/$/, ''), sid]), 18)
}
