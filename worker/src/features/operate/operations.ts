import { InvalidConfiguration } from '../../errors.js'
import type { AuthRequest } from '../../http/request.js'
import type { AuditHeads, AuditPage } from '../../types.js'
import type { OperateSettings } from './settings.js'

/** A page of the audit log. */
export async function audit(request: AuthRequest, _query: object): Promise<AuditPage> {
  logOf(request)
  return { records: [], next: null }
}

/** The ends of every chain. An object without a record has none. @throws {StoreUnavailable} */
export async function auditHeads(request: AuthRequest): Promise<AuditHeads> {
  const { days } = logOf(request)
  return { days, chains: [] }
}

/** @throws {InvalidConfiguration} */
function logOf({ features }: AuthRequest): NonNullable<OperateSettings['audit']> {
  const log = features.settings<OperateSettings>('operate')?.audit
  if (log) return log
  throw new InvalidConfiguration('The audit log is off: set AUTH_AUDIT_DAYS.')
}
