import type { AuthorizationServer } from 'oauth4webapi'
import type { Connection } from './connection.js'
import type { ResolvedOAuthProvider } from './resolve.js'

/**
 * What OpenID Connect adds to OAuth: discovery, and the ID token. A preset of an OpenID provider brings it, and so does the
 * feature `openid`.
 */
export interface OpenId {
  /** The provider's metadata, by the document at `address`. @throws when it cannot be read, or is not this issuer's */
  discover(
    provider: ResolvedOAuthProvider,
    address: URL,
    limited: typeof fetch,
    now: number,
  ): Promise<AuthorizationServer>
  /** @throws when a check fails; the error names the claim and quotes no value */
  verifyIdToken(
    connection: Connection,
    idToken: string,
    expected: ExpectedIdToken,
  ): Promise<IdTokenClaims>
}

/** Claims of an ID token that was verified in full. */
export type IdTokenClaims = Readonly<Record<string, unknown>> & { readonly sub: string }

/** The values that an ID token must match, besides its provider's. */
export interface ExpectedIdToken {
  readonly nonce: string
  readonly accessToken: string
  /** The greatest age of the sign-in at the provider, if one was asked for. Seconds. */
  readonly maxAge?: number | undefined
}
