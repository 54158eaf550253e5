/**
 * What is behind the adapters for frameworks. For packages of this repository: it may change with any
 * release. Some of it is used by `@latchkey/sveltekit` alone, and goes when that stands on the host.
 */
export { BoundedMap } from './adapter/bounded-map.js'
export { endToEndHeaders, isOfConnection } from './adapter/end-to-end.js'
export { askWorker } from './adapter/forwarded.js'
export { hearingLedger } from './adapter/hearing-ledger.js'
export { createHost, type Host } from './adapter/host.js'
export type {
  ForwardedConfigOf,
  HostConfig,
  HostConfigSource,
  InProcessConfigOf,
  ReaderConfig,
  WorkerServiceConfig,
} from './adapter/host-config.js'
export type { HostMessage, HostRequest } from './adapter/host-request.js'
export { lastOfEach, mergeCookies } from './adapter/merge-cookies.js'
export { OriginWarnings, type Warn, warnBy } from './adapter/origin-warnings.js'
export {
  type ClaimedOrigin,
  type OriginFault,
  type OriginPolicy,
  Origins as OriginJudge,
  type PublicOrigin,
} from './adapter/origins.js'
export { Refusal } from './adapter/refusal.js'
export {
  addressOf,
  basePathOf,
  checkService,
  configuredBaseOf,
  issuerOf,
  keysOf,
  secretsOf,
} from './adapter/service-settings.js'
export { type RequireSessionOptions, turnAway } from './adapter/session-gate.js'
export type { ActionForm, AuthResult } from './adapter/submit-form.js'
export { within } from './internal/deadline.js'
export { type AuthEnvironment, type Environment, readEnvironment } from './internal/environment.js'
export { firstOf, parseAuthUrl, parseOriginPattern } from './internal/origin.js'
export { readLimitedText } from './internal/read-limited.js'
export { DEFAULT_BASE_PATH, isServiceRoute } from './internal/service-routes.js'
