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

/** The sign-in page, from which a person comes back here. */
export function toSignIn(request: AuthRequest, callbackUrl: SafeRedirect): SafeRedirect {
  const { config, issuer } = request
  const page = new URL(ownPage(request, config.pages.signIn ?? `${issuer}/signin`))
  page.searchParams.set('callbackUrl', callbackUrl)
  return ownPage(request, page.href)
}

/**
 * The target after signing in or out: the requested one, if it is safe, else the site's root. The
 * app's `redirect` callback decides instead where there is one.
 *
 * @throws {CallbackFailed} when the callback throws or returns no http(s) URL
 */
export async function resolveCallbackUrl(
  { config, origin }: AuthRequest,
  asked?: string | undefined,
): Promise<SafeRedirect> {
  const { redirect } = config.callbacks
  if (!redirect) return safeRedirect(asked ?? '/', origin, config.origin.trusted) ?? rootOf(origin)
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
