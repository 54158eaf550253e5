import { InvalidConfiguration } from '../../../errors.js'
import { findProvider } from '../../../http/find-provider.js'
import type { AuthRequest } from '../../../http/request.js'
import { companyProviderId } from '../../../lib/company-id.js'
import type { ResolvedOAuthProvider } from '../../../sign-in/oauth/resolve.js'
import { ServerFault } from '../oauth-error.js'
import { serverOf } from '../settings.js'
import type { TrustedIssuer } from './read-trusted-issuers.js'

/** An OpenID provider that speaks for its accounts. */
export interface AssertingProvider extends ResolvedOAuthProvider {
  /** Its company. Left out: the configuration has the provider. */
  readonly company?: { readonly asksToJoin?: boolean }
}

/**
 * The OpenID provider whose accounts the assertions of a trusted issuer are about.
 *
 * @throws {ServerFault} it is not configured, or is of another type
 * @throws {StoreUnavailable} it cannot be known now
 */
export async function providerOf(
  request: AuthRequest,
  { of }: TrustedIssuer,
): Promise<AssertingProvider> {
  const provider = 'company' in of ? await companyBy(request, of.company) : configured(request, of)
  if (provider?.type === 'oidc') return asked(request, provider as AssertingProvider)
  throw new ServerFault('A trusted issuer names neither a company nor a provider of type oidc.')
}

/** The same providers, asked by the fetch of the authorization server where they have none of their own. */
const withFetch = new WeakMap<AssertingProvider, AssertingProvider>()

function asked(request: AuthRequest, provider: AssertingProvider): AssertingProvider {
  const { fetch } = serverOf(request)
  if (!fetch || provider.fetch) return provider
  const known = withFetch.get(provider)
  const own = known?.fetch === fetch ? known : { ...provider, fetch }
  withFetch.set(provider, own)
  return own
}

function configured({ providers }: AuthRequest, { provider }: { readonly provider: string }) {
  return providers.usable.get(provider)
}

async function companyBy(request: AuthRequest, company: string) {
  try {
    return await findProvider(request, companyProviderId(company))
  } catch (cause) {
    if (!(cause instanceof InvalidConfiguration)) throw cause
    throw new ServerFault('A trusted issuer names a company that cannot be used.', { cause })
  }
}
