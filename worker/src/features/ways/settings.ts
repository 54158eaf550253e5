import { InvalidConfiguration } from '../../errors.js'
import type { AuthRequest } from '../../http/request.js'
import type { AuthConfig, WaysConfig } from '../../types.js'

/** `ways` of the configuration. */
export type WaysSettings = WaysConfig

/** @throws {InvalidConfiguration} a misspelled word would let in a person */
export function resolveWays({ ways = {} }: AuthConfig): WaysSettings {
  const { merge, unlinked } = ways as WaysConfig & { readonly merge?: unknown }
  if (merge !== undefined) throw new InvalidConfiguration(NO_MERGE)
  if (unlinked !== undefined && unlinked !== 'refuse') {
    throw new InvalidConfiguration('ways.unlinked must be "refuse", or left out.')
  }
  return unlinked ? { unlinked } : {}
}

const NO_MERGE =
  'ways.merge was an option of version 0.2: nothing merges two people any more. Remove it. A way that belongs to another person is refused (docs/accounts.md), and people who were merged stay as they are.'

export function waysSettings({ features }: AuthRequest): WaysSettings {
  return features.settings<WaysSettings>('ways') ?? {}
}
