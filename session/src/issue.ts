/**
 * Signing of sessions, for the service itself and for tests that need its tokens or its feed.
 * `docs/session-token.md` of the repository has the format.
 */
export {
  cookieName,
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
  type PublicJwk,
  type SessionKeys,
  type SigningKey,
  type VerifyKey,
  type VerifyKeys,
} from './token/keys.js'
export { readSecrets } from './token/secrets.js'
export { sessionClaim, toSession } from './token/session.js'
export { signSessionToken } from './token/signed.js'
export {
  type EndedSession,
  type NamelessCutoff,
  type RevocationFeed,
  type Revocations,
  signRevocationFeed,
  type UserCutoff,
} from './verifier/revocations.js'
