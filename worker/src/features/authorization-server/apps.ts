import { logEvent } from '../../http/log-event.js'
import { json, leadingTo, type Outcome, redirect } from '../../http/outcome.js'
import { answerPost } from '../../http/post.js'
import type { AuthRequest } from '../../http/request.js'
import { ownPage, toSignIn } from '../../http/targets.js'
import { readUnended, signedIn } from '../../session/read.js'
import { named } from './find-app.js'
import { endApp, listApps } from './list-apps.js'

/** GET /apps: what the signed-in person has let in, or 401. */
export async function apps(request: AuthRequest): Promise<Outcome> {
  const claims = await signedIn(request)
  if (!claims) return json({ error: 'SignedOut' }, 401)
  return json({ apps: await listApps(request, claims.sub) })
}

/** POST /apps/remove: ends all that an app may do for the person. */
export function removeApp(request: AuthRequest): Promise<Outcome> {
  return answerPost(request, ({ fields, callbackUrl }) => {
    const target = callbackUrl ?? ownPage(request, `${request.issuer}/account/apps`)
    return leadingTo(target, async () => {
      // It only takes away, so that the token suffices, and an app ends with three calls.
      const asker = (await readUnended(request))?.claims
      if (!asker && request.wantsJson) return json({ error: 'SignedOut' }, 401)
      if (!asker) return redirect(toSignIn(request, target))
      const { sub } = asker
      if (typeof fields.app === 'string') {
        const removed = { event: 'app-removed', sub, by: 'person' } as const
        // A form that is sent again, or names an app that is not there, is not logged.
        if (await endApp(request, sub, fields.app)) {
          await logEvent(request, { ...removed, ...named(request, fields.app) })
        }
      }
      return redirect(target)
    })
  })
}
