/**
 * What the adapters for frameworks have in common. For packages of this repository: it may change
 * with any release.
 */
export type { ReaderConfig, WorkerServiceConfig } from './adapter/adapter-config.js'
export { askWorker } from './adapter/ask-worker.js'
export { BoundedMap } from './adapter/bounded-map.js'
export { hearingLedger } from './adapter/hearing-ledger.js'
export { lastOfEach, mergeCookies } from './adapter/merge-cookies.js'
export {
  type ClaimedOrigin,
  type OriginFault,
  OriginJudge,
  type OriginPolicy,
  type PublicOrigin,
} from './adapter/origin-judge.js'
export { OriginWarnings, type Warn, warnBy } from './adapter/origin-warnings.js'
export { endToEndHeaders, isOfConnection } from './adapter/request-headers.js'
export {
  addressOf,
  basePathOf,
  checkService,
  configuredBaseOf,
  issuerOf,
  keysOf,
  type ServiceConfig,
  secretsOf,
} from './adapter/service-settings.js'
export { within } from './internal/deadline.js'
export { type AuthEnvironment, type Environment, readEnvironment } from './internal/environment.js'
export { firstOf, parseAuthUrl, parseOriginPattern } from './internal/origin.js'
export { readLimitedText } from './internal/read-limited.js'
export {
  DEFAULT_BASE_PATH,
  isBasePath,
  isServiceRoute,
  ROUTES,
} from './internal/service-routes.js'
