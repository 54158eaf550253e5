import type { Kind, ResolvedProvider } from '../../http/kind.js'
import { redirect } from '../../http/outcome.js'
import { ownPage, withNeeds } from '../../http/targets.js'
import type { PasswordConfig } from '../../types.js'
import { passwordForm } from './forms.js'
import { OFFER_SCRIPT } from './offer-script.js'
import { isOn, mailProvider, passwordSettings } from './settings.js'
import { finish } from './sign-in.js'

export type ResolvedPassword = ResolvedProvider

/** An address and a password that is kept here. */
export const password: Kind<ResolvedPassword> = {
  isGuessable: true,
  sends: true,
  isAddable: false,
  resolve(config) {
    const { id, name, type } = config as PasswordConfig
    return { id, name, type, kind: password }
  },
  form: passwordForm,
  /** With an address: the mail of the email provider, which ends at the page where the password is typed. */
  async start(request, _provider, fields, purpose) {
    const { email } = fields
    if (email === undefined || email === '') {
      const page = withNeeds(new URL(`${request.issuer}/signin`), purpose)
      page.searchParams.set('callbackUrl', purpose.target)
      return redirect(ownPage(request, page.href))
    }
    const page = new URL(`${request.issuer}/account/password`)
    page.searchParams.set('callbackUrl', purpose.target)
    const mail = mailProvider(request)
    return mail.kind.start(request, mail, fields, {
      ...purpose,
      target: ownPage(request, page.href),
    })
  },
  finish: { POST: finish },
  script: () => OFFER_SCRIPT,
  canStepUp: isOn,
  accountsAt: (request) => passwordSettings(request).email,
}
