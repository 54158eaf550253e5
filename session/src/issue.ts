/**
 * Signing of sessions and of access tokens, for the service itself and for tests that need its tokens
 * or its feed. `docs/session-token.md` and `docs/access-tokens.md` of the repository have the formats.
 */
export {
  deriveAccessKeys,
  exportTokenJwks,
  type PublicTokenJwk,
  publishTokenKey,
  type TokenAlg,
  type TokenKeyPair,
  type TokenSigningKey,
  type TokenVerifyKey,
  type TokenVerifyKeys,
} from './token/access-keys.js'
export {
  ACCESS_TOKEN_LIFE,
  type AccessClaims,
  type AccessTokenFault,
  accessTokenStanding,
  type MachineClaims,
  readIdToken,
  signAccessToken,
  signIdToken,
  signLogoutToken,
  verifyAccessToken,
} from './token/access-token.js'
export { API_KEY_BYTES, type ApiKey, formatApiKey, parseApiKey } from './token/api-key.js'
export {
  beganAt,
  CLOCK_SKEW,
  isLive,
  isNearEnd,
  MAX_TOKEN_LIFE,
  machineSub,
} from './token/claims.js'
export {
  cookieName,
  isCookieName,
  ownCookieNames,
  SESSION_COOKIE,
  sessionTokens,
  splitCookie,
} from './token/cookie.js'
export { acrOf, isEnough, lackOf, type SessionLack } from './token/is-enough.js'
export {
  deriveBytes,
  deriveSessionKeys,
  exportJwks,
  importVerifyKeys,
  type PublicJwk,
  type SessionKeys,
  type SigningKey,
  type VerifyKey,
  type VerifyKeys,
} from './token/keys.js'
export { configuredSecrets, readSecrets } from './token/secrets.js'
export { sessionClaim, toSession } from './token/session.js'
export { signSessionToken } from './token/signed.js'
export {
  type EndedSession,
  FEED_NAME_LENGTH,
  isCutOff,
  MAX_FEED_NAMES,
  type NamelessCutoff,
  type RevocationFeed,
  type Revocations,
  readRevocationFeed,
  type StaleClaims,
  signRevocationFeed,
  type UserCutoff,
} from './verifier/revocations.js'
