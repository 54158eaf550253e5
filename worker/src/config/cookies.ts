import { textOf } from '@latchkey/host/shared'
import { isCookieName, SESSION_COOKIE } from '@latchkey/session/issue'
import { InvalidConfiguration } from '../errors.js'
import { skipCSRFCheck } from '../lib/symbols.js'
import type { AuthConfig, Environment } from '../types.js'

/** The options of cookies, with their defaults. */
export interface CookieSettings {
  /** Names that the app chose; `undefined` for our own. See `ownCookieName`. */
  readonly names: Readonly<Record<keyof typeof COOKIE_NAMES, string | undefined>>
  /** Domain of the session cookie, if it is shared with subdomains. */
  readonly domain: string | undefined
  /** May the app be embedded in pages of other sites? */
  readonly isEmbedded: boolean
}

/** Names of our cookies before their prefix. */
export const COOKIE_NAMES = {
  sessionToken: SESSION_COOKIE,
  csrfToken: 'auth.csrf-token',
  flow: 'auth.flow',
  device: 'auth.device',
  locale: 'auth.locale',
  lastWay: 'auth.last-way',
} as const

/** @throws {InvalidConfiguration} */
export function resolveCookies(
  { cookies = {}, skipCSRFCheck: skipped }: AuthConfig,
  env: Environment,
): CookieSettings {
  const domain = cookies.sessionToken?.options?.domain ?? textOf(env, 'AUTH_COOKIE_DOMAIN')
  const names = {
    sessionToken: cookies.sessionToken?.name,
    csrfToken: cookies.csrfToken?.name,
    flow: cookies.flow?.name,
    device: cookies.device?.name,
    locale: cookies.locale?.name,
    lastWay: cookies.lastWay?.name,
  }
  for (const name of Object.values(names)) {
    if (name !== undefined && !isCookieName(name)) {
      throw new InvalidConfiguration(`"${name}" is not a cookie name.`)
    }
  }
  if (domain !== undefined && !/^\.?[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i.test(domain)) {
    throw new InvalidConfiguration(`The cookie domain "${domain}" is not a domain name.`)
  }
  if (domain !== undefined && /^__host-/i.test(names.sessionToken ?? '')) {
    throw new InvalidConfiguration('A cookie named __Host-… cannot have a domain (RFC 6265bis).')
  }
  const sameSite: unknown = cookies.sessionToken?.options?.sameSite ?? 'lax'
  if (sameSite !== 'lax' && sameSite !== 'none') {
    throw new InvalidConfiguration('cookies.sessionToken.options.sameSite must be "lax" or "none".')
  }
  const isEmbedded = sameSite === 'none'
  if (isEmbedded && skipped === skipCSRFCheck) {
    throw new InvalidConfiguration(
      'skipCSRFCheck leaves the forms to SameSite=Lax: it cannot go together with sameSite "none".',
    )
  }
  return { names, domain, isEmbedded }
}
