import { textOf } from '@latchkey/session/internal'

/** The days of a log that only the webhooks turn on. */
const DAYS_OF_WEBHOOKS = 90
const MAX_DAYS = 3650

/**
 * For how many days the records of the audit log are kept, by `AUTH_AUDIT_DAYS`; 90 if only webhooks are on.
 *
 * @returns `undefined`: the log is off; `NaN`: the variable is not a whole number from 1 to 3650
 */
export function auditDays(env: Readonly<Record<string, unknown>>): number | undefined {
  const text = textOf(env, 'AUTH_AUDIT_DAYS')
  if (text === undefined) {
    return textOf(env, 'AUTH_WEBHOOK_URL') === undefined ? undefined : DAYS_OF_WEBHOOKS
  }
  const days = /^\d{1,4}$/.test(text) ? Number(text) : 0
  return days >= 1 && days <= MAX_DAYS ? days : Number.NaN
}
