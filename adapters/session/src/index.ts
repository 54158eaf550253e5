export { CLOCK_SKEW, type RefusalReason, type SessionClaims } from './claims.js'
export {
  cookieName,
  cookieNames,
  cookieValues,
  ownCookieNames,
  SESSION_COOKIE,
  sessionTokens,
  splitCookie,
} from './cookie.js'
export { createVerifier, type ReadOptions, type Verifier } from './create-verifier.js'
export { customFetch } from './custom-fetch.js'
export { AuthError, CredentialsSignin } from './errors.js'
export {
  deriveBytes,
  deriveSessionKeys,
  exportJwks,
  importVerifyKeys,
  KeyError,
  type PublicJwk,
  type SessionKeys,
  type SigningKey,
  type VerifyKey,
  type VerifyKeys,
} from './keys.js'
export type { Reading } from './reading.js'
export {
  type EndedSession,
  isCutOff,
  type RevocationFeed,
  RevocationList,
  type Revocations,
  signRevocationFeed,
  type UserCutoff,
} from './revocations.js'
export { configuredSecrets, MIN_SECRET_LENGTH, readSecrets, SecretError } from './secrets.js'
export { type DefaultSession, type Session, toSession, type User } from './session.js'
export { signSessionToken } from './sign.js'
export type { CookieOptions, RevocationOptions, VerifierOptions } from './verifier-options.js'
export {
  SESSION_TYP,
  TokenVerifier,
  type TokenVerifierOptions,
  type Verification,
} from './verify.js'
export { type WorkerAddress, WorkerUnavailable } from './worker-client.js'
