/**
 * Functions and types that Latchkey's own packages share. It is not public: any name here may
 * change or disappear with any release.
 */
export { isPublicSuffix } from './internal/public-suffix.js'

// Packed data comes before all code in a bundle: gzip packs code better with no data between.

export { namedStoreIn, openNamedStore } from './adapter/named-store.js'
export { allowedHeaders } from './internal/allowed-headers.js'
export { APP_HEADER } from './internal/app-header.js'
export {
  PROOF_HEADER,
  type ProofKey,
  proofInput,
  proofKeyOf,
} from './internal/app-proof.js'
export { configurationFailure } from './internal/configuration-failure.js'
export {
  answerWithin,
  elapsed,
  type InTime,
  isWorkerd,
  timeLimit,
  within,
} from './internal/deadline.js'
export {
  type AppKey,
  appKeysOf,
  bindingOf,
  type Environment,
  requireSecrets,
  textOf,
  trustedOriginsOf,
  trustHostOf,
} from './internal/environment.js'
export { InvalidConfiguration } from './internal/errors.js'
export {
  IMPORT_HEADER,
  type ImportRow,
  importInput,
  MAX_IMPORT,
  signImport,
} from './internal/import-request.js'
export { isRecord } from './internal/is-record.js'
export { OLD_SESSIONS_HEADER } from './internal/old-sessions-header.js'
export { ADVICE, OPTIONS, unknownOfAdapter } from './internal/option-advice.js'
export {
  anyBase,
  firstOf,
  isListedOrigin,
  isNamedOrigin,
  isTrustedOrigin,
  type OriginPattern,
  parseAuthUrl,
  parseClaimedOrigin,
  parseOriginPattern,
  type Standing,
  standing,
} from './internal/origin.js'
export { readLimited, readRequestBody } from './internal/read-limited.js'
export {
  isBasePath,
  isServiceRoute,
  parseBasePath,
  ROUTES,
  type ServiceRoute,
  statedTwice,
} from './internal/service-routes.js'
export { type Advice, isSeen, unknownOptions } from './internal/unknown-options.js'
export type { WarningCode } from './internal/warning-code.js'
export {
  beganAt,
  CLOCK_SKEW,
  isLive,
  isNearEnd,
  MAX_TOKEN_LIFE,
  type SessionBeginning,
} from './token/claims.js'
export { cookieNames, cookiePairs, cookieValues, isCookieName } from './token/cookie.js'
export { acrOf, checkNeeds, isEnough, isFresh, type SessionNeeds } from './token/is-enough.js'
export { checkedSecret } from './token/secrets.js'
export { signCompact } from './token/signed.js'
export { OTHER_KEY } from './token/verify.js'
export type { SessionReading } from './verifier/reading.js'
export {
  isCutOff,
  MAX_NAMES,
  NAME_LENGTH,
  RevocationList,
  readRevocationFeed,
} from './verifier/revocations.js'
export { TokenVerifier } from './verifier/token-verifier.js'

/**
 * A provider's own `fetch`, for every request to its endpoints: corporate proxies, mocks, logging,
 * headers that a deviating server wants. It sees the final request, after a preset's own
 * adjustments. It also sees tokens and client secrets, so treat it as you would treat those.
 *
 * @example videoapp({ [customFetch]: (input, init) => fetch(proxied(input), init) })
 */
export const customFetch: unique symbol = Symbol('latchkey.custom-fetch')
