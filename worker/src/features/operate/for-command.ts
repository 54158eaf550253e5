/** What the command shares with the feature: the check of an audit log, and the readers of variables. */

export { auditDays } from './log/days.js'
export type { ChainHeads } from './log/record.js'
export {
  AuditCheck,
  type AuditFault,
  type AuditFindings,
  type FoundFault,
  type VerifyOptions,
  verifyAudit,
} from './log/verify.js'
export { readOperatorKeys } from './operator/keys.js'
export { readWebhook } from './webhooks/settings.js'
