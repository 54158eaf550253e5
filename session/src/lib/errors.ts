type Cause = Record<string, unknown> & { err?: Error }

/**
 * Base class of all errors of the auth service; here, so that an app which only verifies sessions can
 * name them too. `type` identifies it in logs; `cause` says more and never holds a secret, token,
 * code or cookie.
 *
 * @example if (error instanceof AuthError) console.log(error.type)
 */
export class AuthError extends Error {
  static type: string = 'Configuration'
  declare readonly type: string
  declare cause?: Cause
  /** A reference that users can quote, such as `KQWT-MXDB`: in the line of the log and on the page. */
  declare reference?: string

  constructor(message?: string | ErrorOptions, options?: ErrorOptions) {
    // The text may be left out.
    if (typeof message !== 'string') {
      options = message
      message = ''
    }
    super(message)
    // An error has a `cause` as well, so callers easily pass one in the place of the options.
    const cause = options instanceof Error ? options : options?.cause
    if (cause !== undefined)
      this.cause =
        cause instanceof Error
          ? { err: cause }
          : Object(cause) === cause
            ? (cause as Cause)
            : { reason: cause }
    this.name = this.type = (this.constructor as typeof AuthError).type
  }
}

/**
 * Wrong credentials. Throw it, or a subclass with its own `code`, from `authorize`. The `code` is
 * in the URL of the sign-in page, so it must not reveal which part was wrong.
 *
 * @example class Locked extends CredentialsSignin { override code = 'try-later' }
 */
export class CredentialsSignin extends AuthError {
  static override type: string = 'CredentialsSignin'
  static kind = 'signIn'
  code = 'credentials'
  /** Seconds to wait, if the service has counted too many attempts. */
  declare retryAfter?: number
}
