import { textOf } from '@latchkey/host/shared'
import { InvalidConfiguration } from '../../../errors.js'
import type { Environment } from '../../../types.js'

/** Records are kept for so long if only webhooks ask for the log. */
const DAYS = 90
export const MAX_DAYS = 3650

/**
 * How many days the audit log keeps a record. The service reads it, and each object of the ledger again.
 *
 * @returns `undefined`: there is no audit log
 * @throws {InvalidConfiguration}
 */
export function auditDays(env: Environment): number | undefined {
  const text = textOf(env, 'AUTH_AUDIT_DAYS')
  if (text === undefined) return textOf(env, 'AUTH_WEBHOOK_URL') === undefined ? undefined : DAYS
  const days = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (days >= 1 && days <= MAX_DAYS) return days
  throw new InvalidConfiguration(`AUTH_AUDIT_DAYS must be a whole number from 1 to ${MAX_DAYS}.`)
}
