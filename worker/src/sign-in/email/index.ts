import type { AuthRequest, Kind } from '../../http/request.js'
import { addressForm } from '../../pages/provider-forms.js'
import type { EmailConfig } from '../../types.js'
import { type ResolvedEmailProvider, resolveEmail } from './resolve.js'

/** A mail with a link and a code. What makes and checks them is loaded when somebody signs in. */
export const email: Kind<ResolvedEmailProvider> = {
  isGuessable: true,
  resolve: (config, env) => resolveEmail(email, config as EmailConfig, env),
  form: addressForm,
  async start(request, provider, fields, target) {
    const { start } = await import('./flow.js')
    return start(request, provider, fields, target)
  },
  finish: {
    async GET(request: AuthRequest, provider: ResolvedEmailProvider) {
      const { openLink } = await import('./flow.js')
      return openLink(request, provider)
    },
    async POST(request: AuthRequest, provider: ResolvedEmailProvider) {
      const { confirm } = await import('./flow.js')
      return confirm(request, provider)
    },
  },
}
