import { AuthError } from '@latchkey/session'
import type { Asking, Browser } from './answer.js'

/** The auth service, as one page asks it. */
export interface Service {
  readonly browser: Browser
  readonly ask: Asking
  /** Its URL. @throws {AuthError} when `basePath` is not a path */
  at(basePath?: string): string
}

/**
 * How a page of this browser asks the auth service.
 *
 * @param lenient reads an answer that decides nothing, such as the error page of a proxy, or the page
 *   of a hotel's network; without it such an answer is refused
 */
export function askBy(browser: Browser, lenient?: () => undefined): Asking {
  return async (url, parameters) => {
    const body =
      !parameters || parameters instanceof URLSearchParams
        ? parameters
        : new Blob([JSON.stringify(parameters)], { type: 'application/json' })
    try {
      const response = await browser.fetch(url, {
        ...(body && { method: 'POST', body }),
        headers: { 'x-auth-return-redirect': '1' },
        // A redirect to another site must not get a password.
        mode: 'same-origin',
        cache: 'no-store',
      })
      const { status, ok } = response
      if (!lenient && status >= 500) throw response
      return { status, ok, data: await response.json().catch(lenient) }
    } catch (cause) {
      unreachable(cause)
    }
  }
}

/** @throws {AuthError} with the type `Unavailable` */
export function unreachable(cause: unknown): never {
  throw new (class extends AuthError {
    static override type = 'Unavailable'
  })('No answer.', { cause })
}

/** Refuses a base path that is not a path of this host. @throws {AuthError} */
export function checkedPath(basePath: string): string {
  // A second slash would begin the name of a host, and browsers read a backslash as a slash.
  if (/^\/(?!\/)[^\\]*$/.test(basePath)) return basePath
  throw new AuthError('Wrong basePath.')
}
