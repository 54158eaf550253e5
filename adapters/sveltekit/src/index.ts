export type { AuthResult } from '@latchkey/client/internal'
export { customFetch, type RequireTokenOptions } from '@latchkey/host'
export type { AccessToken, DefaultSession, Session, User } from '@latchkey/session'
export { AuthError, CredentialsSignin, WorkerUnavailable } from '@latchkey/session'
export type { Account, Profile } from '@latchkey/worker'
export { ComponentKitAuth } from './component-kit-auth.js'
export type { ComponentKitAuthHandlers } from './kit-auth.js'
export { requireToken } from './require-token.js'
export type {
  ComponentKitAuthConfig,
  ConfigSource,
  ForwardedConfig,
  InProcessConfig,
  KitEvent,
} from './types.js'
