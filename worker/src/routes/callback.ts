import type { RedirectProvider } from '../config/providers.js'
import type { SafeRedirect } from '../config/safe-redirect.js'
import { InvalidCheck } from '../errors.js'
import { type Fields, readBody, readPost } from '../http/body.js'
import { tryCredentials } from '../http/limits.js'
import { targetOf, tooManyAttempts } from '../http/reply.js'
import { type AuthContext, nowInSeconds } from '../http/scope.js'
import { authorizeCredentials } from '../sign-in/credentials/authorize.js'
import { finishSignIn } from '../sign-in/finish.js'
import { takeFlow } from '../sign-in/flow-cookie.js'
import { complete } from '../sign-in/oauth/complete.js'
import type { CredentialsConfig } from '../types.js'
import { emailCallback } from './email.js'
import { checkCanFinish, providerOf } from './sign-in.js'
import { LIMITED, showSignIn } from './sign-in-page.js'

/** GET or POST /callback/:provider: finishes a sign-in. */
export async function callback(c: AuthContext): Promise<Response> {
  const provider = providerOf(c)
  if (provider.type === 'email') return emailCallback(c, provider)
  if (provider.type === 'credentials') {
    if (c.req.method === 'POST') return credentialsCallback(c, provider)
    return c.text('Method not allowed', 405, { Allow: 'POST' })
  }
  return c.req.method === 'HEAD' ? c.body(null) : redirectCallback(c, provider)
}

async function redirectCallback(c: AuthContext, provider: RedirectProvider): Promise<Response> {
  const response = await responseParameters(c)
  const [state, ...others] = response.getAll('state')
  const flow =
    state === undefined || others.length > 0 ? undefined : await takeFlow(c.env, provider.id, state)
  if (!flow && c.req.method === 'POST') return bringCookie(c, response)
  if (!flow) throw new InvalidCheck('The sign-in was not started in this browser, or too long ago.')
  // Checked when the flow was sealed.
  const target = flow.callbackUrl as SafeRedirect
  c.set('callbackUrl', target)
  return finishSignIn(c, await complete(c.env, provider, flow, response), target)
}

async function credentialsCallback(c: AuthContext, provider: CredentialsConfig): Promise<Response> {
  const fields = await readPost(c)
  checkCanFinish(c.env)
  const target = await targetOf(c)
  c.set('callbackUrl', target)
  const attempt = await tryCredentials(c.env, provider, fields)
  if (attempt.wait > 0) return tooManyAttempts(c, attempt.wait, () => showSignIn(c, LIMITED))
  const signedIn = await authorizeCredentials(provider, fields, c.req.raw)
  await attempt.forgive()
  return finishSignIn(c, signedIn, target)
}

async function responseParameters(c: AuthContext): Promise<URLSearchParams> {
  if (c.req.method === 'POST') return new URLSearchParams(textFields(await readBody(c.req.raw)))
  const { query, config } = c.env
  const sealed = query.get(POSTED)
  if (sealed === null) return query
  const posted = await config.keys.posted.open(sealed)
  return new URLSearchParams(posted ? textFields(posted) : {})
}

/** The parameter that a posted response comes back in. */
const POSTED = 'posted'

/** Seconds. The browser comes back at once. */
const POSTED_AGE = 60

/** In characters: what is longer does not fit the address of a request everywhere. */
const MAX_POSTED = 12_000

/**
 * A provider with `response_mode=form_post` posts from its own site, and a browser sends no `Lax`
 * cookie along then. It does with a GET: the response comes back that way, sealed, so that no code
 * is in the clear in a URL.
 */
async function bringCookie(c: AuthContext, response: URLSearchParams): Promise<Response> {
  const { config, issuer, path } = c.env
  const url = new URL(issuer + path)
  const expires = nowInSeconds(c.env) + POSTED_AGE
  const sealed = await config.keys.posted.seal(Object.fromEntries(response), expires)
  if (sealed.length > MAX_POSTED) throw new InvalidCheck('The posted response is too long.')
  url.searchParams.set(POSTED, sealed)
  return c.redirect(url.href, 303)
}

function textFields(fields: Fields): Record<string, string> {
  const entries = Object.entries(fields).filter(([, value]) => typeof value === 'string')
  return Object.fromEntries(entries) as Record<string, string>
}
