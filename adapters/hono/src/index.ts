export type { AccessToken, DefaultSession, Session, User } from '@latchkey/session'
export { AuthError, CredentialsSignin, WorkerUnavailable } from '@latchkey/session'
export type {
  McpOptions,
  RequireSessionOptions,
  RequireTokenOptions,
  TokenServiceConfig,
} from '@latchkey/session/adapter'
export { customFetch } from '@latchkey/session/internal'
export type { Account, Profile } from '@latchkey/worker'
export {
  type AuthHandlerConfig,
  authHandler,
  getSession,
  protectMcp,
  requireSession,
  requireToken,
  session,
} from './auth.js'
