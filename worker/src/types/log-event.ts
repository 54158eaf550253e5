import type { CORE_EVENTS } from '../config/core-events.js'
import type { EVENTS } from '../config/manifests.js'

/**
 * A line of the log on an event of a user's sessions (docs/log-events.md). It has no address, name, id, token, code or
 * cookie.
 */
export interface LogEvent {
  /** ISO 8601. */
  readonly time: string
  readonly event: (typeof CORE_EVENTS)[number] | (typeof EVENTS)[number]
  /**
   * The person, by a digest of `sub` that needs `AUTH_SECRET`: the same in every line, until the
   * secret is rotated.
   */
  readonly person?: string
  /**
   * The person that a request names without a proof. By mail it is their `person`; for credentials
   * a digest of its own, of the typed name.
   */
  readonly claimed?: string
  /** For `people-merged`: the id that `person` has from now on, by the same digest. */
  readonly into?: string
  /** Id of the provider. */
  readonly provider?: string
  /** The `client_id` of the app, if it is configured. */
  readonly app?: string
  /** The sessions that ended, or whose claims were refreshed. */
  readonly which?: 'one' | 'others' | 'all'
  /**
   * The party that ended or refreshed them, or refused: the person, the operator, a callback of the app, a
   * new sign-in, a company that signs its people in alone, or the need to bind sessions to browsers, which this one was not.
   */
  readonly by?: 'person' | 'operator' | 'callback' | 'sign-in' | 'company' | 'unbound'
  /** The type of the error. */
  readonly error?: string
  /** More about it, if the service has said so: such as `wrong_code`. */
  readonly code?: string
  /**
   * The code that the page showed after a mistake of the configuration, or a fault: such as
   * `KQWT-MXDB`.
   */
  readonly reference?: string
  /** For `accounts-imported`: how many accounts one request has added. For `keys-ended`: how many API keys. */
  readonly count?: number
  /** Seconds until the next attempt. */
  readonly wait?: number
  /** The name of the key with which an operator asked (docs/operate.md). */
  readonly operator?: string
  /** For `person-read` and `operator-refused`: the method that was called. */
  readonly method?: string
  /** For `person-blocked`: the reason that the operator gave. */
  readonly reason?: string
}

/** The target of the log; by default the console. */
export interface Logger {
  /**
   * An {@link AuthError}, or the error of a callback. Never holds a secret, token, code or cookie.
   */
  error(error: Error): void
  /** A fault that does not stop the service, by a code (docs/errors.md). */
  warn(code: string, detail?: string): void
  /** Details, if `debug` is on. Never holds a secret, token, code or cookie. */
  debug(message: string, detail?: unknown): void
  /** A sign-in, a sign-out, sessions that were ended, a refused sign-in, a limit. */
  info?(event: LogEvent): void
}
