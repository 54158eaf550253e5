import { ProviderMisconfigured } from '../../errors.js'
import type { Kind, ResolvedProvider } from '../../http/kind.js'
import { checkCanFinish } from '../../http/known-origin.js'
import { tooManyAttempts } from '../../http/limits.js'
import { attempting, leadingTo, type Outcome, redirect } from '../../http/outcome.js'
import type { AuthRequest } from '../../http/request.js'
import { ownPage, resolveCallbackUrl, withNeeds } from '../../http/targets.js'
import { passwordForm, USUAL_FIELDS } from '../../pages/provider-forms.js'
import { accountId } from '../../person/subject.js'
import { wayOf } from '../../person/way-document.js'
import { finishSignIn } from '../../sign-in/finish.js'
import { LIMITED, showSignIn } from '../../sign-in/show-sign-in.js'
import { answerSignIn } from '../../sign-in/stale-sign-in.js'
import { stepUpOf } from '../../sign-in/step-up.js'
import type { CredentialsConfig } from '../../types.js'
import { authorizeCredentials } from './authorize.js'
import { tryCredentials } from './limits.js'

type ResolvedCredentials = ResolvedProvider &
  CredentialsConfig &
  Required<Pick<CredentialsConfig, 'credentials'>> & { readonly kind: Kind }

/** A user name and a password, or any other fields of a form. */
export const credentials: Kind<ResolvedCredentials> = {
  isGuessable: true,
  isAddable: false,
  resolve(config) {
    const { id, authorize, credentials: fields = USUAL_FIELDS } = config as CredentialsConfig
    if (typeof authorize !== 'function') {
      throw new ProviderMisconfigured(`Provider "${id}" has no authorize function.`)
    }
    return { ...(config as CredentialsConfig), credentials: fields, kind: credentials }
  },
  form: passwordForm,
  /** Credentials are posted to their callback, so a start only shows the form. */
  async start(request, _provider, _fields, purpose) {
    const page = withNeeds(new URL(`${request.issuer}/signin`), purpose)
    page.searchParams.set('callbackUrl', purpose.target)
    return redirect(ownPage(request, page.href))
  },
  finish: { POST: finish },
  canStepUp: () => true,
  accountOf(_provider, account) {
    const id = accountId(account)
    return id === undefined ? undefined : { id }
  },
}

function finish(request: AuthRequest, provider: ResolvedCredentials): Promise<Outcome> {
  const { id } = provider
  return answerSignIn(request, { provider: id }, async ({ fields, callbackUrl, needs }) => {
    checkCanFinish(request)
    const target = callbackUrl ?? (await resolveCallbackUrl(request))
    return leadingTo(target, async () => {
      const purpose = { target, ...needs, ...(await stepUpOf(request, provider, needs)) }
      const attempt = await tryCredentials(request, provider, fields)
      return attempting({ provider: id, claimed: attempt.claimed }, async () => {
        if (attempt.wait > 0) {
          const posted = { of: id, fields }
          return tooManyAttempts(request, attempt.wait, target, () =>
            showSignIn(request, purpose, LIMITED, { posted }),
          )
        }
        const signedIn = await authorizeCredentials(provider, fields, request.original)
        const document = await attempt.forgive(wayOf(signedIn.account))
        return finishSignIn(request, signedIn, { document }, purpose, attempt.name)
      })
    })
  })
}
