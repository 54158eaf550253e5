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
  const imported = await importAccounts(request, rows)
  const { added: count } = imported
  if (count > 0) await logEvent(request, { event: 'accounts-imported', by: 'operator', count })
  return json(imported)
}

function refused(request: AuthRequest, reason: ImportFault): Outcome {
  // "Upgrade Required": an older command shows the status alone.
  const status = reason === 'old-command' ? 426 : 401
  const isOther = reason === 'other-host'
  const own = isOther && standingOf(request) !== 'claimed' ? { origin: request.origin } : {}
  return json({ error: 'ImportRefused', reason, ...own }, status)
}
