/**
 * Sessions of other libraries, which go on as ours: for `migrateFrom` of the configuration.
 */
export { type AuthjsOptions, authjs } from './features/old-sessions/authjs.js'
export {
  type BetterAuthOptions,
  betterAuth,
  type FoundSession,
} from './features/old-sessions/better-auth.js'
export type { Migration } from './types/old-sessions.js'
