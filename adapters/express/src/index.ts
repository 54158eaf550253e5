export type { DefaultSession, Session, User } from '@latchkey/session'
export { AuthError, CredentialsSignin, WorkerUnavailable } from '@latchkey/session'
export { customFetch } from '@latchkey/session/internal'
export type { Account, Profile } from '@latchkey/worker'
export { getSession, type SessionRequest } from './get-session.js'
export { MiddlewareAuth } from './middleware-auth.js'
export { type RequireSessionOptions, requireSession } from './require-session.js'
export type {
  AuthMiddleware,
  ExpressRequest,
  ExpressResponse,
  ForwardedConfig,
  InProcessConfig,
  MiddlewareAuthConfig,
  Next,
} from './types.js'
