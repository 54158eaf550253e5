import type { FeatureWarning } from './of-features.js'

/**
 * Every warning that the service and the adapters write to the log. Each has an entry in `docs/errors.md`, and a test
 * holds the page against this list.
 */
export type WarningCode =
  | FeatureWarning
  | 'base-path'
  | 'env-nextauth'
  | 'env-url-basepath-mismatch'
  | 'env-url-basepath-redundant'
  | 'feed-unheard'
  | 'guessed-https'
  | 'late-cookie'
  | 'ledger-number'
  | 'memory-store'
  | 'no-rate-limit'
  | 'public-proxy'
  | 'session-cookie-name'
  | 'several-mounts'
  | 'store-file'
  | 'store-forgets'
  | 'theme'
  | 'too-many-attempts'
  | 'unknown-base'
  | 'unknown-client'
  | 'unknown-option'
  | 'unknown-provider'
  | 'untrusted-by-worker'
  | 'untrusted-host'
  | 'untrusted-proxy'
  | 'url-not-https'
