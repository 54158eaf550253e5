import {
  AccessDenied,
  AuthError,
  CredentialsSignin,
  EmailNotSent,
  ERRORS,
  OAuthCallbackError,
  SessionUnknown,
  StoreUnavailable,
  TooManyAttempts,
  Verification,
} from '../errors.js'
import { attributesOf, fitCookies } from '../http/cookies.js'
import { logRefusal } from '../http/log-event.js'
import type { Outcome, Refusal } from '../http/outcome.js'
import { pageHead } from '../http/page-head.js'
import { type AuthRequest, isJson } from '../http/request.js'
import { homeOf, ownPage, retryQuery, withNeeds } from '../http/targets.js'
import { BadRequest } from '../lib/bad-request.js'
import { newReference } from '../lib/reference.js'
import { ErrorPage } from '../pages/error-page.js'
import type { RawCookie, RawResponse } from '../types/raw-response.js'
import { htmlResponse } from './html-response.js'
import { securityHeaders, withSecurityHeaders } from './security-headers.js'

/**
 * Makes the response of a handler's outcome: the one place for statuses, headers and cookies.
 *
 * @param isData the route is read by scripts: its errors are JSON, where others lead to a page
 * @throws {AuthError} with `config.raw`, what went wrong
 */
export function respond(
  request: AuthRequest,
  outcome: Outcome,
  isData: boolean,
): Response | Promise<Response> {
  const response = responseOf(request, outcome, isData)
  if (response instanceof Promise) return response.then((made) => complete(request, made))
  // These are made with those headers, since apps ask for data all day long, and a sign-in is redirects.
  const { kind } = outcome
  const isHard = kind === 'json' || kind === 'jwt' || kind === 'redirect'
  return isHard ? withCookies(request, response) : complete(request, response)
}

/** Adds what every answer has, and the cookies. */
function complete(request: AuthRequest, response: Response): Response {
  return withSecurityHeaders(withCookies(request, response), request.secure)
}

function withCookies(request: AuthRequest, response: Response): Response {
  const { setCookies, setHeaders, method } = request
  for (const [name, value] of setHeaders) response.headers.set(name, value)
  if (setCookies.length === 0 || method === 'HEAD') return response
  fitCookies(request)
  for (const cookie of setCookies) response.headers.append('set-cookie', lineOf(cookie))
  return response
}

/** A response in parts, with the cookies as they were set. */
export async function rawResponse(response: Response, request?: AuthRequest): Promise<RawResponse> {
  const headers = new Headers(response.headers)
  const location = headers.get('location')
  headers.delete('location')
  headers.delete('set-cookie')
  return {
    status: response.status,
    headers,
    ...(location === null ? {} : { redirect: location }),
    cookies: request && request.method !== 'HEAD' ? request.setCookies : [],
    body: await response.text(),
  }
}

/** Plain text, for requests that no browser sends by itself. */
export function textResponse(text: string, status: number, more?: HeadersInit): Response {
  const headers = new Headers(more)
  headers.set('content-type', 'text/plain; charset=UTF-8')
  headers.set('cache-control', PRIVATE)
  return new Response(text, { status, headers })
}

/** Nearly every answer depends on a cookie. */
export const PRIVATE = 'private, no-store'

/** The headers from which our own address may be read: one cache may stand before several hosts. */
const BY_HOST = 'Host, X-Forwarded-Host, X-Forwarded-Proto'

/** The longest `code`, in characters. */
const MAX_CODE = 100

function responseOf(
  request: AuthRequest,
  outcome: Outcome,
  isData: boolean,
): Response | Promise<Response> {
  switch (outcome.kind) {
    case 'json':
      return dataResponse(request, JSON.stringify(outcome.body), 'application/json', outcome)
    case 'jwt':
      return dataResponse(request, outcome.token, 'application/jwt', outcome)
    case 'redirect': {
      const { to, status = 302, isForBrowser = false } = outcome
      if (request.wantsJson && !isForBrowser) return jsonResponse(request, { url: to })
      return redirectResponse(request, to, status)
    }
    case 'page': {
      const { words, title, page, status = 200 } = outcome
      const { config, features, secure } = request
      const guarding = features.ports.guard?.scripts(page) ?? []
      const scripts =
        guarding.length > 0 ? [...(outcome.scripts ?? []), ...guarding] : outcome.scripts
      const { theme } = config
      const { styles } = features
      return htmlResponse(page, { words, title, theme, styles, status, secure, scripts })
    }
    case 'empty':
      return new Response(null, {
        status: outcome.status ?? 200,
        headers: { 'cache-control': PRIVATE },
      })
    case 'not-allowed':
      return textResponse('Method not allowed', 405, { allow: outcome.allow })
    case 'refusal':
      return refusalResponse(request, outcome, isData)
  }
}

function redirectResponse(
  { hasFragment, secure }: AuthRequest,
  to: string,
  status: number,
): Response {
  const location = hasFragment && !to.includes('#') ? `${to}#` : to
  const headers = { location, 'cache-control': PRIVATE, ...securityHeaders(secure) }
  return new Response(null, { status, headers })
}

function dataResponse(
  { setCookies, secure }: AuthRequest,
  body: string,
  type: string,
  {
    status = 200,
    cacheFor,
    headers: more,
  }: Pick<Extract<Outcome, { kind: 'json' }>, 'status' | 'cacheFor' | 'headers'> = {},
): Response {
  const isPublic = cacheFor !== undefined && setCookies.length === 0
  const headers = { 'content-type': type, 'cache-control': PRIVATE, ...securityHeaders(secure) }
  if (more) Object.assign(headers, more)
  if (!isPublic) return new Response(body, { status, headers })
  const shared = { 'cache-control': `public, max-age=${cacheFor}`, vary: BY_HOST }
  return new Response(body, { status, headers: { ...headers, ...shared } })
}

function jsonResponse(request: AuthRequest, body: unknown, status = 200): Response {
  return dataResponse(request, JSON.stringify(body), 'application/json', { status })
}

/** Logs an error, and answers it: only words from the error table leave the service. */
async function refusalResponse(
  request: AuthRequest,
  refusal: Refusal,
  isData: boolean,
): Promise<Response> {
  const { error } = refusal
  const { config, wantsJson } = request
  if (error instanceof BadRequest) {
    if (!wantsJson && !isJson(request, 'content-type'))
      return textResponse(error.message, error.status)
    return jsonResponse(request, { error: 'Configuration', message: error.message }, error.status)
  }
  const authError =
    error instanceof AuthError ? error : new AuthError('Unexpected failure.', { cause: error })
  const isPassing = authError instanceof TooManyAttempts || authError instanceof StoreUnavailable
  const wait = isPassing ? authError.retryAfter : 0
  const answer = errorAnswer(authError)
  if (!(authError instanceof SessionUnknown))
    await logRefusal(request, authError, refusal.attempt, answer.reference)
  if (config.raw) throw authError
  const response = await errorResponse(request, authError, answer, refusal, isData)
  if (wait > 0) response.headers.set('retry-after', String(wait))
  return response
}

function errorResponse(
  request: AuthRequest,
  error: AuthError,
  answer: ErrorAnswer,
  refusal: Refusal,
  isData: boolean,
): Response | Promise<Response> {
  const { config, origin, issuer, original, wantsJson } = request
  const { shown, page, callbackUrl, needs = {} } = refusal
  const { kind, status } = entryOf(error)
  if (shown) {
    // A redirect to a page of the app keeps its own status.
    return responseOf(request, shown.kind === 'page' ? { ...shown, status } : shown, isData)
  }
  if (page) return errorRedirect(request, status, answer, page)
  // Scripts read these routes, and cannot use a page.
  if (isData && !wantsJson) return jsonResponse(request, answer, status)
  if (error instanceof StoreUnavailable && !wantsJson) {
    const isBrowser = original.headers.get('accept')?.includes('text/html')
    if (!isBrowser) return jsonResponse(request, answer, status)
    return unavailable(request, status, answer, refusal)
  }
  const isAtSignIn = kind === 'signIn' || (error instanceof AccessDenied && error.isAtSignIn)
  const own = isAtSignIn ? config.pages.signIn : config.pages.error
  const route = `${issuer}/${isAtSignIn ? 'signin' : 'error'}`
  const url = new URL(ownPage(request, own ?? route))
  // A person who tries again still gets to where they wanted to go, also from the page of an error.
  if (callbackUrl !== undefined && callbackUrl !== `${origin}/`) {
    url.searchParams.set('callbackUrl', callbackUrl)
  }
  withNeeds(url, needs)
  return errorRedirect(request, status, answer, url)
}

/** A page instead of a redirect, since the next page may need the failed part too. */
async function unavailable(
  request: AuthRequest,
  status: number,
  { reference }: ErrorAnswer,
  { callbackUrl, needs }: Refusal,
): Promise<Response> {
  const head = await pageHead(request)
  const { words } = head
  const home = homeOf(request, callbackUrl)
  const retry = retryQuery(request, callbackUrl, needs)
  const page = ErrorPage({ ...head, error: 'Unavailable', reference, retryQuery: retry, home })
  const title = words.texts.errorPages.unavailableTab
  return responseOf(request, { kind: 'page', words, title, page, status }, false)
}

/** A page with `error` and `code` in its address, or the same as JSON. */
function errorRedirect(
  request: AuthRequest,
  status: number,
  answer: ErrorAnswer,
  page: URL,
): Response {
  for (const [name, word] of Object.entries(answer)) page.searchParams.set(name, word)
  const { href } = page
  if (!request.wantsJson) return redirectResponse(request, href, 302)
  return jsonResponse(request, { url: href, ...answer }, status)
}

/** The answer that a browser gets for an error. */
interface ErrorAnswer {
  readonly error: string
  readonly code?: string
  /** The reference of an error that only the operator can mend: the log has it too. */
  readonly reference?: string
}

function errorAnswer(error: AuthError): ErrorAnswer {
  const code = publicCode(error)
  const { public: word, status } = entryOf(error)
  const isLogged = !(error instanceof SessionUnknown)
  return {
    error: word,
    ...(code === undefined ? {} : { code }),
    ...(isLogged && word === 'Configuration' && status >= 500 ? { reference: newReference() } : {}),
  }
}

/** An app may throw errors of its own types, of which the browser gets no more than this. */
function entryOf({ type }: AuthError): (typeof ERRORS)[keyof typeof ERRORS] {
  return Object.hasOwn(ERRORS, type) ? ERRORS[type as keyof typeof ERRORS] : ERRORS.Configuration
}

function publicCode(error: AuthError): string | undefined {
  if (error instanceof CredentialsSignin) {
    // The app set the code, perhaps from an unchecked value, and it goes into a URL.
    const code: unknown = error.code
    return typeof code === 'string' && code.length <= MAX_CODE ? code : 'credentials'
  }
  const hasCode =
    error instanceof AccessDenied ||
    error instanceof OAuthCallbackError ||
    error instanceof Verification ||
    error instanceof EmailNotSent
  return hasCode ? error.code : undefined
}

/** As a Set-Cookie header has it (RFC 6265bis, 4.1). */
function lineOf({ name, value, options }: RawCookie): string {
  const { maxAge } = options
  const age = maxAge === undefined ? '' : `; Max-Age=${maxAge}`
  return `${name}=${encodeURIComponent(value)}${age}; ${attributesOf(options)}`
}
