/**
 * Functions and types that Latchkey's own packages share. It is not public: any name here may
 * change or disappear with any release.
 */

export { parseAddress } from './lib/address.js'
export { BoundedCache } from './lib/bounded-cache.js'
export {
  answerWithin,
  elapsed,
  type InTime,
  isWorkerd,
  timeLimit,
  within,
} from './lib/deadline.js'
export { InvalidConfiguration } from './lib/errors.js'
export { isRecord } from './lib/is-record.js'
export { readLimited, readLimitedText, readRequestBody } from './lib/read-limited.js'
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
export { checkedSecret, configuredSecrets } from './token/secrets.js'
export {
  isRemoval,
  lastOfEach,
  mergeCookies,
  nameOfCookie,
  replaceCookies,
} from './token/set-cookie.js'
export { signCompact } from './token/signed.js'
export { OTHER_KEY } from './token/verify.js'
export type { AccessTokenReader, TokenPlace, TokenReading } from './verifier/access-token-reader.js'
export { allowedHeaders } from './verifier/allowed-headers.js'
export {
  checkSpelling,
  createTokenReader,
  type TokenReaderOptions,
} from './verifier/create-token-verifier.js'
export { verifierWith } from './verifier/create-verifier.js'
export { MCP_CORS, type McpOptions, McpResource, preflight } from './verifier/mcp-resource.js'
export { type CookieOptions, serviceOf } from './verifier/options.js'
export type { WaitUntil } from './verifier/poller.js'
export type { SessionReading } from './verifier/reading.js'
export { FOREIGN, NOBODY } from './verifier/reading.js'
export { refusalResponse } from './verifier/refusal-response.js'
export {
  isCutOff,
  MAX_NAMES,
  NAME_LENGTH,
  RevocationList,
  readRevocationFeed,
} from './verifier/revocations.js'
export { readScopes, type TokenNeeds } from './verifier/token-refusal.js'
export { TokenVerifier } from './verifier/token-verifier.js'
export { TIMEOUT } from './verifier/worker-client.js'
