import type { AuthRequest } from '../../../http/request.js'
import type { ResolvedOAuthProvider } from '../../../sign-in/oauth/resolve.js'
import { ServerFault } from '../oauth-error.js'
import type { TrustedIssuer } from './read-trusted-issuers.js'

/**
 * The OpenID provider whose accounts the assertions of a trusted issuer are about.
 *
 * @throws {ServerFault} it is not configured, or is of another type
 */
export async function providerOf(
  request: AuthRequest,
  { of }: TrustedIssuer,
): Promise<ResolvedOAuthProvider> {
  if ('company' in of) throw new ServerFault('A trusted issuer names a company that is not there.')
  const provider = request.providers.usable.get(of.provider)
  if (provider?.type === 'oidc') return provider as ResolvedOAuthProvider
  throw new ServerFault('A trusted issuer names no provider of the type oidc.')
}
