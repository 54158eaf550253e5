import { OAuthCallbackError, ProviderMisconfigured } from '../../errors.js'
import type { Kind } from '../../http/kind.js'
import { refusing } from '../../http/outcome.js'
import type { ResolvedOAuthProvider } from '../../sign-in/oauth/resolve.js'
import { openid } from '../openid/kind.js'

const { accountOf: _, ...kind } = openid

/** The OpenID provider of a company: as any other, but no import names its accounts. */
export const companyKind: Kind<ResolvedOAuthProvider> = {
  ...kind,
  resolve({ id }) {
    throw new ProviderMisconfigured(`The id "${id}" is kept for companies.`)
  },
  /** A start that fails says so on the sign-in page: the company's people may have no other way. */
  async start(request, provider, fields, purpose) {
    const outcome = await refusing({}, () => openid.start(request, provider, fields, purpose))
    if (outcome.kind === 'refusal' && outcome.error instanceof OAuthCallbackError) {
      outcome.error.code = 'company_unavailable'
    }
    return outcome
  },
}
