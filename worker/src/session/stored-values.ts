import type { SessionClaims } from '@latchkey/session'
import type { SessionRecord } from '../stores/ports.js'
import type { JWT, TokenSet } from '../types.js'
import type { Device } from './device.js'

/** The id, the user and the start of a session. */
export type SessionName = Pick<SessionClaims, 'sub' | 'sid' | 'auth_time' | 'began' | 'pid'>

/** The encrypted part of a record. */
export interface StoredValues {
  /** The value that the `jwt` callback returned. */
  readonly token: JWT
  /** The address that the provider vouches for; left out if it vouches for none. */
  readonly vouched?: string | undefined
  /** The provider's tokens as they were when the record was written. */
  readonly tokens?: ProviderTokens | undefined
  /** The name of the way of the sign-in, if it is not the one that `sub` itself follows from. */
  readonly way?: string | undefined
  /** The device of the sign-in. */
  readonly device?: Device | undefined
  /** Texts that features keep with it. */
  readonly kept?: Readonly<Record<string, string>> | undefined
}

/** A session that goes on, with its stored values. */
export interface StandingSession extends StoredValues {
  readonly record: SessionRecord
  /** When the callbacks are asked: the `iat` of the token. Seconds since the epoch. */
  readonly issued: number
  /** The newest tokens that this request has seen, since they may be refreshed meanwhile. */
  tokens?: ProviderTokens | undefined
}

/** A provider's tokens in a session record. `version` counts how often they were refreshed. */
export interface ProviderTokens
  extends Pick<
    TokenSet,
    'access_token' | 'refresh_token' | 'token_type' | 'scope' | 'expires_in' | 'expires_at'
  > {
  readonly version: number
  /** The provider will not refresh them any more: the person has to sign in again. */
  readonly ended?: true
  /**
   * They are not the session's own tokens: those of the person's connection with the provider
   * count.
   */
  readonly connected?: true
}
