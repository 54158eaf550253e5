/**
 * Sessions of other libraries, which go on as ours: for `migrateFrom` of the configuration. And what the command shares with the
 * service: the check of an audit log, tables of variables and presets, and the readers of variables.
 */

export { VARIABLE_FORMS } from './config/manifests.js'
export { importUntil } from './features/account-import/settings.js'
export { parseSender } from './features/email/senders.js'
export { type AuthjsOptions, authjs } from './features/old-sessions/authjs.js'
export {
  type BetterAuthOptions,
  betterAuth,
  type FoundSession,
} from './features/old-sessions/better-auth.js'
export * from './features/operate/for-command.js'
export { passwordIn } from './presets/password.js'
export { PRESETS } from './presets/preset-table.js'
export { resolveProviders } from './sign-in/kinds.js'
export { ledgerJurisdiction } from './stores/ledger-jurisdiction.js'
export { ledgerShards } from './stores/ledger-shards.js'
export type { AuditHead, AuditHeads, AuditRecord, DamagedRow } from './types/audit.js'
export type { Migration } from './types/old-sessions.js'
