import { UnknownProvider } from '../errors.js'
import { findProvider } from '../http/find-provider.js'
import type { ResolvedProvider } from '../http/kind.js'
import { checkCanFinish } from '../http/known-origin.js'
import { type Attempt, attempting, leadingTo, type Outcome } from '../http/outcome.js'
import type { AuthRequest } from '../http/request.js'
import { resolveCallbackUrl } from '../http/targets.js'
import { ownDetail, printable } from '../lib/printable.js'
import { answerSignIn } from '../sign-in/stale-sign-in.js'
import { stepUpOf } from '../sign-in/step-up.js'

/** POST /signin/:provider: starts a sign-in. */
export function startSignIn(request: AuthRequest, id: string): Promise<Outcome> {
  return answerSignIn(request, attemptAt(request, id), async ({ fields, callbackUrl, needs }) => {
    const provider = await providerOf(request, id)
    checkCanFinish(request)
    const target = callbackUrl ?? (await resolveCallbackUrl(request))
    return leadingTo(target, () =>
      attempting(provider.kind.isEntrance ? {} : { provider: provider.id }, async () => {
        const stepUp = await stepUpOf(request, provider, needs)
        return provider.kind.start(request, provider, fields, { target, ...needs, ...stepUp })
      }),
    )
  })
}

/**
 * The part of the log line about a sign-in. The path may name any provider, also an invalid one.
 */
export function attemptAt({ providers }: AuthRequest, id: string): Attempt {
  const isConfigured = providers.usable.has(id) || providers.misconfigured.has(id)
  return isConfigured ? { provider: id } : {}
}

/**
 * The provider that a path names.
 *
 * @throws {UnknownProvider}
 * @throws {ProviderMisconfigured} when it is configured, but lacks something
 * @throws {StoreUnavailable} it cannot be known now
 */
export async function providerOf(request: AuthRequest, id: string): Promise<ResolvedProvider> {
  const { usable, misconfigured } = request.providers
  const provider = await findProvider(request, id)
  if (provider) return provider
  throw (
    misconfigured.get(id) ??
    new UnknownProvider('A request names a provider that is not configured.', {
      cause: ownDetail({ provider: printable(id), configured: [...usable.keys()] }),
    })
  )
}

/** GET or POST /callback/:provider: finishes a sign-in, in the ways that its kind has. */
export function callback(request: AuthRequest, id: string): Promise<Outcome> {
  return attempting(attemptAt(request, id), async () => {
    const provider = await providerOf(request, id)
    const { finish } = provider.kind
    const own =
      request.method === 'POST' ? finish.POST : request.method === 'GET' ? finish.GET : undefined
    if (own) return attempting({ provider: provider.id }, () => own(request, provider))
    // HEAD changes nothing, so it does not finish a sign-in.
    if (request.method === 'HEAD' && finish.GET) return { kind: 'empty' }
    return { kind: 'not-allowed', allow: finish.GET ? 'GET, HEAD' : 'POST' }
  })
}
