export { customFetch } from './internal/custom-fetch.js'
export { AuthError, CredentialsSignin } from './internal/errors.js'
export { CLOCK_SKEW, type RefusalReason, type SessionClaims } from './token/claims.js'
export {
  cookieName,
  cookieNames,
  cookieValues,
  ownCookieNames,
  SESSION_COOKIE,
  sessionTokens,
  splitCookie,
} from './token/cookie.js'
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
} from './token/keys.js'
export { configuredSecrets, MIN_SECRET_LENGTH, readSecrets, SecretError } from './token/secrets.js'
export { type DefaultSession, type Session, toSession, type User } from './token/session.js'
export { signSessionToken } from './token/sign.js'
export {
  SESSION_TYP,
  TokenVerifier,
  type TokenVerifierOptions,
  type Verification,
} from './token/verify.js'
export { createVerifier, type ReadOptions, type Verifier } from './verifier/create-verifier.js'
export type { CookieOptions, RevocationOptions, VerifierOptions } from './verifier/options.js'
export type { Reading } from './verifier/reading.js'
export {
  type EndedSession,
  isCutOff,
  type RevocationFeed,
  RevocationList,
  type Revocations,
  signRevocationFeed,
  type UserCutoff,
} from './verifier/revocations.js'
export { type WorkerAddress, WorkerUnavailable } from './verifier/worker-client.js'
