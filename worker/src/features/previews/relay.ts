import { isBasePath, isTrustedOrigin } from '@latchkey/host/shared'
import { InvalidCheck, InvalidConfiguration } from '../../errors.js'
import type { ResolvedProvider } from '../../http/kind.js'
import { type Outcome, redirect } from '../../http/outcome.js'
import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import { callbackOf, ownPage } from '../../http/targets.js'
import { printable } from '../../lib/printable.js'
import { createSealer, type Sealer } from '../../lib/seal.js'
import type { Relay } from '../../service/provider-hooks.js'
import { FLOW_AGE, findFlow, flowId, type StartedFlow } from '../../sign-in/flow-cookie.js'
import type { RedirectProxy } from './settings.js'

/** A preview's request to the proxy, sealed in `state`: the target of the answer, and its flow. */
interface Asked {
  /** Origin and base path of the preview. */
  readonly issuer: string
  readonly provider: string
  /** The preview's own `state`: a secret of preview and proxy, by which the answer is sealed. */
  readonly state: string
}

/**
 * The proxy, if there is one and this is another service: a preview, to which providers' answers come through
 * the proxy alone.
 */
function proxyOf(request: AuthRequest): RedirectProxy | undefined {
  const proxy = settingsOf(request)
  return proxy?.origin === request.origin ? undefined : proxy
}

function settingsOf({ features }: AuthRequest): RedirectProxy | undefined {
  return features.settings<RedirectProxy>('previews')
}

/** Previews have the redirect URIs of the proxy. */
export const relay: Relay = {
  via(request, provider) {
    const proxy = proxyOf(request)
    return (
      proxy && {
        redirectUri: callbackOf(proxy, provider),
        state: (flow) => sentState(request, proxy, flow),
        answer: () => passedAnswer(request, provider),
      }
    )
  },
  passOn,
}

/** X takes no longer ones, and others say nothing. Characters. */
const MAX_STATE = 500

/**
 * The `state` for the provider. A preview's is sealed for the proxy, and names the address of the
 * answer.
 *
 * @throws {InvalidConfiguration} the preview's address is too long
 */
async function sentState(
  request: AuthRequest,
  proxy: RedirectProxy,
  { provider, state }: Pick<StartedFlow, 'provider' | 'state'>,
): Promise<string> {
  const sealer = await proxy.sealer()
  const asked = { issuer: request.issuer, provider, state } satisfies Asked
  const sealed = await sealer.seal(asked, nowInSeconds(request) + FLOW_AGE)
  if (sealed.length <= MAX_STATE) return sealed
  throw new InvalidConfiguration(
    'The address of this preview is too long: providers would not bring it back.',
  )
}

/** The parameters of an answer that the proxy passes on: the preview's flow, and the answer, sealed. */
const FLOW = 'flow'
const PASSED = 'passed'

/** The browser comes back at once, but the clock of a developer's machine may be wrong. Seconds. */
const PASSED_AGE = 5 * 60

/** In characters: longer URLs are not accepted everywhere. */
const MAX_PASSED = 12_000

/**
 * Passes a provider's answer on to the preview that asked for it, if this is the proxy. Nothing is kept, and
 * no user is signed in here.
 *
 * @returns `undefined`: no preview asked for it, or too long ago
 * @throws {InvalidCheck} it goes to no origin that is trusted now, or is not of this provider
 */
async function passOn(
  request: AuthRequest,
  { id }: Pick<ResolvedProvider, 'id'>,
  response: URLSearchParams,
): Promise<Outcome | undefined> {
  const { config, origin } = request
  const { logger, now } = config
  const redirectProxy = settingsOf(request)
  if (redirectProxy?.origin !== origin) return undefined
  const sealer = await redirectProxy.sealer()
  const asked = await sealer.open(response.get('state') ?? '')
  if (!asked) return undefined
  // A service with the secret sealed it, perhaps in another version.
  const { issuer = '', provider, state } = asked as Partial<Asked>
  const preview = previewAt(request, issuer)
  if (!preview) {
    const to = printable(issuer)
    throw new InvalidCheck(
      `No answer is passed on to ${to}: AUTH_TRUSTED_ORIGINS has no such origin.`,
    )
  }
  if (provider !== id || !state) {
    throw new InvalidCheck(`What "${id}" answers is not what ${preview} asked for.`)
  }
  const answer = new URLSearchParams(response)
  answer.set('state', state)
  const passed = await (await answerSealer(state, now)).seal(
    { answer: answer.toString() },
    nowInSeconds(request) + PASSED_AGE,
  )
  if (passed.length > MAX_PASSED) throw new InvalidCheck('The answer is too long to be passed on.')
  const query = new URLSearchParams({ [FLOW]: flowId({ state }), [PASSED]: passed })
  logger.debug('answer passed on', { provider: id, to: preview })
  const target = `${callbackOf({ issuer }, id)}?${query}`
  return redirect(ownPage(request, target))
}

/** The origin of a preview, if an answer may go there: only listed ones, in one spelling, and not back here. */
function previewAt({ config, origin }: AuthRequest, issuer: string): string | undefined {
  const url = URL.parse(issuer)
  if (!url || url.origin === origin || url.origin + url.pathname !== issuer) return undefined
  const isTrusted = isTrustedOrigin(url.origin, config.origin.trusted) && isBasePath(url.pathname)
  return isTrusted ? url.origin : undefined
}

/**
 * The answer that the proxy has passed on to this preview, for a sign-in that this browser has started.
 *
 * @throws {InvalidCheck} there is none
 */
async function passedAnswer(request: AuthRequest, id: string): Promise<URLSearchParams> {
  const { query, config } = request
  const flow = await findFlow(request, id, query.get(FLOW) ?? '')
  const sealer = flow && (await answerSealer(flow.state, config.now))
  const opened = await sealer?.open(query.get(PASSED) ?? '')
  if (typeof opened?.answer === 'string') return new URLSearchParams(opened.answer)
  throw new InvalidCheck(
    'The proxy has passed on nothing for a sign-in that was started in this browser, or too long ago.',
  )
}

/** For one flow: only the preview and the proxy know its `state`. */
function answerSealer(state: string, now: () => number): Promise<Sealer> {
  return createSealer([state], 'passed', now)
}
