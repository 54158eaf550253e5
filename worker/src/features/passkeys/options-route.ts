import { checkCanFinish } from '../../http/known-origin.js'
import { tooManyAttempts } from '../../http/limits.js'
import { attempting, json, leadingTo, type Outcome } from '../../http/outcome.js'
import { answerPost } from '../../http/post.js'
import type { AuthRequest } from '../../http/request.js'
import { ownPage, resolveCallbackUrl } from '../../http/targets.js'
import { attemptAt, providerOf } from '../../routes/sign-in.js'
import { signedIn } from '../../session/read.js'
import { stepUpOf } from '../../sign-in/step-up.js'
import { adding } from '../ways/check-asker.js'
import { isLately, signInFirst } from '../ways/fresh-post.js'
import { waitToAdd } from '../ways/limits.js'
import { hasShownFactor } from '../ways/shown-strength.js'

const PASSKEY = 'passkey'

/** POST /passkey/options: begins a ceremony of WebAuthn, for a script. */
export function passkeyOptions(request: AuthRequest): Promise<Outcome> {
  const answer = answerPost(request, async ({ fields, callbackUrl, needs }) => {
    const provider = await providerOf(request, PASSKEY)
    checkCanFinish(request)
    const { options } = provider.kind
    const isConditional = fields.mediation === 'conditional'
    if (isConditional && fields.for !== 'add') return MALFORMED
    if (fields.for !== 'add') {
      const target = callbackUrl ?? (await resolveCallbackUrl(request))
      return leadingTo(target, async () => {
        const stepUp = await stepUpOf(request, provider, needs)
        return options?.(request, provider, fields, { target, ...needs, ...stepUp }) ?? NOT_FOUND
      })
    }
    const target = callbackUrl ?? ownPage(request, `${request.issuer}/account`)
    return leadingTo(target, async () => {
      const asker = await signedIn(request)
      if (!asker) return json({ error: 'SignedOut' }, 401)
      // Only a person who has just typed a password gets a passkey without a question.
      const isAfterPassword = isLately(request, asker) && asker.amr[0] === 'password'
      if (isConditional && !isAfterPassword) return MALFORMED
      if (!isLately(request, asker)) return signInFirst(request, target)
      await request.features.ports.manager?.checkAdding(request, asker)
      if (!(await hasShownFactor(request, asker))) return signInFirst(request, target, '2')
      const wait = await waitToAdd(request, asker.sub)
      if (wait > 0) return tooManyAttempts(request, wait, target, async () => TOO_MANY)
      const purpose = { target, ...needs, asker, ...adding.with({ sid: asker.sid }) }
      return options?.(request, provider, fields, purpose) ?? NOT_FOUND
    })
  })
  return attempting(attemptAt(request, PASSKEY), () => answer)
}

const NOT_FOUND = json({ error: 'Configuration' }, 404)
const MALFORMED = json({ error: 'Configuration' }, 400)
const TOO_MANY = json({ error: 'CredentialsSignin', code: 'rate_limited' }, 429)
