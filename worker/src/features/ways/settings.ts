import { InvalidConfiguration } from '../../errors.js'
import type { AuthRequest } from '../../http/request.js'
import type { AuthConfig, WaysConfig } from '../../types.js'

/** `ways` of the configuration, with its defaults. */
export type WaysSettings = Required<Omit<WaysConfig, 'unlinked'>> & Pick<WaysConfig, 'unlinked'>

/** @throws {InvalidConfiguration} a misspelled word would let in, or move, a person */
export function resolveWays({ ways = {} }: AuthConfig): WaysSettings {
  const { merge = false, unlinked } = ways
  if (typeof merge !== 'boolean')
    throw new InvalidConfiguration('ways.merge must be true or false.')
  if (unlinked !== undefined && unlinked !== 'refuse') {
    throw new InvalidConfiguration('ways.unlinked must be "refuse", or left out.')
  }
  return { merge, ...(unlinked ? { unlinked } : {}) }
}

export function waysSettings({ features }: AuthRequest): Partial<WaysSettings> {
  return features.settings<WaysSettings>('ways') ?? {}
}
