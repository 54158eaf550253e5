import { CLOCK_SKEW } from '@latchkey/session/issue'
import { type AuthorizationServer, validateAuthResponse } from 'oauth4webapi'
import { configuredRedirect, type SafeRedirect } from '../config/safe-redirect.js'
import { InvalidCheck } from '../errors.js'
import { type Fields, readBody } from '../http/body.js'
import type { ResolvedProvider } from '../http/kind.js'
import { type InTime, timeLimit } from '../http/limited-fetch.js'
import { type Outcome, redirect } from '../http/outcome.js'
import { type AuthRequest, looksAhead, nowInSeconds } from '../http/request.js'
import { callbackOf, ownPage } from '../http/targets.js'
import { wayOf } from '../person/way-document.js'
import type { Via } from '../service/provider-hooks.js'
import type { SignedIn } from '../session/signed-in.js'
import { askingProvider } from './asking-provider.js'
import { asCallbackError } from './failure.js'
import { finishSignIn } from './finish.js'
import { endFlow, resuming, type StartedFlow, startedFlow } from './flow-cookie.js'
import { type DescribingProvider, identityOf } from './identity.js'
import { type Exchanged, MAX_WAIT } from './provider-answer.js'
import { purposeOf } from './step-up.js'
import { beginToUse, useUp, useUpFailed } from './use-up.js'

/** How the answers of a provider come here: through the proxy of previews, or directly. */
export function viaOf(request: AuthRequest, { id }: Pick<ResolvedProvider, 'id'>): Via {
  return (
    request.features.ports.relay?.via(request, id) ?? {
      redirectUri: callbackOf(request, id),
      state: async ({ state }) => state,
      answer: () => sentParameters(request),
    }
  )
}

/** A provider with its own sign-in pages. */
type RedirectProvider = ResolvedProvider &
  DescribingProvider & {
    readonly clientId: string
    /** Its own words for a sign-in that the person cancels. */
    readonly cancelErrors?: readonly string[] | undefined
  }

/** Sends the browser to a provider, at the URL that its kind made. */
export function goToProvider(request: AuthRequest, { id }: ResolvedProvider, url: URL): Outcome {
  const { config, origin, issuer } = request
  config.logger.debug('sign-in started', { provider: id, at: nowInSeconds(request) })
  return redirect(configuredRedirect(url.href, origin) ?? ownPage(request, issuer))
}

/**
 * GET or POST /callback/:provider, for a browser that comes back from a provider.
 *
 * @param exchange gets the flow, the unchanged parameters, the redirect URI and the limit of all that is asked of the
 * provider; it returns tokens and profile
 */
export async function comeBack<Flow extends StartedFlow>(
  request: AuthRequest,
  provider: RedirectProvider,
  exchange: (
    flow: Flow,
    response: URLSearchParams,
    redirectUri: string,
    inTime: InTime,
  ) => Promise<Exchanged>,
): Promise<Outcome> {
  // The person's own request follows, and finishes. No browser shows or keeps an answer with this status.
  if (request.method === 'GET' && looksAhead(request)) return { kind: 'empty', status: 503 }
  const via = viaOf(request, provider)
  const response = await responseParameters(via)
  const passed = await request.features.ports.relay?.passOn(request, provider, response)
  if (passed) return passed
  const state = response.get('state')
  const flow = state === null ? undefined : await startedFlow<Flow>(request, provider.id, state)
  if (!flow && request.method === 'POST') return bringCookie(request, response)
  if (!flow) throw new InvalidCheck('The sign-in was not started in this browser, or too long ago.')
  const goOn = async (target: SafeRedirect) => {
    const purpose = { ...(await purposeOf(request, flow)), target }
    const inTime = timeLimit(MAX_WAIT)
    const ask = () => {
      // It is not used again, even when the sign-in fails; but a limit keeps it.
      endFlow(request, flow)
      return exchange(flow, response, via.redirectUri, inTime)
    }
    return askingProvider(request, 'callback', purpose, ask, async (exchanged) => {
      const who = await orUsedUp(request, flow, () => identityOf(provider, exchanged, inTime))
      const proved = { ...who, ...authTimeOf(request, exchanged) }
      const entrance = await useUp(request, flow, wayOf(proved.account))
      return finishSignIn(request, proved, entrance, purpose)
    })
  }
  return resuming(request, flow, goOn)
}

/** A proof is at most as new as the provider says, for any age in the request. */
function authTimeOf({ came }: AuthRequest, { authTime }: Exchanged): Pick<SignedIn, 'authTime'> {
  return authTime === undefined
    ? {}
    : { authTime: Math.min(came, Math.floor(authTime) + CLOCK_SKEW) }
}

/** A flow is used up even if it fails. */
async function orUsedUp<Result>(
  request: AuthRequest,
  flow: StartedFlow,
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    throw await useUpFailed(request, flow, error)
  }
}

/**
 * Checks that a callback answers the flow's own request, and exchanges the answer: once in this
 * process. The proof counts once everywhere, by the ledger ({@link useUp}), which is asked when the
 * way is known.
 *
 * @param server the issuer that the answer's `iss` must name (RFC 9207), unless `hasIssuer` is
 * false: a provider without a known issuer, or with one for each tenant, cannot be compared
 * @param exchange gets the answer's parameters
 * @throws {OAuthCallbackError} `code` is `access_denied` when the person canceled
 * @throws {InvalidCheck} @throws {StoreUnavailable}
 */
export async function acceptResponse(
  request: AuthRequest,
  { id, clientId, cancelErrors = [] }: RedirectProvider,
  server: AuthorizationServer,
  hasIssuer: boolean,
  flow: StartedFlow,
  response: URLSearchParams,
  exchange: (checked: URLSearchParams) => Promise<Exchanged>,
): Promise<Exchanged> {
  const parameters = new URLSearchParams(response)
  if (!hasIssuer) parameters.delete('iss')
  const compared = hasIssuer ? server : { issuer: server.issuer }
  let checked: URLSearchParams
  try {
    checked = validateAuthResponse(compared, { client_id: clientId }, parameters, flow.state)
  } catch (error) {
    throw asCallbackError(id, error, [], cancelErrors)
  }
  await beginToUse(request, flow)
  return orUsedUp(request, flow, () => exchange(checked))
}

/**
 * The parameters of a provider's answer. If one came twice, a proxy in front of us could read the other
 * one, and a provider sends none twice (RFC 6749, 3.1). Such an answer is refused, and uses nothing
 * up.
 *
 * @throws {InvalidCheck}
 */
async function responseParameters({ answer }: Via): Promise<URLSearchParams> {
  const response = await answer()
  // `iss` may come twice here: it is compared later, and ignored if the provider's issuer is
  // unknown.
  const names = [...response.keys()].filter((name) => name !== 'iss')
  if (new Set(names).size === names.length) return response
  throw new InvalidCheck('The answer has a parameter twice.')
}

async function sentParameters(request: AuthRequest): Promise<URLSearchParams> {
  if (request.method === 'POST') {
    return new URLSearchParams(textFields(await readBody(request.original)))
  }
  const { query, keys } = request
  const sealed = query.get(POSTED)
  if (sealed === null) return query
  const posted = await keys.posted.open(sealed)
  return new URLSearchParams(posted ? textFields(posted) : {})
}

/** The parameter with the sealed, posted response. */
const POSTED = 'posted'

/** Seconds. The browser comes back at once. */
const POSTED_AGE = 60

/** In characters: longer URLs are not accepted everywhere. */
const MAX_POSTED = 12_000

/**
 * A provider with `response_mode=form_post` posts from its own site, and a browser then sends no
 * `Lax` cookie. It does with a GET, so the response is redirected to a GET, sealed, so that no code
 * is in plain text in a URL.
 */
async function bringCookie(request: AuthRequest, response: URLSearchParams): Promise<Outcome> {
  const { keys, issuer, path } = request
  const url = new URL(issuer + path)
  const expires = nowInSeconds(request) + POSTED_AGE
  const sealed = await keys.posted.seal(Object.fromEntries(response), expires)
  if (sealed.length > MAX_POSTED) throw new InvalidCheck('The posted response is too long.')
  url.searchParams.set(POSTED, sealed)
  return { kind: 'redirect', to: ownPage(request, url.href), status: 303 }
}

function textFields(fields: Fields): Record<string, string> {
  const entries = Object.entries(fields).filter(([, value]) => typeof value === 'string')
  return Object.fromEntries(entries) as Record<string, string>
}
