// What both entries have.

export {
  customFetch,
  type McpOptions,
  type RequireSessionOptions,
  type RequireTokenOptions,
  type TokenServiceConfig,
} from '@latchkey/host'
export type { AccessToken, DefaultSession, Session, User } from '@latchkey/session'
export { AuthError, CredentialsSignin, WorkerUnavailable } from '@latchkey/session'
export type { Account, Profile } from '@latchkey/worker'
