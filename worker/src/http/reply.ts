import {
  chosenRedirect,
  configuredRedirect,
  type SafeRedirect,
  safeRedirect,
} from '../config/safe-redirect.js'
import {
  type AuthError,
  CallbackFailed,
  CredentialsSignin,
  EmailNotSent,
  ERRORS,
  OAuthCallbackError,
  TooManyAttempts,
  Verification,
} from '../errors.js'
import { ErrorPage } from '../pages/error-page.js'
import { htmlResponse } from '../pages/html-response.js'
import type { Markup } from '../pages/markup.js'
import type { AuthContext, RequestScope } from './scope.js'

/** In characters. */
const MAX_CODE = 100

const DATA_PATHS: ReadonlySet<string> = new Set([
  '/csrf',
  '/providers',
  '/session',
  '/sessions',
  '/revocations',
  '/jwks.json',
])

/**
 * Sends the browser on: 302, or for a caller that asked with `X-Auth-Return-Redirect`, JSON.
 */
export function redirect(c: AuthContext, target: SafeRedirect): Response {
  return wantsJson(c) ? c.json({ url: target }) : c.redirect(target, 302)
}

/** Redirects to one of our own URLs, or to a page that the config names. */
export function ownPage(scope: RequestScope, page: string): SafeRedirect {
  // A path of our own or the operator's choice, never a client's.
  return configuredRedirect(page, scope.origin) ?? (scope.issuer as SafeRedirect)
}

/** The sign-in page, from which a person comes back here. */
export function toSignIn(scope: RequestScope, callbackUrl: SafeRedirect): SafeRedirect {
  const page = new URL(ownPage(scope, scope.config.pages.signIn ?? `${scope.issuer}/signin`))
  page.searchParams.set('callbackUrl', callbackUrl)
  return ownPage(scope, page.href)
}

/**
 * Where to go after signing in or out: what was asked for, if it is safe, else the site's root.
 * The app's `redirect` callback decides instead where there is one.
 *
 * @throws {CallbackFailed} when the callback throws or returns no http(s) URL
 */
export async function resolveCallbackUrl(
  { config, origin }: RequestScope,
  asked: string | undefined,
): Promise<SafeRedirect> {
  const { redirect } = config.callbacks
  if (!redirect) return safeRedirect(asked ?? '/', origin, config.origin.trusted) ?? root(origin)
  let chosen: unknown
  try {
    chosen = await redirect({ url: asked ?? origin, baseUrl: origin })
  } catch (error) {
    throw new CallbackFailed('The redirect callback threw.', { cause: error })
  }
  const target = chosenRedirect(chosen, origin)
  if (!target) throw new CallbackFailed('The redirect callback returned no http(s) URL.')
  return target
}

/** Where a POST asks to lead, or else where the app leads. @throws {CallbackFailed} */
export async function targetOf(c: AuthContext): Promise<SafeRedirect> {
  return c.get('callbackUrl') ?? resolveCallbackUrl(c.env, undefined)
}

/** One of our pages as the answer. */
export function showPage(
  { config, secure }: RequestScope,
  title: string,
  page: Markup,
  status = 200,
): Promise<Response> {
  return htmlResponse(page, { title, theme: config.theme, status, secure })
}

/** An error as the browser or the caller meets it: only words from the error table leave. */
export function errorResponse(c: AuthContext, error: AuthError): Response | Promise<Response> {
  const { config, issuer } = c.env
  const { public: word, kind, status } = entryOf(error)
  // Read by scripts, which a redirect to a page would only confuse.
  if (DATA_PATHS.has(c.env.path) && !wantsJson(c)) return c.json({ error: word }, status)
  if (error.type === 'StoreUnavailable' && !wantsJson(c)) {
    if (!c.req.header('accept')?.includes('text/html')) return c.json({ error: word }, status)
    const page = ErrorPage({ theme: config.theme, base: config.basePath, error: 'Unavailable' })
    return showPage(c.env, 'Try again', page, status)
  }
  const page = kind === 'signIn' ? config.pages.signIn : config.pages.error
  const url = new URL(ownPage(c.env, page ?? `${issuer}/${kind === 'signIn' ? 'signin' : 'error'}`))
  const callbackUrl = c.get('callbackUrl')
  if (kind === 'signIn' && callbackUrl !== undefined && callbackUrl !== root(c.env.origin)) {
    url.searchParams.set('callbackUrl', callbackUrl)
  }
  return tellOn(c, error, url)
}

/**
 * The page that a person was on, with status 429 (RFC 6585), so that they can go on from there.
 *
 * @param wait seconds
 */
export async function tooManyAttempts(
  c: AuthContext,
  wait: number,
  page: () => Promise<Response>,
): Promise<Response> {
  const error = new TooManyAttempts('Too many attempts.', { cause: { path: c.env.path, wait } })
  error.retryAfter = wait
  const { config } = c.env
  if (config.raw) throw error
  config.logger.warn('too-many-attempts', `${c.env.path}, for ${wait} s`)
  const answer = await (wantsJson(c) ? errorResponse(c, error) : page())
  const headers = new Headers(answer.headers)
  headers.set('Retry-After', String(wait))
  // A page of the app's is redirected to, and has a status of its own.
  return new Response(answer.body, { status: answer.status === 200 ? 429 : answer.status, headers })
}

/** An error that belongs on a page of its own, such as the one that asks for the code. */
export function errorOn(c: AuthContext, error: AuthError, page: URL): Response {
  const { config } = c.env
  if (config.raw) throw error
  config.logger.error(error)
  return tellOn(c, error, page)
}

function tellOn(c: AuthContext, error: AuthError, page: URL): Response {
  const { public: word, status } = entryOf(error)
  const code = publicCode(error)
  page.searchParams.set('error', word)
  if (code !== undefined) page.searchParams.set('code', code)
  if (!wantsJson(c)) return c.redirect(page.href, 302)
  return c.json({ url: page.href, error: word, ...(code === undefined ? {} : { code }) }, status)
}

/** An app may throw errors of types of its own: the browser learns no more of them. */
function entryOf({ type }: AuthError): (typeof ERRORS)[keyof typeof ERRORS] {
  return Object.hasOwn(ERRORS, type) ? ERRORS[type as keyof typeof ERRORS] : ERRORS.Configuration
}

function publicCode(error: AuthError): string | undefined {
  if (error instanceof CredentialsSignin) {
    // The app set it, maybe from a value that it did not check; it goes into a URL.
    const code: unknown = error.code
    return typeof code === 'string' && code.length <= MAX_CODE ? code : 'credentials'
  }
  const hasCode =
    error instanceof OAuthCallbackError ||
    error instanceof Verification ||
    error instanceof EmailNotSent
  return hasCode ? error.code : undefined
}

function wantsJson(c: AuthContext): boolean {
  return c.req.header('x-auth-return-redirect') === '1'
}

function root(origin: string): SafeRedirect {
  return `${origin}/` as SafeRedirect
}
