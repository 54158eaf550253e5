import { ProviderMisconfigured } from '../../errors.js'
import { tooManyAttempts } from '../../http/limits.js'
import { leadingTo, type Outcome, redirect } from '../../http/outcome.js'
import type { AuthRequest, Kind, ResolvedProvider } from '../../http/request.js'
import { ownPage, resolveCallbackUrl, withNeeds } from '../../http/targets.js'
import { passwordForm } from '../../pages/provider-forms.js'
import { wayOf } from '../../person/way-document.js'
import { accountId } from '../../session/subject.js'
import { checkCanFinish, finishSignIn } from '../../sign-in/finish.js'
import { LIMITED, showSignIn } from '../../sign-in/show-sign-in.js'
import { answerSignIn } from '../../sign-in/stale-sign-in.js'
import { markStepUp } from '../../sign-in/step-up.js'
import type { CredentialsConfig } from '../../types.js'
import { authorizeCredentials } from './authorize.js'
import { tryCredentials } from './limits.js'

type ResolvedCredentials = ResolvedProvider & CredentialsConfig & { readonly kind: Kind }

/** A user name and a password, or any other fields of a form. */
export const credentials: Kind<ResolvedCredentials> = {
  isGuessable: true,
  isAddable: false,
  resolve(config) {
    const { id, authorize } = config as CredentialsConfig
    if (typeof authorize !== 'function') {
      throw new ProviderMisconfigured(`Provider "${id}" has no authorize function.`)
    }
    return { ...(config as CredentialsConfig), kind: credentials }
  },
  form: passwordForm,
  /** Credentials are posted to their callback, so a start only shows the form. */
  async start(request, _provider, _fields, target) {
    const page = withNeeds(new URL(`${request.issuer}/signin`), request)
    page.searchParams.set('callbackUrl', target)
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
  return answerSignIn(request, async ({ fields, callbackUrl }) => {
    checkCanFinish(request)
    const target = callbackUrl ?? (await resolveCallbackUrl(request))
    return leadingTo(target, async () => {
      await markStepUp(request, provider)
      const attempt = await tryCredentials(request, provider, fields)
      if (attempt.wait > 0) {
        return tooManyAttempts(request, attempt.wait, target, () =>
          showSignIn(request, target, LIMITED),
        )
      }
      const signedIn = await authorizeCredentials(provider, fields, request.original)
      const document = await attempt.forgive(wayOf(signedIn.account))
      return finishSignIn(request, signedIn, { document }, target, attempt.name)
    })
  })
}
