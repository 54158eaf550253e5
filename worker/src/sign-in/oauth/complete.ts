import type { RedirectProvider } from '../../config/providers.js'
import { InvalidCheck } from '../../errors.js'
import { nowInSeconds, type RequestScope } from '../../http/scope.js'
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
  scope: RequestScope,
  provider: RedirectProvider,
  flow: Flow,
  response: URLSearchParams,
): Promise<SignedIn> {
  const exchanged =
    'middleware' in provider
      ? await askMiddleware(scope, provider, flow, response)
      : await askProvider(scope, provider, flow, response)
  return identityOf(provider, exchanged)
}

async function askProvider(
  scope: RequestScope,
  provider: Exclude<RedirectProvider, { middleware: unknown }>,
  flow: Flow,
  response: URLSearchParams,
): Promise<Exchanged> {
  const connection = await connect(provider, scope.config.now())
  const checked = checkResponse(provider, connection.server, flow, response)
  await useUp(scope, flow)
  return exchange(connection, redirectUriOf(scope, provider), flow, checked)
}

async function askMiddleware(
  scope: RequestScope,
  provider: Extract<RedirectProvider, { middleware: unknown }>,
  flow: Flow,
  response: URLSearchParams,
): Promise<Exchanged> {
  if (!flow.carried) throw new InvalidCheck('The sign-in was started in another way.')
  const redirectUri = redirectUriOf(scope, provider)
  const checked = checkResponse(provider, { issuer: redirectUri }, flow, response)
  await useUp(scope, flow)
  return provider.driver.finish(provider, redirectUri, flow.carried, checked, nowInSeconds(scope))
}

async function useUp(scope: RequestScope, flow: Flow): Promise<void> {
  if (!(await consumeFlow(scope, flow))) throw new InvalidCheck('The sign-in was finished before.')
}
