import { isRecord } from '@latchkey/session/internal'
import { type AuthRequest, nowInSeconds } from '../../../http/request.js'
import { randomToken } from '../../../lib/base64url.js'
import type { Sealer } from '../../../lib/seal.js'
import { forgetDeleted } from '../../../person/documents.js'
import { MAX_LISTED } from '../../../stores/ledger/rules/lives.js'
import type { KeyedDocument } from '../../../stores/ledger/types.js'
import { ledgerOf, ofItself } from '../grant-ledger.js'

// Ends of sessions that apps have not heard of yet. The rows have one home, so that any isolate finds them.

const KIND = 'logout'
const HOME = 'outbox'

/** A row that is never found again is deleted after this time: all tries take less than a day. Seconds. */
const KEPT = 2 * 24 * 60 * 60

/** The most endings of a row, which has to fit into a document. */
const MAX_ENDINGS = 100

/** Raised when an older version would misread a row. It leaves such a row to others. The first version had the `sub` in the clear. */
const VERSION = 2

/** A session that an app has in one of its ID tokens, by the `iss` and the `sid` there. */
export interface EndedAtApp {
  readonly app: string
  readonly iss: string
  readonly sid: string
  /** When the session began, or a grant of it that outlives it. Seconds since the epoch. */
  readonly began: number
}

export function nameOf({ app, iss, sid }: EndedAtApp): string {
  return JSON.stringify([app, iss, sid])
}

/** Sessions of one person that apps have yet to hear of. */
export interface Notice {
  readonly sub: string
  readonly endings: readonly EndedAtApp[]
  /** How many tries there have been; 0: perhaps the sessions have not ended. */
  readonly tries: number
  /** When the next try is due. Milliseconds since the epoch. */
  readonly next: number
}

/** A notice as the ledger has it. */
export interface Row extends Notice {
  readonly key: string
  readonly version: number
}

/** Writes notices. @throws {StoreUnavailable} some of them may be written */
export async function putNotices(
  request: AuthRequest,
  { endings, ...notice }: Notice,
): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (let at = 0; at < endings.length; at += MAX_ENDINGS) {
    const key = `${KIND}\n${HOME}\n${randomToken(16)}`
    const part = { ...notice, endings: endings.slice(at, at + MAX_ENDINGS) }
    await changeNotice(request, { key, version: 0 }, part)
    rows.push({ key, version: 1, ...part })
  }
  return rows
}

/** Deletes a notice without a trace, unless another isolate was faster. @throws {StoreUnavailable} */
export async function removeNotice(request: AuthRequest, { key, version }: Row): Promise<void> {
  if (await ledgerOf(request).changeDocument(key, version, null))
    await forgetDeleted(request, [key])
}

/**
 * Some notices, in no order of their times.
 *
 * @param after the end of the list before
 * @returns `after`: there may be more
 * @throws {StoreUnavailable}
 */
export async function listNotices(
  request: AuthRequest,
  after: string | undefined,
): Promise<{ readonly rows: readonly Row[]; readonly after: string | undefined }> {
  const documents = await ledgerOf(request).documentsOf(HOME, [KIND], undefined, after)
  const isCut = documents.length >= MAX_LISTED
  const sealer = await sealerOf(request)
  const rows = await Promise.all(documents.map((document) => read(sealer, document)))
  return { rows: rows.flat(), after: isCut ? documents.at(-1)?.key : undefined }
}

/**
 * Writes a notice whose row is still as it was read, for one of any number of callers.
 *
 * @returns `undefined`: another isolate was faster
 * @throws {StoreUnavailable}
 */
export async function changeNotice(
  request: AuthRequest,
  { key, version }: Pick<Row, 'key' | 'version'>,
  { sub, endings, tries, next }: Notice,
): Promise<Row | undefined> {
  const expires = nowInSeconds(request) + KEPT
  // An erasure does not wait for an app that is down, and nothing in the clear may name its person then.
  const whose = await (await sealerOf(request)).seal({ key, sub }, expires)
  const content = JSON.stringify({ v: VERSION, whose, tries, next, endings })
  const change = { version, content, expires }
  const { isChanged } = await ledgerOf(request).liveDocument(key, ofItself(HOME), change)
  return isChanged ? { key, version: version + 1, sub, endings, tries, next } : undefined
}

function sealerOf({ keys }: AuthRequest): Promise<Sealer> {
  return keys.sealer('logout')
}

/** Our own words are checked too: a damaged row must not stop the others, nor one that was sealed with a retired secret. */
async function read(
  sealer: Sealer,
  { key, version, content }: KeyedDocument,
): Promise<Row | readonly []> {
  try {
    const all = JSON.parse(content ?? '') as Record<string, unknown>
    const { v, whose, tries, next, endings } = all
    const opened = v === VERSION ? await sealer.open(String(whose)) : undefined
    const sub = v === 1 ? all.sub : opened?.key === key ? opened.sub : undefined
    const isRow =
      typeof sub === 'string' &&
      typeof tries === 'number' &&
      typeof next === 'number' &&
      Array.isArray(endings) &&
      endings.every(isEnding)
    return isRow ? { key, version, sub, tries, next, endings } : []
  } catch {
    return []
  }
}

function isEnding(value: unknown): value is EndedAtApp {
  if (!isRecord(value)) return false
  const { app, iss, sid, began } = value
  return [app, iss, sid].every((one) => typeof one === 'string') && Number.isSafeInteger(began)
}
