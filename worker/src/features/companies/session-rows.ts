import { isRecord } from '@latchkey/session/internal'
import type { AuthRequest } from '../../http/request.js'
import { companyIn } from '../../lib/company-id.js'
import type { SignedIn } from '../../session/signed-in.js'
import type { Life } from '../../stores/ledger/types.js'

// By the `sid` of its own session a company's provider ends ours: a row below a digest of it names ours. Its content is sealed.

/** The kind of the documents, which begins their keys. */
const KIND = 'company'

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

/** A row is there for itself, and ends at its time. */
const alone = (id: string): Life => ({
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
  { account, profile }: SignedIn,
  session: NamedSession,
): Promise<{ readonly row: string } | undefined> {
  const { sid, iss } = profile ?? {}
  if (companyIn(account.provider) === undefined || typeof sid !== 'string' || sid === '')
    return undefined
  if (sid.length > MAX_SID) return undefined
  const [home = ''] = await homesOf(request, String(iss), sid)
  const row = `${home}\n${session.sid}`
  const sealer = await request.keys.sealer('company')
  const content = await sealer.seal({ ...session }, session.sexp)
  const change = { version: 0, content, expires: session.sexp }
  await request.stores.ledger.liveDocument(`${KIND}\n${row}`, alone(home), change)
  return { row }
}

/** Our sessions that belong to a provider's, which a sign-in under any secret in use has noted. @throws {StoreUnavailable} */
export async function sessionsBy(
  request: AuthRequest,
  issuer: string,
  sid: string,
): Promise<readonly NamedSession[]> {
  const sealer = await request.keys.sealer('company')
  for (const home of await homesOf(request, issuer, sid)) {
    const documents = await request.stores.ledger.documentsOf(home, [KIND])
    const opened = await Promise.all(
      documents.map(({ content }) => (content === null ? undefined : sealer.open(content))),
    )
    const sessions = opened.flatMap((one) => (one ? [one as unknown as NamedSession] : []))
    if (sessions.length > 0) return sessions
  }
  return []
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
