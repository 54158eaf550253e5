import type { ImportRow } from '@latchkey/host/shared'
import { standingOf } from '../../http/known-origin.js'
import { logEvent } from '../../http/log-event.js'
import { json, type Outcome } from '../../http/outcome.js'
import type { AuthRequest } from '../../http/request.js'
import { importAccounts } from './import-accounts.js'
import { type ImportFault, readImport } from './signed-request.js'

/**
 * POST /import: accounts of another library's tables become ways of the people who had them there.
 * It exists only until `AUTH_IMPORT_UNTIL`, for callers with `AUTH_SECRET`.
 */
export async function importRoute(request: AuthRequest): Promise<Outcome> {
  const rows = await readImport(request)
  if (typeof rows === 'string') return refused(request, rows)
  if (rows.some((row) => !hasPlace(request, row))) return refused(request, 'no-passwords')
  const imported = await importAccounts(request, rows)
  const { added: count } = imported
  if (count > 0) await logEvent(request, { event: 'accounts-imported', by: 'operator', count })
  return json(imported)
}

/** Are passwords typed here with the address of a row, if it has one? */
function hasPlace(request: AuthRequest, [, provider, , , hash]: ImportRow): boolean {
  const { oldHashes } = request.features.ports
  return hash === undefined || oldHashes?.areTypedWith(request, provider) === true
}

function refused(request: AuthRequest, reason: ImportFault | 'no-passwords'): Outcome {
  // "Upgrade Required": an older command shows the status alone.
  const status = reason === 'old-command' ? 426 : reason === 'no-passwords' ? 409 : 401
  const isOther = reason === 'other-host'
  const own = isOther && standingOf(request) !== 'claimed' ? { origin: request.origin } : {}
  return json({ error: 'ImportRefused', reason, ...own }, status)
}
