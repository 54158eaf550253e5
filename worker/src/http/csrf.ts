import { isTrustedOrigin } from '@latchkey/host/shared'
import { cookieValues } from '@latchkey/session/internal'
import { MissingCSRF } from '../errors.js'
import { decodeBase64Url, encodeBase64Url, randomToken } from '../lib/base64url.js'
import { ownDetail, printable } from '../lib/printable.js'
import { addCookie, ownCookieName } from './cookies.js'
import type { AuthRequest } from './request.js'

/** More cookies of the name than a browser ever has are not looked at: each costs a signature. */
const MAX_CANDIDATES = 4

/**
 * The csrf token of this browser: the one its cookie holds, or a new one with its cookie. The
 * cookie is `<token>.<HMAC of the token>`, so an attacker without the secret cannot set a cookie
 * for a token that they made up (OWASP: signed double-submit cookie).
 */
export async function csrfToken(request: AuthRequest): Promise<string> {
  const [token] = await ownToken(request)
  return token === undefined ? setToken(request) : token
}

/**
 * A new csrf token and its cookie, for each sign-in and sign-out. The HMAC of the previous token
 * stays in the cookie, so that the second of two clicks is not taken for a form of another site.
 */
export async function renewCsrfToken(request: AuthRequest): Promise<string> {
  const [, before] = await ownToken(request)
  return setToken(request, before)
}

async function setToken(request: AuthRequest, before?: string): Promise<string> {
  const token = randomToken(32)
  const [key] = request.keys.csrf
  const mac = await crypto.subtle.sign('HMAC', key as CryptoKey, new TextEncoder().encode(token))
  const value = [token, encodeBase64Url(new Uint8Array(mac)), before ?? []].flat().join('.')
  // Without an age, so that no form outlives it while the browser is open.
  addCookie(request, ownCookieName(request, 'csrfToken'), value)
  return token
}

/** The csrf token that this browser has sent; `undefined`: it has none. */
export async function sentCsrfToken(request: AuthRequest): Promise<string | undefined> {
  const [token] = await ownToken(request)
  return token
}

/** The token of this browser's cookie, and its HMAC. */
async function ownToken(request: AuthRequest): Promise<[token?: string, mac?: string]> {
  for (const cookie of candidates(request)) {
    const [token = '', mac = ''] = cookie.split('.')
    if (await isSigned(request, token, mac)) return [token, mac]
  }
  return []
}

/**
 * A POST must carry the csrf token of its own browser, and must not come from another site if
 * the browser says so.
 *
 * @throws {MissingCSRF}
 */
export async function checkCsrf(request: AuthRequest, submitted: unknown): Promise<void> {
  if (request.config.skipCSRFCheck) return
  checkSource(request)
  const cookies = candidates(request).map((cookie) => cookie.split('.'))
  // The cookie's signature over the submitted token: equal tokens, compared in constant time.
  const isOf = async (place: number) => {
    if (typeof submitted !== 'string') return false
    for (const parts of cookies) {
      if (await isSigned(request, submitted, parts[place] ?? '')) return true
    }
    return false
  }
  if (await isOf(1)) return
  const remedy = `A form needs the field csrfToken, from GET ${request.config.basePath}/csrf.`
  const error = new MissingCSRF(
    `The csrf token is missing or is not the one of this browser. ${remedy}`,
  )
  error.isStale = await isOf(2)
  throw error
}

/**
 * The browser's own headers on the source of a request. No page can make `Sec-Fetch-Site`
 * `same-origin` for another site.
 */
function checkSource({ original, origin, config }: AuthRequest): void {
  const source = original.headers.get('origin')
  const site = original.headers.get('sec-fetch-site')
  if (source !== null && isTrustedOrigin(source, config.origin.trusted)) return
  const isOwnSite = site === null || site === 'same-origin' || site === 'none'
  // A proxy that ends TLS may rewrite the scheme of `Origin`: then the host decides.
  const isSame = site === 'same-origin' && hostOf(source) === hostOf(origin)
  if (isOwnSite && (source === null || source === origin || isSame)) return
  const remedy = 'If it is your app, add it to AUTH_TRUSTED_ORIGINS; behind a proxy set AUTH_URL.'
  throw new MissingCSRF(`The request comes from another origin. ${remedy}`, {
    cause: ownDetail({ origin: printable(source), site: printable(site), expected: origin }),
  })
}

function hostOf(origin: string | null): string | undefined {
  return (origin === null ? null : URL.parse(origin))?.host
}

function candidates(request: AuthRequest): string[] {
  const name = ownCookieName(request, 'csrfToken')
  return cookieValues(request.cookieHeader, name).slice(0, MAX_CANDIDATES)
}

async function isSigned(request: AuthRequest, token: string, mac: string): Promise<boolean> {
  const signature = decodeBase64Url(mac)
  if (!signature || token === '') return false
  const data = new TextEncoder().encode(token)
  for (const key of request.keys.csrf) {
    if (await crypto.subtle.verify('HMAC', key, signature, data)) return true
  }
  return false
}
