import type { Kind } from '../../http/kind.js'
import { redirect } from '../../http/outcome.js'
import { ownPage } from '../../http/targets.js'
import type { PasskeyConfig } from '../../types.js'
import { finish } from './finish.js'
import { passkeyForm } from './forms.js'
import { options } from './options.js'
import { PAGE_SCRIPT } from './page-script.js'
import { type ResolvedPasskeyProvider, resolvePasskey, rpIdOf } from './resolve.js'

/** Passkeys bring this kind, so that a Worker without them does not bundle it. */
export const passkey: Kind<ResolvedPasskeyProvider> = {
  isGuessable: false,
  isAddable: true,
  resolve: (config, env, site) => resolvePasskey(passkey, config as PasskeyConfig, env, site),
  form: passkeyForm,
  script: () => PAGE_SCRIPT,
  /** A ceremony needs options of its own and a script, so a start only shows the page. */
  async start(request, _provider, _fields, { target }) {
    const page = new URL(`${request.issuer}/signin`)
    page.searchParams.set('callbackUrl', target)
    return redirect(ownPage(request, page.href))
  },
  finish: { POST: finish },
  isScripted: true,
  options,
  rpId: rpIdOf,
  relatedOrigins: ({ origins }) => origins,
  canStepUp: () => true,
}
