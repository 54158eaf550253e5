import { StoreUnavailable } from '../../errors.js'
import { ownDetail } from '../../lib/printable.js'
import type { AuditEntry } from '../../types.js'

/** The error of the log for an event that has no record. It has the whole event, so that a copy of the log still does. */
export class AuditLost extends Error {
  override readonly name = 'audit-lost'

  constructor({ time: _, ...entry }: AuditEntry, cause: unknown) {
    super(`The audit log has no record of "${entry.event}".`, {
      cause: ownDetail({ ...entry, err: cause }),
    })
  }
}

/** What a call of an object of the ledger fails with. */
export function unavailable(what: string, cause: unknown): StoreUnavailable {
  // Workerd says so of an object whose class has no such method.
  const isOther =
    cause instanceof Error && /does not implement|is not a function/.test(cause.message)
  const why = isOther ? ` ${EXPORT}` : ''
  return new StoreUnavailable(`Could not ${what} the audit log.${why}`, { cause: { err: cause } })
}

const EXPORT =
  "In the Worker's entry, export { Ledger } from '@latchkey/worker/features/operate' in the place of '@latchkey/worker/ledger'."
