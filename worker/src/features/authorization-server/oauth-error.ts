import { StoreUnavailable } from '../../errors.js'

/** The error codes of the endpoints that programs call (RFC 6749, 5.2; RFC 8628, 3.5; RFC 8707, 2). */
export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_token_type'
  | 'invalid_scope'
  | 'invalid_target'
  | 'authorization_pending'
  | 'slow_down'
  | 'access_denied'
  | 'expired_token'

/**
 * The keys of an app or an issuer cannot be read now: the same request works afterwards. A stranger who makes assertions up causes it
 * too, so that it counts against their network.
 */
export class KeysUnreadable extends StoreUnavailable {}

/** A mistake of the configuration, or of a function of the app: the caller gets `server_error`, and the log says which. */
export class ServerFault extends Error {
  override name = 'ServerFault'
}

/** The caller's mistake, which it gets as JSON. It is an answer, and not a line of the log. */
export class OAuthError extends Error {
  override name = 'OAuthError'
  readonly code: OAuthErrorCode

  /** @param description a sentence for developers, of printable ASCII, that quotes no part of the request */
  constructor(code: OAuthErrorCode, description: string) {
    super(description)
    this.code = code
  }
}
