import type { ResolvedProvider } from '../config/providers.js'
import { configuredRedirect } from '../config/safe-redirect.js'
import { InvalidConfiguration, UnknownProvider } from '../errors.js'
import { readPost } from '../http/body.js'
import { ownPage, redirect, targetOf } from '../http/reply.js'
import {
  type AuthContext,
  checkCookieName,
  nowInSeconds,
  ownCookieName,
  type RequestScope,
} from '../http/scope.js'
import { printable } from '../lib/printable.js'
import { authorize } from '../sign-in/oauth/authorize.js'
import { startEmailSignIn } from './email.js'

/** POST /signin/:provider: starts a sign-in and sends the browser to the provider. */
export async function startSignIn(c: AuthContext): Promise<Response> {
  const fields = await readPost(c)
  const provider = providerOf(c)
  const { config, origin, issuer } = c.env
  checkCanFinish(c.env)
  const callbackUrl = await targetOf(c)
  if (provider.type === 'credentials') {
    // Credentials are posted to their callback; here there is only the form to show.
    const page = new URL(`${issuer}/signin`)
    page.searchParams.set('callbackUrl', callbackUrl)
    return redirect(c, ownPage(c.env, page.href))
  }
  c.set('callbackUrl', callbackUrl)
  if (provider.type === 'email') return startEmailSignIn(c, provider, fields, callbackUrl)
  const url = await authorize(c.env, provider, callbackUrl)
  config.logger.debug('sign-in started', { provider: provider.id, at: nowInSeconds(c.env) })
  return redirect(c, configuredRedirect(url.href, origin) ?? ownPage(c.env, issuer))
}

/**
 * A sign-in that nobody could finish is not started. Browsers drop a cookie for a domain that they
 * are not at, without a word (RFC 6265bis, 5.7): the right password would lead back to the form.
 *
 * @throws {MissingBinding}
 * @throws {InvalidConfiguration}
 */
export function checkCanFinish(scope: RequestScope): void {
  const { config, origin } = scope
  if (config.missingBinding) throw config.missingBinding
  checkCookieName(scope, ownCookieName(scope, 'sessionToken'))
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
export function providerOf(c: AuthContext): ResolvedProvider {
  const { usable, misconfigured } = c.env.config
  const id = c.req.param('provider') ?? ''
  const provider = usable.get(id)
  if (provider) return provider
  throw (
    misconfigured.get(id) ??
    new UnknownProvider('A request names a provider that is not configured.', {
      cause: { provider: printable(id), configured: [...usable.keys()] },
    })
  )
}
