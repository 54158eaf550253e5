import { attempting, type Outcome, redirect } from '../../http/outcome.js'
import type { AuthRequest } from '../../http/request.js'
import { wayOf } from '../../person/way-document.js'
import type { Proof } from '../../service/sign-in-hooks.js'
import type { SignedIn } from '../../session/signed-in.js'
import { askApp } from '../../sign-in/finish.js'
import { keepAdded } from '../connections/added.js'
import { addWay } from './add.js'
import { adding } from './check-asker.js'

/**
 * The last step of a flow that a session began to add a way: no user is signed in, and the session stays as it is.
 *
 * @returns `undefined`: the flow signs a user in
 */
export async function finishAdding(
  request: AuthRequest,
  { proved, entrance: { document }, purpose }: Proof,
): Promise<Outcome | undefined> {
  const { asker, target, scope } = purpose
  if (!adding.of(purpose) || !asker) return undefined
  const { sub } = asker
  const { provider } = proved.account
  return attempting({ provider, sub }, async () => {
    const signedIn: SignedIn = {
      ...proved,
      user: { ...proved.user, id: sub },
      account: { ...proved.account, userId: sub },
    }
    const elsewhere = await askApp(request, signedIn, sub)
    if (elsewhere) return elsewhere
    await request.features.check(request, { signedIn, document: undefined, purpose })
    const way = wayOf(proved.account)
    await addWay(request, asker, signedIn, { way, document })
    await keepAdded(request, asker, { sub, way, provider }, proved.account, scope)
    return redirect(target)
  })
}
