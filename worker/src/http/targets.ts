import type { SessionNeeds } from '@latchkey/session'
import { checkPages } from '../config/own-pages.js'
import {
  chosenRedirect,
  configuredRedirect,
  rootOf,
  type SafeRedirect,
  safeRedirect,
} from '../config/safe-redirect.js'
import { CallbackFailed } from '../errors.js'
import type { AuthRequest } from './request.js'

/** One of our own URLs, or a page that the configuration names; never what a client asks for. */
export function ownPage({ origin, issuer }: AuthRequest, page: string): SafeRedirect {
  const target = configuredRedirect(page, origin) ?? configuredRedirect(issuer, origin)
  return target ?? rootOf(origin)
}

/**
 * A page that the app has in place of ours, if it has one.
 *
 * @throws {InvalidConfiguration} it is ours under this very host, which was unknown at the start
 */
export function appPage(
  request: AuthRequest,
  name: 'signIn' | 'signOut' | 'verifyRequest',
): SafeRedirect | undefined {
  const { pages } = request.config
  const page = pages[name]
  if (page === undefined) return undefined
  checkPages(pages, request.issuer)
  return ownPage(request, page)
}

/**
 * The app's own page, to which pages of ours lead back: that of the target, which may be of another origin.
 *
 * @param target where the person wanted to go
 */
export function homeOf({ origin }: AuthRequest, target: SafeRedirect = rootOf(origin)): string {
  return new URL('/', target).href
}

/** Puts the needs of a sign-in into the address of a page that leads to it. */
export function withNeeds(page: URL, { maxAge, acr }: SessionNeeds): URL {
  if (maxAge !== undefined) page.searchParams.set('maxAge', String(maxAge))
  if (acr !== undefined) page.searchParams.set('acr', acr)
  return page
}

/**
 * The query of the sign-in page for a person who tries again: where they wanted to go, and the
 * needs of their sign-in. Empty if both are unknown.
 */
export function retryQuery(
  { origin }: AuthRequest,
  callbackUrl: SafeRedirect | undefined,
  needs: SessionNeeds = {},
): string {
  const page = withNeeds(new URL(origin), needs)
  if (callbackUrl !== undefined && callbackUrl !== rootOf(origin)) {
    page.searchParams.set('callbackUrl', callbackUrl)
  }
  return page.search
}

/** The sign-in page, from which a person comes back here. */
export function toSignIn(request: AuthRequest, callbackUrl: SafeRedirect): SafeRedirect {
  const { config, issuer } = request
  const page = new URL(ownPage(request, config.pages.signIn ?? `${issuer}/signin`))
  page.searchParams.set('callbackUrl', callbackUrl)
  return ownPage(request, page.href)
}

/**
 * The target after signing in or out: the requested one, if it is safe, else the site's root. The
 * app's `redirect` callback decides instead if there is one, but not about a request that the sign-in interrupts.
 *
 * @throws {CallbackFailed} when the callback throws or returns no http(s) URL that is safe
 */
export async function resolveCallbackUrl(
  request: AuthRequest,
  asked?: string | undefined,
): Promise<SafeRedirect> {
  const { config, origin } = request
  const { redirect } = config.callbacks
  if (!redirect) return safeRedirect(asked ?? '/', origin, config.origin.trusted) ?? rootOf(origin)
  const own = ownReturn(request, asked)
  if (own) return own
  let chosen: unknown
  try {
    chosen = await redirect({ url: asked ?? origin, baseUrl: origin })
  } catch (error) {
    throw new CallbackFailed('The redirect callback threw.', { cause: error })
  }
  const target = chosenRedirect(chosen, origin)
  if (!target) throw new CallbackFailed(NO_TARGET)
  request.askedFor.set(target, asked ?? origin)
  return target
}

const NO_TARGET =
  'The redirect callback returned no http(s) URL, or one whose path begins with two slashes.'

/** A page of ours that a sign-in interrupts, such as the request of another app: the app has not chosen it. */
function ownReturn(
  { issuer, origin, features }: AuthRequest,
  asked = '',
): SafeRedirect | undefined {
  if (!asked.startsWith(`${issuer}/`)) return undefined
  const target = safeRedirect(asked, origin, [])
  const path = target && new URL(target).href.slice(issuer.length).split(/[?#]/, 1)[0]
  return path !== undefined && features.isReturn(path) ? target : undefined
}

/** Where a sign-in leads that goes on in another request. */
export interface StoredTarget {
  readonly callbackUrl: string
  /** The target that the app's `redirect` callback was asked about, if it chose another one. */
  readonly asked?: string
}

/** In characters, for both: more would not fit the cookie that keeps them. */
const MAX_TARGET = 2_048

/** A target to be sealed. */
export function keepTarget({ askedFor }: AuthRequest, callbackUrl: SafeRedirect): StoredTarget {
  const asked = askedFor.get(callbackUrl)
  const isStored = asked !== undefined && asked !== callbackUrl
  const fits =
    isStored && new URLSearchParams({ asked }).toString().length + callbackUrl.length < MAX_TARGET
  return fits ? { callbackUrl, asked } : { callbackUrl }
}

/**
 * A kept target, checked once more: it may have been sealed under a rule that has changed since, by an
 * operator who took an origin off the list.
 *
 * @throws {CallbackFailed}
 */
export function openTarget(
  request: AuthRequest,
  { callbackUrl, asked = callbackUrl }: StoredTarget,
): Promise<SafeRedirect> {
  // Without the earlier callback, only its choice can be judged.
  return resolveCallbackUrl(request, request.config.callbacks.redirect ? asked : callbackUrl)
}

/** The greatest age that anybody means: thirty years. In seconds. */
const MAX_AGE = 1_000_000_000

/** How strong a sign-in is asked for, as a query, a form or JSON has it; anything else is as if absent. */
function acrIn(value: unknown): SessionNeeds['acr'] {
  return value === '1' || value === '2' ? value : undefined
}

/** A whole number of seconds, as a query, a form or JSON has it; anything else is as if absent. */
function ageIn(value: unknown): number | undefined {
  const isDigits = typeof value === 'string' && /^\d{1,16}$/.test(value)
  const age = isDigits ? Number(value) : value
  if (!Number.isSafeInteger(age) || (age as number) < 0) return undefined
  return Math.min(age as number, MAX_AGE)
}

/** What a query, a form or JSON asks of a sign-in. @param read the value of a name */
export function needsIn(read: (name: 'maxAge' | 'acr') => unknown): SessionNeeds {
  return { maxAge: ageIn(read('maxAge')), acr: acrIn(read('acr')) }
}

/** The address to which a provider's answers come, unless they come through another service. */
export function callbackOf({ issuer }: { readonly issuer: string }, provider: string): string {
  return `${issuer}/callback/${provider}`
}
