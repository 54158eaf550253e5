/** Each finding that there is, with its level: an error ends the command with 1. `docs/errors.md` has an entry for each. */
export const LEVELS = {
  'secret-missing': 'error',
  'secret-short': 'error',
  'secret-weak': 'error',
  'secret-twice': 'error',
  'secret-unread': 'warning',
  'secret-in-vars': 'error',
  'secret-in-git': 'error',
  'variable-unknown': 'warning',
  'variable-invalid': 'error',
  'provider-half': 'error',
  'issuer-missing': 'error',
  'issuer-invalid': 'error',
  'url-invalid': 'error',
  mount: 'error',
  'second-origin': 'warning',
  'cookie-domain': 'error',
  'cookie-domain-public': 'error',
  'origin-invalid': 'error',
  'origin-wide': 'error',
  'binding-missing': 'error',
  'migration-missing': 'error',
  'rate-limit-missing': 'warning',
  'mail-unsent': 'error',
  'mail-from': 'error',
  'memory-store': 'warning',
  'audit-store': 'warning',
  'logs-keep-queries': 'warning',
  'passkey-domain': 'error',
  'password-mail': 'error',
  'password-plan': 'warning',
  'turnstile-half': 'error',
  'turnstile-test-key': 'error',
  'sandbox-left': 'error',
  'import-open': 'warning',
  'app-resources': 'warning',
  'company-half': 'error',
  'company-domain': 'error',
  'operator-key': 'error',
  webhook: 'error',
  unreadable: 'error',
  'app-issuer': 'error',
  'app-secret': 'error',
  'app-keys': 'error',
  'app-keys-old': 'warning',
  'app-untrusted': 'warning',
  'app-key': 'error',
  unreachable: 'error',
  configuration: 'error',
  'live-issuer': 'error',
  feed: 'error',
  clock: 'error',
  cached: 'error',
  'cookie-lost': 'error',
  'redirect-uri': 'error',
  'client-unknown': 'error',
  'provider-away': 'warning',
} as const

export type Code = keyof typeof LEVELS

/** A finding of `latchkey doctor`. Its texts hold no value of a secret or a key, not even a part. */
export interface Finding {
  readonly code: Code
  readonly level: 'error' | 'warning'
  /** A file and a name, or an address. */
  readonly where: string
  /** The fault, in one sentence. */
  readonly what: string
  /** The consequence. */
  readonly why: string
  /** A command, or a line for the file. */
  readonly fix: string
}

/** @example finding('secret-missing', { where: '.dev.vars AUTH_SECRET', what, why, fix: 'AUTH_SECRET=…' }) */
export function finding(code: Code, texts: Omit<Finding, 'code' | 'level'>): Finding {
  return { code, level: LEVELS[code], ...texts }
}
