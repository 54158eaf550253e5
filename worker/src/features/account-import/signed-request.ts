import { IMPORT_HEADER, type ImportRow, importInput, MAX_IMPORT } from '@latchkey/host/shared'
import { isRecord } from '@latchkey/session/internal'
import { CLOCK_SKEW } from '@latchkey/session/issue'
import { readBytes } from '../../http/body.js'
import { standingOf } from '../../http/known-origin.js'
import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import { BadRequest } from '../../lib/bad-request.js'
import { decodeBase64Url, encodeBase64Url } from '../../lib/base64url.js'

/** Are accounts being imported now? */
export function isImporting({ config, features }: AuthRequest): boolean {
  const { until } = features.settings<Importing>('account-import') ?? {}
  return until !== undefined && config.now() < until
}

/** The time until which accounts may be imported. Milliseconds since the epoch. */
export interface Importing {
  readonly until: number
}

/** Why nothing was imported. */
export type ImportFault =
  | 'malformed'
  | 'old-command'
  | 'unknown-key'
  | 'bad-signature'
  | 'other-host'
  | 'stale'
  | 'replayed'

/** Time, nonce, SHA-256 of the body, host, id of the key, HMAC. */
const SHAPE = /^((\d{1,12})\.([\w-]{22})\.([\w-]{43})\.([\w-]{2,400}))\.([\w-]{8})\.([\w-]{43})$/
/** The same without a host, as commands of version 0.2 sign. */
const OLD_SHAPE = /^\d{1,12}\.[\w-]{22}\.[\w-]{43}\.[\w-]{8}\.[\w-]{43}$/

/**
 * The accounts of a request, which a holder of the secret has signed, less than a minute ago, for
 * this service and this path. The signature is verified before the body is read, and the nonce is
 * used up after both.
 *
 * @throws {BadRequest} the body is invalid @throws {StoreUnavailable}
 */
export async function readImport(
  request: AuthRequest,
): Promise<readonly ImportRow[] | ImportFault> {
  const { original, keys, stores } = request
  const header = original.headers.get(IMPORT_HEADER) ?? ''
  const match = SHAPE.exec(header)
  if (!match) return OLD_SHAPE.test(header) ? 'old-command' : 'malformed'
  const [, statement = '', time, nonce, digest, host, id, mac = ''] = match
  const known = (await keys.proofKeys('import')).find((key) => key.id === id)
  if (!known) return 'unknown-key'
  const input = importInput(new URL(original.url).pathname, statement)
  const signature = decodeBase64Url(mac)
  // Compared by the platform, in constant time.
  const isGenuine = signature && (await crypto.subtle.verify('HMAC', known.key, signature, input))
  if (!isGenuine) return 'bad-signature'
  // One that the request alone names is that of whatever service it was signed for.
  if (standingOf(request) === 'claimed') return 'other-host'
  const own = new TextEncoder().encode(new URL(request.origin).host)
  if (host !== encodeBase64Url(own)) return 'other-host'
  if (!(Math.abs(Number(time) - nowInSeconds(request)) <= CLOCK_SKEW)) return 'stale'
  const body = await readBytes(original)
  const found = encodeBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', body)))
  if (found !== digest) return 'bad-signature'
  const rows = rowsIn(new TextDecoder().decode(body))
  const isFirst = await stores.ledger.consume(`import:${nonce}`, Number(time) + CLOCK_SKEW + 1)
  return isFirst ? rows : 'replayed'
}

/** @throws {BadRequest} */
function rowsIn(text: string): readonly ImportRow[] {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    // Reported below.
  }
  const accounts = isRecord(body) ? body.accounts : undefined
  if (Array.isArray(accounts) && accounts.length <= MAX_IMPORT && accounts.every(isRow)) {
    return accounts
  }
  throw new BadRequest(400, `"accounts" has at most ${MAX_IMPORT} accounts.`)
}

function isRow(row: unknown): row is ImportRow {
  if (!Array.isArray(row) || row.length < 3 || row.length > 5) return false
  // An address has no issuer.
  if (row.length === 5 && row[3] !== '') return false
  return row.every((member) => typeof member === 'string')
}
