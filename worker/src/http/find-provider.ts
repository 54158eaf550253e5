import type { ResolvedProvider } from './kind.js'
import type { AuthRequest } from './request.js'

/**
 * The provider with an id: of the configuration, or one that a feature finds.
 *
 * @returns `undefined`: there is none, or it cannot be used
 * @throws {StoreUnavailable} it cannot be known now @throws {InvalidConfiguration}
 */
export async function findProvider(
  request: AuthRequest,
  id: string,
): Promise<ResolvedProvider | undefined> {
  const { providers, features } = request
  return providers.usable.get(id) ?? (await features.ports.entrance?.provider(request, id))
}

/** The providers with these ids that can be found now, for pages that show names. */
export async function shownProviders(
  request: AuthRequest,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ResolvedProvider>> {
  const found = new Map(request.providers.usable)
  for (const id of new Set(ids)) {
    if (found.has(id)) continue
    const provider = await findProvider(request, id).catch(() => undefined)
    if (provider) found.set(id, provider)
  }
  return found
}
