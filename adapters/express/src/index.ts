export type { AccessToken, DefaultSession, Session, User } from '@latchkey/session'
export { AuthError, CredentialsSignin, WorkerUnavailable } from '@latchkey/session'
export type {
  McpOptions,
  RequireSessionOptions,
  RequireTokenOptions,
} from '@latchkey/session/adapter'
export { customFetch } from '@latchkey/session/internal'
export type { Account, Profile } from '@latchkey/worker'
export { getSession } from './get-session.js'
export { MiddlewareAuth } from './middleware-auth.js'
export { requireSession } from './require-session.js'
export { protectMcp, requireToken } from './require-token.js'
export type {
  AuthMiddleware,
  ExpressRequest,
  ExpressResponse,
  ForwardedConfig,
  InProcessConfig,
  MiddlewareAuthConfig,
  Next,
  SessionRequest,
  TokenConfig,
} from './types.js'
