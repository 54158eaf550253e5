// What both entries have.

export { type ActionOptions, customFetch, type RequireSessionOptions } from '@latchkey/host'
export type { DefaultSession, Session, User } from '@latchkey/session'
export { AuthError, CredentialsSignin, WorkerUnavailable } from '@latchkey/session'
export type { Account, Profile } from '@latchkey/worker'
export type {
  Authorized,
  HandlerContext,
  NextAuthRequest,
  NextAuthResult,
  PageSessionOptions,
} from './types.js'
