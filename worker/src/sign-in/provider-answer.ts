import type { TokenSet } from '../types.js'

/**
 * The time that a provider has for all its answers to one sign-in, or to one request for tokens.
 * Milliseconds.
 */
export const MAX_WAIT = 10_000

/** The result of a finished flow: the tokens, and the provider's description of the person. */
export interface Exchanged {
  readonly tokens: TokenSet
  readonly profile: Record<string, unknown>
  /**
   * When the person signed in at the provider, if the request asked for that. Seconds since the
   * epoch.
   */
  readonly authTime?: number | undefined
}
