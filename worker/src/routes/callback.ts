import type { RedirectProvider } from '../config/providers.js'
import { sealedRedirect } from '../config/safe-redirect.js'
import { InvalidCheck } from '../errors.js'
import { answerPost, type Fields, readBody } from '../http/body.js'
import { tryCredentials } from '../http/limits.js'
import { leadingTo, type Outcome, tooManyAttempts } from '../http/outcome.js'
import { type AuthRequest, nowInSeconds } from '../http/request.js'
import { ownPage, resolveCallbackUrl } from '../http/targets.js'
import { authorizeCredentials } from '../sign-in/credentials/authorize.js'
import { finishSignIn } from '../sign-in/finish.js'
import { takeFlow } from '../sign-in/flow-cookie.js'
import { complete } from '../sign-in/oauth/complete.js'
import type { CredentialsConfig } from '../types.js'
import { emailCallback } from './email.js'
import { checkCanFinish, providerOf } from './sign-in.js'
import { LIMITED, showSignIn } from './sign-in-page.js'

/** GET or POST /callback/:provider: finishes a sign-in. */
export async function callback(request: AuthRequest, id: string): Promise<Outcome> {
  const provider = providerOf(request, id)
  if (provider.type === 'email') return emailCallback(request, provider)
  if (provider.type === 'credentials') {
    if (request.method === 'POST') return credentialsCallback(request, provider)
    return { kind: 'not-allowed', allow: 'POST' }
  }
  return request.method === 'HEAD' ? { kind: 'empty' } : redirectCallback(request, provider)
}

async function redirectCallback(
  request: AuthRequest,
  provider: RedirectProvider,
): Promise<Outcome> {
  const response = await responseParameters(request)
  const [state, ...others] = response.getAll('state')
  const flow =
    state === undefined || others.length > 0
      ? undefined
      : await takeFlow(request, provider.id, state)
  if (!flow && request.method === 'POST') return bringCookie(request, response)
  if (!flow) throw new InvalidCheck('The sign-in was not started in this browser, or too long ago.')
  const target = sealedRedirect(flow.callbackUrl)
  return leadingTo(target, async () =>
    finishSignIn(request, await complete(request, provider, flow, response), target),
  )
}

function credentialsCallback(request: AuthRequest, provider: CredentialsConfig): Promise<Outcome> {
  return answerPost(request, async ({ fields, callbackUrl }) => {
    checkCanFinish(request)
    const target = callbackUrl ?? (await resolveCallbackUrl(request))
    return leadingTo(target, async () => {
      const attempt = await tryCredentials(request, provider, fields)
      if (attempt.wait > 0) {
        return tooManyAttempts(request, attempt.wait, target, () =>
          showSignIn(request, target, LIMITED),
        )
      }
      const signedIn = await authorizeCredentials(provider, fields, request.original)
      await attempt.forgive()
      return finishSignIn(request, signedIn, target)
    })
  })
}

async function responseParameters(request: AuthRequest): Promise<URLSearchParams> {
  if (request.method === 'POST')
    return new URLSearchParams(textFields(await readBody(request.original)))
  const { query, config } = request
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
async function bringCookie(request: AuthRequest, response: URLSearchParams): Promise<Outcome> {
  const { config, issuer, path } = request
  const url = new URL(issuer + path)
  const expires = nowInSeconds(request) + POSTED_AGE
  const sealed = await config.keys.posted.seal(Object.fromEntries(response), expires)
  if (sealed.length > MAX_POSTED) throw new InvalidCheck('The posted response is too long.')
  url.searchParams.set(POSTED, sealed)
  return { kind: 'redirect', to: ownPage(request, url.href), status: 303 }
}

function textFields(fields: Fields): Record<string, string> {
  const entries = Object.entries(fields).filter(([, value]) => typeof value === 'string')
  return Object.fromEntries(entries) as Record<string, string>
}
