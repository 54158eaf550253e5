import type { Kind } from '../../http/kind.js'
import { addressForm } from '../../pages/provider-forms.js'
import type { EmailConfig } from '../../types.js'
import { confirm, openLink, start } from './flow.js'
import { type ResolvedEmailProvider, resolveEmail } from './resolve.js'
import { sendNotice } from './send.js'

/** A mail with a link and a code. */
export const email: Kind<ResolvedEmailProvider> = {
  isGuessable: true,
  sends: true,
  isAddable: true,
  resolve: (config, env) => resolveEmail(email, config as EmailConfig, env),
  form: addressForm,
  start,
  finish: { GET: openLink, POST: confirm },
  canStepUp: () => true,
  notify: sendNotice,
  accountOf(provider, address) {
    const id = provider.normalize(address)
    return id === undefined ? undefined : { id }
  },
}
