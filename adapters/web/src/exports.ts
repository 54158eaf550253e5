// What both entries have.

export { type ActionOptions, customFetch, type RequireSessionOptions } from '@latchkey/host'
export type { DefaultSession, Session, User } from '@latchkey/session'
export { AuthError, CredentialsSignin, WorkerUnavailable } from '@latchkey/session'
export type { Account, Profile } from '@latchkey/worker'
export type { RequestAuth, WebAuth } from './web-auth.js'
export type { Platform } from './web-request.js'
