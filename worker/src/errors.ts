import { AuthError, CredentialsSignin } from '@latchkey/session'
import type { DenialCode } from './types/denial-code.js'

export { InvalidConfiguration } from '@latchkey/host/shared'
export { AuthError, CredentialsSignin } from '@latchkey/session'

/** The errors that a browser may see by name, in `error=<word>`. */
export type PublicError =
  | 'CredentialsSignin'
  | 'OAuthAccountNotLinked'
  | 'OAuthCallbackError'
  | 'AccessDenied'
  | 'Verification'
  | 'MissingCSRF'
  | 'InvalidCheck'
  | 'Configuration'

/** Every error of the service, by the name that identifies it in logs. */
export type ErrorType =
  | PublicError
  | 'CallbackFailed'
  | 'CredentialsFailed'
  | 'InvalidConfiguration'
  | 'MissingSecret'
  | 'MissingBinding'
  | 'ProviderMisconfigured'
  | 'UnknownProvider'
  | 'StoreUnavailable'
  | 'DamagedRecord'
  | 'TokenRefreshFailed'
  | 'EmailNotSent'
  | 'TooManyAttempts'
  | 'TooManyRefreshes'

interface ErrorEntry {
  /** The word that the browser gets. */
  readonly public: PublicError
  /** The page that shows the error. */
  readonly kind: 'signIn' | 'error'
  /** Status if the error is answered directly: as JSON, or without a page to go to. */
  readonly status: 400 | 401 | 403 | 429 | 500 | 503
}

/** One table: error → public word, page, status. */
export const ERRORS: { readonly [Type in ErrorType]: ErrorEntry } = {
  CredentialsSignin: entry('CredentialsSignin', 'signIn', 401),
  OAuthAccountNotLinked: entry('OAuthAccountNotLinked', 'signIn', 403),
  OAuthCallbackError: entry('OAuthCallbackError', 'signIn', 400),
  AccessDenied: entry('AccessDenied', 'error', 403),
  Verification: entry('Verification', 'error', 403),
  MissingCSRF: entry('MissingCSRF', 'signIn', 403),
  InvalidCheck: entry('InvalidCheck', 'signIn', 400),
  Configuration: entry('Configuration', 'error', 500),
  CallbackFailed: entry('Configuration', 'error', 500),
  CredentialsFailed: entry('Configuration', 'error', 500),
  InvalidConfiguration: entry('Configuration', 'error', 500),
  MissingSecret: entry('Configuration', 'error', 500),
  MissingBinding: entry('Configuration', 'error', 500),
  ProviderMisconfigured: entry('Configuration', 'error', 500),
  UnknownProvider: entry('Configuration', 'error', 400),
  StoreUnavailable: entry('Configuration', 'error', 503),
  DamagedRecord: entry('Configuration', 'error', 503),
  TokenRefreshFailed: entry('Configuration', 'error', 503),
  EmailNotSent: entry('Verification', 'signIn', 503),
  TooManyAttempts: entry('CredentialsSignin', 'signIn', 429),
  TooManyRefreshes: entry('Configuration', 'error', 429),
}

/**
 * The provider refused, failed, or gave an invalid answer. `code` is `access_denied` on a cancel.
 */
export class OAuthCallbackError extends AuthError {
  static override type: ErrorType = 'OAuthCallbackError'
  code?: 'access_denied' | 'company_unavailable'
}

/** A way to sign in that is somebody else's, or that its person has removed. */
export class OAuthAccountNotLinked extends AuthError {
  static override type: ErrorType = 'OAuthAccountNotLinked'
}

/** The `signIn` callback or a guard of forms refused, or this cannot be done with a way to sign in. */
export class AccessDenied extends AuthError {
  static override type: ErrorType = 'AccessDenied'
  code?: DenialCode
  /** The person may sign in by another way: the sign-in page shows it. */
  isAtSignIn?: true
}

/** A link or a code that has ended, was already used, or was never issued. */
export class Verification extends AuthError {
  static override type: ErrorType = 'Verification'
  code?: 'wrong_code' | 'spent_code'
}

/** The sign-in mail could not be sent. Its link and code do not work. */
export class EmailNotSent extends AuthError {
  static override type: ErrorType = 'EmailNotSent'
  readonly code = 'not_sent'
}

/** Too many sign-ins were tried for one person or from one network. */
export class TooManyAttempts extends CredentialsSignin {
  static override type: ErrorType = 'TooManyAttempts'
  override code = 'rate_limited'
  override retryAfter = 0
}

/** `refreshClaims` was called for too many people within minutes: nothing was done. */
export class TooManyRefreshes extends AuthError {
  static override type: ErrorType = 'TooManyRefreshes'
  /** Seconds until there is room for one more. */
  retryAfter = 0
}

/** A POST without the csrf token, or from another site. */
export class MissingCSRF extends AuthError {
  static override type: ErrorType = 'MissingCSRF'
  /** A form of our own pages, with the token that its browser had before. */
  isStale = false
}

/** A sign-in that was not started in this browser, too long ago, or is finished already. */
export class InvalidCheck extends AuthError {
  static override type: ErrorType = 'InvalidCheck'
}

/** A callback or an event of the app threw. */
export class CallbackFailed extends AuthError {
  static override type: ErrorType = 'CallbackFailed'
}

/** `authorize` threw, took too long, or returned no usable user. */
export class CredentialsFailed extends AuthError {
  static override type: ErrorType = 'CredentialsFailed'
}

/** `AUTH_SECRET` is missing or too short. */
export class MissingSecret extends AuthError {
  static override type: ErrorType = 'MissingSecret'
}

/** A binding of the Worker is missing, or `config.store` on Node; the message names it. */
export class MissingBinding extends AuthError {
  static override type: ErrorType = 'MissingBinding'
}

/** A provider lacks its id, secret or endpoints; the message names it. Others still work. */
export class ProviderMisconfigured extends AuthError {
  static override type: ErrorType = 'ProviderMisconfigured'
  /** The variable of a client id that is missing. */
  lacks?: string
}

/** A request names a provider that is not configured. */
export class UnknownProvider extends AuthError {
  static override type: ErrorType = 'UnknownProvider'
}

/** KV, the ledger, or what guards them failed. Answered with 503; cookies are kept. */
export class StoreUnavailable extends AuthError {
  static override type: ErrorType = 'StoreUnavailable'
  /** Seconds after which another try is worth it, if that is known. */
  readonly retryAfter: number = 0
}

/** A browser could not renew its bound session just now: whose request it is is not known. It is not logged, since any browser can say so. */
export class SessionUnknown extends StoreUnavailable {
  override readonly retryAfter = 5
}

/** A session's record cannot be read, now or later: who has the session signs in again. */
export class DamagedRecord extends StoreUnavailable {
  static override type: ErrorType = 'DamagedRecord'
}

/** A provider's tokens could not be refreshed or revoked. Only logged: the session goes on. */
export class TokenRefreshFailed extends AuthError {
  static override type: ErrorType = 'TokenRefreshFailed'
}

function entry(
  word: PublicError,
  kind: ErrorEntry['kind'],
  status: ErrorEntry['status'],
): ErrorEntry {
  return { public: word, kind, status }
}
