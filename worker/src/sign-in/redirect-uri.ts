import type { AuthRequest, ResolvedProvider } from '../http/request.js'
import type { StartedFlow } from './flow-cookie.js'

/** The redirect URI that is registered with a provider: ours, unless its answers come through another service. */
export function redirectUriOf(request: AuthRequest, { id }: Pick<ResolvedProvider, 'id'>): string {
  return request.features.relay?.redirectUri(request, id) ?? callbackOf(request, id)
}

/** The address to which a provider's answers come. */
export function callbackOf({ issuer }: { readonly issuer: string }, provider: string): string {
  return `${issuer}/callback/${provider}`
}

/** The `state` that a provider is sent. @throws {InvalidConfiguration} a relay cannot carry it */
export async function sentState(
  request: AuthRequest,
  flow: Pick<StartedFlow, 'provider' | 'state'>,
): Promise<string> {
  return request.features.relay?.state(request, flow) ?? flow.state
}
