import { toSession } from '@latchkey/session'
import type { ResolvedProvider } from '../config/providers.js'
import { configuredRedirect } from '../config/safe-redirect.js'
import { UnknownProvider } from '../errors.js'
import { askedCallbackUrl, readPost } from '../http/body.js'
import { csrfToken } from '../http/csrf.js'
import { ownPage, redirect, resolveCallbackUrl } from '../http/reply.js'
import { type AuthContext, nowInSeconds } from '../http/scope.js'
import { authorize } from '../oauth/authorize.js'
import { htmlResponse } from '../pages/html-response.js'
import { type PageProvider, SignInPage } from '../pages/sign-in-page.js'
import { readSession } from '../session/read.js'

/** GET /signin: the sign-in page, or the app's own. */
export async function signInPage(c: AuthContext): Promise<Response> {
  const { config, secure } = c.env
  const query = new URL(c.req.url).searchParams
  const callbackUrl = await resolveCallbackUrl(c.env, query.get('callbackUrl') ?? undefined)
  if (config.pages.signIn !== undefined) {
    const page = new URL(ownPage(c.env, config.pages.signIn))
    for (const name of ['error', 'code']) {
      const value = query.get(name)
      if (value !== null) page.searchParams.set(name, value)
    }
    page.searchParams.set('callbackUrl', callbackUrl)
    return redirect(c, ownPage(c.env, page.href))
  }
  const cookie = c.req.header('cookie') ?? null
  const found = await readSession(c.env, cookie)
  const page = SignInPage({
    theme: config.theme,
    base: config.basePath,
    csrfToken: await csrfToken(c.env, cookie),
    callbackUrl,
    providers: [...config.usable.values()].map(pageProvider),
    error: query.get('error') ?? undefined,
    code: query.get('code') ?? undefined,
    user: found?.state === 'live' ? (toSession(found.claims).user ?? null) : null,
  })
  return htmlResponse(page, { title: 'Sign in', theme: config.theme, status: 200, secure })
}

/** POST /signin/:provider: starts a sign-in and sends the browser to the provider. */
export async function startSignIn(c: AuthContext): Promise<Response> {
  const fields = await readPost(c)
  const provider = providerOf(c)
  const { config, origin, issuer } = c.env
  if (config.missingBinding) throw config.missingBinding
  const callbackUrl = await resolveCallbackUrl(c.env, askedCallbackUrl(c, fields))
  if (provider.type === 'credentials') {
    // Credentials are posted to their callback; here there is only the form to show.
    const page = new URL(`${issuer}/signin`)
    page.searchParams.set('callbackUrl', callbackUrl)
    return redirect(c, ownPage(c.env, page.href))
  }
  c.set('callbackUrl', callbackUrl)
  const cookieHeader = c.req.header('cookie') ?? null
  const extra = new URL(c.req.url).searchParams
  const url = await authorize(c.env, provider, { cookieHeader, callbackUrl, extra })
  config.logger.debug('sign-in started', { provider: provider.id, at: nowInSeconds(c.env) })
  return redirect(c, configuredRedirect(url.href, origin) ?? ownPage(c.env, issuer))
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
    new UnknownProvider('A request names a provider that is not configured.')
  )
}

function pageProvider(provider: ResolvedProvider): PageProvider {
  const { id, name, type } = provider
  if (provider.type === 'credentials') return { id, name, type, fields: provider.credentials }
  return { id, name, type, ...(provider.style ? { style: provider.style } : {}) }
}
