import { isFirstTime } from '../shared/first-time.js'
import { firstOf } from '../shared/origin.js'
import type { WarningCode } from '../shared/warning-code.js'
import { writeLine } from './console-line.js'
import type { OriginFault, PublicOrigin } from './origins.js'

/** Warns the owner of the app. */
export type Warn = (code: WarningCode, message: string) => void

/** By the app's logger, or else on the console. A log that fails must not fail a request. */
export function warnBy(logger: { warn?(code: string, message: string): unknown } = {}): Warn {
  return (code, message) =>
    quietly(() =>
      logger.warn
        ? logger.warn(code, message)
        : writeLine({ level: 'warn', name: code, words: message }),
    )
}

/** Logs the same if `debug` is on. */
export function debugBy(
  logger: { debug?(message: string): unknown } = {},
): (message: string) => void {
  return (message) =>
    quietly(() =>
      logger.debug ? logger.debug(message) : writeLine({ level: 'debug', words: message }),
    )
}

async function quietly(log: () => unknown): Promise<void> {
  try {
    await log()
  } catch {
    // There is no other place to report it.
  }
}

const UNTRUSTED_HOST =
  'A request for the auth routes was refused, since nothing says that its Host is this app. Set AUTH_URL, or AUTH_TRUSTED_ORIGINS, or AUTH_TRUST_HOST=true behind a proxy that checks it.'

const UNTRUSTED_PROXY =
  'A request for the auth routes claims that it came to a proxy over https. The app does not trust that claim and redirects to http. If the app is behind such a proxy, set AUTH_URL to the public origin, or AUTH_TRUST_HOST=true if the proxy sets X-Forwarded-Host and X-Forwarded-Proto itself.'

const URL_IS_HTTP =
  'AUTH_URL begins with http:, and a request for the auth routes claims that it came to a proxy over https. If browsers use https, set AUTH_URL to that address: now the cookies are not Secure, and providers get a redirect URI with http.'

/** Warnings that are given once, however often their cause comes back. */
export class WarnOnce {
  /** @param key warnings with the same key are one. Default: the code */
  once(code: WarningCode, message: string, warn: Warn, key: string = code): void {
    if (isFirstTime(this, key)) warn(code, message)
  }
}

/**
 * Warnings about an app's settings, from its requests. Each is given once, without quoting the
 * request, since any client can send any header, any number of times.
 */
export class OriginWarnings extends WarnOnce {
  /**
   * Checks the origin of a request for the auth routes.
   *
   * @param fixed the origin of `AUTH_URL`, with which a proxy's headers do not matter
   * @param header a header of the request, by its name in lower case
   */
  look(
    verdict: PublicOrigin | OriginFault,
    fixed: PublicOrigin | undefined,
    header: (name: string) => string | null | undefined,
    warn: Warn,
  ): void {
    if (verdict === 'unknown-host') this.once('untrusted-host', UNTRUSTED_HOST, warn)
    if (fixed?.scheme === 'http' && isOverTls(header)) {
      this.once('url-not-https', URL_IS_HTTP, warn)
    }
    if (fixed || typeof verdict === 'string' || verdict.scheme === 'https') return
    if (isOverTls(header)) this.once('untrusted-proxy', UNTRUSTED_PROXY, warn)
  }
}

/** The protocol that the first proxy names, in the usual header or in that of RFC 7239. */
function isOverTls(header: (name: string) => string | null | undefined): boolean {
  if (/^https$/i.test(firstOf(header('x-forwarded-proto')))) return true
  return /(?:^|;)\s*proto="?https"?\s*(?:;|$)/i.test(firstOf(header('forwarded')))
}
