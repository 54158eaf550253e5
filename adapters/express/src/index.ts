export {
  customFetch,
  type McpOptions,
  type RequireSessionOptions,
  type RequireTokenOptions,
} from '@latchkey/host'
export type { AccessToken, DefaultSession, Session, User } from '@latchkey/session'
export { AuthError, CredentialsSignin, WorkerUnavailable } from '@latchkey/session'
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
