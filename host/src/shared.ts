/**
 * What an app and the service that it asks have in common: variables, origins, routes, options, and the ways in which
 * one proves itself to the other. It is not public: any name here may change or disappear with any release.
 */
export { isPublicSuffix } from './shared/public-suffix.js'
export { isSharedMailHost } from './shared/shared-mail-hosts.js'

// Packed data comes before all code in a bundle: gzip packs code better with no data between.

export { APP_HEADER } from './shared/app-header.js'
export {
  PROOF_HEADER,
  type ProofKey,
  proofInput,
  proofKeyOf,
} from './shared/app-proof.js'
export { checkNeeds } from './shared/check-needs.js'
export { configurationFailure } from './shared/configuration-failure.js'
export { customFetch } from './shared/custom-fetch.js'
export {
  type AppKey,
  appKeysOf,
  bindingOf,
  type Environment,
  requireSecrets,
  textOf,
  trustedOriginsOf,
  trustHostOf,
} from './shared/environment.js'
export { isFirstTime } from './shared/first-time.js'
export {
  IMPORT_HEADER,
  type ImportRow,
  importInput,
  MAX_IMPORT,
  signImport,
} from './shared/import-request.js'
export { InvalidConfiguration } from './shared/invalid-configuration.js'
export { namedStoreIn, openNamedStore } from './shared/named-store.js'
export { OLD_SESSIONS_HEADER } from './shared/old-sessions-header.js'
export { ADVICE, OPTIONS, unknownOfAdapter } from './shared/option-advice.js'
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
} from './shared/origin.js'
export { OTHER_KEY } from './shared/other-key.js'
export { readRequestBody } from './shared/read-body.js'
export {
  type CoreRoute,
  isBasePath,
  isServiceRoute,
  parseBasePath,
  ROUTES,
  statedTwice,
} from './shared/service-routes.js'
export { type Advice, isSeen, unknownOptions } from './shared/unknown-options.js'
export type { WarningCode } from './shared/warning-code.js'
