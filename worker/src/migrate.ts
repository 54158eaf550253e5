/**
 * Sessions of other libraries, which go on as ours: for `migrateFrom` of the configuration. And what the command shares with the
 * service: the check of an audit log.
 */

export { type AuthjsOptions, authjs } from './features/old-sessions/authjs.js'
export {
  type BetterAuthOptions,
  betterAuth,
  type FoundSession,
} from './features/old-sessions/better-auth.js'
export type { ChainHeads } from './features/operate/log/record.js'
export {
  AuditCheck,
  type AuditFault,
  type AuditFindings,
  type FoundFault,
  type VerifyOptions,
  verifyAudit,
} from './features/operate/log/verify.js'
export type { AuditHead, AuditHeads, AuditRecord, DamagedRow } from './types/audit.js'
export type { Migration } from './types/old-sessions.js'
