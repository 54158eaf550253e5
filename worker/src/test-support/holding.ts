import { InvalidCheck } from '../errors.js'
import { redirect } from '../http/outcome.js'
import { ownPage } from '../http/targets.js'
import { readPerson } from '../person/documents.js'
import type { Feature } from '../service/feature.js'
import type { PendingSignIn } from '../service/sign-in-hooks.js'
import { checkPendingSignIn, finishPendingSignIn } from '../sign-in/pending.js'

/** A capability for which every sign-in must wait: GET `/<name>` completes the one that waits. */
export function holding(name: string, asked: string[] = []) {
  const pending: PendingSignIn[] = []
  const feature: Feature = {
    name,
    pages: {
      routes: {
        [`/${name}`]: {
          async GET(request) {
            const one = pending.shift()
            if (!one) throw new InvalidCheck('Nothing waits.')
            const document = await readPerson(request, one.signedIn.account.userId)
            return finishPendingSignIn(request, await checkPendingSignIn(request, one), document)
          },
        },
      },
    },
    signIn: {
      async hold(request, { signedIn }) {
        asked.push(`${name} of ${signedIn.account.provider}`)
        return async (one) => {
          pending.push(one)
          return redirect(ownPage(request, `${request.issuer}/${name}`))
        }
      },
    },
  }
  return { feature, pending, asked }
}
