import { UnknownProvider } from '../errors.js'
import { leadingTo, type Outcome } from '../http/outcome.js'
import { answerPost } from '../http/post.js'
import type { AuthRequest, ResolvedProvider } from '../http/request.js'
import { resolveCallbackUrl } from '../http/targets.js'
import { printable } from '../lib/printable.js'
import { checkCanFinish } from '../sign-in/finish.js'

/** POST /signin/:provider: starts a sign-in. */
export function startSignIn(request: AuthRequest, id: string): Promise<Outcome> {
  return answerPost(request, async ({ fields, callbackUrl }) => {
    const provider = providerOf(request, id)
    checkCanFinish(request)
    const target = callbackUrl ?? (await resolveCallbackUrl(request))
    return leadingTo(target, () => provider.kind.start(request, provider, fields, target))
  })
}

/**
 * The provider that a path names.
 *
 * @throws {UnknownProvider}
 * @throws {ProviderMisconfigured} when it is configured, but lacks something
 */
export function providerOf({ providers }: AuthRequest, id: string): ResolvedProvider {
  const { usable, misconfigured } = providers
  const provider = usable.get(id)
  if (provider) return provider
  throw (
    misconfigured.get(id) ??
    new UnknownProvider('A request names a provider that is not configured.', {
      cause: { provider: printable(id), configured: [...usable.keys()] },
    })
  )
}
