import type { TokenSet } from '../types.js'

/** A provider that has not answered whole by then counts as silent. Milliseconds. */
export const MAX_WAIT = 10_000

/** What a finished flow brought: the tokens, and the provider's description of the person. */
export interface Exchanged {
  readonly tokens: TokenSet
  readonly profile: Record<string, unknown>
}
