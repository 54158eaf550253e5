import type { RedirectProvider } from '../../config/providers.js'
import { InvalidCheck } from '../../errors.js'
import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import type { SignedIn } from '../../session/callbacks.js'
import { consumeFlow, type Flow } from '../flow-cookie.js'
import { redirectUriOf } from './authorize.js'
import { connect } from './connection.js'
import { checkResponse, type Exchanged, exchange } from './exchange.js'
import { identityOf } from './identity.js'

/**
 * Finishes a started sign-in, once.
 *
 * @param flow what {@link takeFlow} found for this browser
 * @param response the parameters that the provider sent back, exactly as they came
 * @throws {OAuthCallbackError} @throws {InvalidCheck} @throws {StoreUnavailable}
 */
export async function complete(
  request: AuthRequest,
  provider: RedirectProvider,
  flow: Flow,
  response: URLSearchParams,
): Promise<SignedIn> {
  const exchanged =
    'middleware' in provider
      ? await askMiddleware(request, provider, flow, response)
      : await askProvider(request, provider, flow, response)
  return identityOf(provider, exchanged)
}

async function askProvider(
  request: AuthRequest,
  provider: Exclude<RedirectProvider, { middleware: unknown }>,
  flow: Flow,
  response: URLSearchParams,
): Promise<Exchanged> {
  const connection = await connect(provider, request.config.now())
  const checked = checkResponse(provider, connection.server, flow, response)
  await useUp(request, flow)
  return exchange(connection, redirectUriOf(request, provider), flow, checked)
}

async function askMiddleware(
  request: AuthRequest,
  provider: Extract<RedirectProvider, { middleware: unknown }>,
  flow: Flow,
  response: URLSearchParams,
): Promise<Exchanged> {
  if (!flow.carried) throw new InvalidCheck('The sign-in was started in another way.')
  const redirectUri = redirectUriOf(request, provider)
  const checked = checkResponse(provider, { issuer: redirectUri }, flow, response)
  await useUp(request, flow)
  return provider.driver.finish(provider, redirectUri, flow.carried, checked, nowInSeconds(request))
}

async function useUp(request: AuthRequest, flow: Flow): Promise<void> {
  if (!(await consumeFlow(request, flow)))
    throw new InvalidCheck('The sign-in was finished before.')
}
