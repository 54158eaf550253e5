import { APP_HEADER } from '../shared/app-header.js'
import type { Warn } from './origin-warnings.js'
import type { PublicOrigin } from './origins.js'

/**
 * If an app takes any host, as in development, or a wildcard covers many, a stranger can name some.
 */
const MAX_ORIGINS = 8

/**
 * Learns with the first answer of the Worker whether it knows the app's origin. If it does not,
 * no user can sign in, and the app's own log says so.
 */
export class Introduction {
  readonly #settled = new Set<string>()

  /** Adds the question to a request, until it was answered. */
  ask(headers: Headers, { origin }: PublicOrigin): void {
    if (this.#settled.size < MAX_ORIGINS && !this.#settled.has(origin)) headers.set(APP_HEADER, '?')
  }

  /** Reads the answer to a request with the question; that of a service which is away says nothing. */
  hear({ headers, status }: Response, { origin }: PublicOrigin, warn: Warn): void {
    if (status >= 500 || this.#settled.has(origin)) return
    this.#settled.add(origin)
    if (!headers.has(APP_HEADER)) return
    warn(
      'untrusted-by-worker',
      `The Worker does not know ${origin}, so no user can sign in there. If that is this app, add ${origin} to AUTH_TRUSTED_ORIGINS of the Worker, in full.`,
    )
  }
}
