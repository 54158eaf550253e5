import type { ResolvedProvider } from '../config/providers.js'
import { configuredRedirect, type SafeRedirect } from '../config/safe-redirect.js'
import { InvalidConfiguration, UnknownProvider } from '../errors.js'
import { answerPost, type Fields } from '../http/body.js'
import { leadingTo, type Outcome, redirect } from '../http/outcome.js'
import { type AuthRequest, checkCookieName, nowInSeconds, ownCookieName } from '../http/request.js'
import { ownPage, resolveCallbackUrl } from '../http/targets.js'
import { printable } from '../lib/printable.js'
import { authorize } from '../sign-in/oauth/authorize.js'
import { startEmailSignIn } from './email.js'

/** POST /signin/:provider: starts a sign-in and sends the browser to the provider. */
export function startSignIn(request: AuthRequest, id: string): Promise<Outcome> {
  return answerPost(request, async ({ fields, callbackUrl }) => {
    const provider = providerOf(request, id)
    checkCanFinish(request)
    const target = callbackUrl ?? (await resolveCallbackUrl(request))
    return leadingTo(target, () => start(request, provider, fields, target))
  })
}

async function start(
  request: AuthRequest,
  provider: ResolvedProvider,
  fields: Fields,
  target: SafeRedirect,
): Promise<Outcome> {
  const { config, origin, issuer } = request
  if (provider.type === 'credentials') {
    // Credentials are posted to their callback; here there is only the form to show.
    const page = new URL(`${issuer}/signin`)
    page.searchParams.set('callbackUrl', target)
    return redirect(ownPage(request, page.href))
  }
  if (provider.type === 'email') return startEmailSignIn(request, provider, fields, target)
  const url = await authorize(request, provider, target)
  config.logger.debug('sign-in started', { provider: provider.id, at: nowInSeconds(request) })
  return redirect(configuredRedirect(url.href, origin) ?? ownPage(request, issuer))
}

/**
 * A sign-in that nobody could finish is not started. Browsers drop a cookie for a domain that they
 * are not at, without a word (RFC 6265bis, 5.7): the right password would lead back to the form.
 *
 * @throws {MissingBinding}
 * @throws {InvalidConfiguration}
 */
export function checkCanFinish(request: AuthRequest): void {
  const { config, origin } = request
  if (config.missingBinding) throw config.missingBinding
  checkCookieName(request, ownCookieName(request, 'sessionToken'))
  const { domain } = config.cookies
  const { hostname } = new URL(origin)
  if (domain && !`.${hostname}`.endsWith(`.${domain.toLowerCase().replace(/^\./, '')}`)) {
    throw new InvalidConfiguration(
      `Browsers drop a cookie for "${domain}" (AUTH_COOKIE_DOMAIN) at "${hostname}", which is not below it.`,
    )
  }
}

/**
 * The provider that a path names.
 *
 * @throws {UnknownProvider}
 * @throws {ProviderMisconfigured} when it is configured, but lacks something
 */
export function providerOf({ config }: AuthRequest, id: string): ResolvedProvider {
  const { usable, misconfigured } = config
  const provider = usable.get(id)
  if (provider) return provider
  throw (
    misconfigured.get(id) ??
    new UnknownProvider('A request names a provider that is not configured.', {
      cause: { provider: printable(id), configured: [...usable.keys()] },
    })
  )
}
