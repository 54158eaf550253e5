import type { User } from '@latchkey/session'

/** The kind of sign-in that a provider offers. */
export type ProviderType =
  | 'oauth'
  | 'oidc'
  | 'email'
  | 'credentials'
  | 'webauthn'
  | 'password'
  | 'company'

type Text = string | null

/** Fine-grained permission of an access token (RFC 9396). Its members depend on `type`. */
export interface AuthorizationDetails {
  readonly type: string
  readonly [member: string]: unknown
}

/** A provider's answer from its token endpoint (RFC 6749, section 5.1). */
export interface TokenSet {
  readonly access_token?: string
  readonly refresh_token?: string
  readonly id_token?: string
  readonly scope?: string
  /** Always in lower case, since the value is case insensitive. */
  readonly token_type?: Lowercase<string>
  /** Lifetime of the access token, in seconds. */
  readonly expires_in?: number
  /** When the access token ends, in seconds since the epoch; calculated from `expires_in`. */
  readonly expires_at?: number
  readonly authorization_details?: readonly AuthorizationDetails[]
  /** Other members of the provider, such as `open_id` or `refresh_expires_in`. */
  readonly [member: string]: unknown
}

/** The provider account that was used to sign in, with the answer of its token endpoint. */
export interface Account extends TokenSet {
  /** The provider's id. */
  provider: string
  type: ProviderType
  /**
   * OAuth and OpenID: the `id` that `profile()` returned; email and password: the address;
   * credentials: the `id` that `authorize()` returned, or the address in lower case; passkeys: the credential's id in base64url.
   */
  providerAccountId: string
  /** The stable id of the user, the session's `sub`. */
  userId?: string
}

/** The provider account that is no way to sign in any more. */
export interface UnlinkedAccount {
  readonly provider: string
  /** Left out if it is not known: of a first way, or after the secret was retired that sealed it. */
  readonly providerAccountId?: string
  /** The `sub` of the person. */
  readonly userId: string
}

/**
 * A person as their provider describes them: the standard claims, and other members that it sends.
 */
export interface Profile {
  id?: Text
  sub?: Text
  name?: Text
  given_name?: Text
  family_name?: Text
  middle_name?: Text
  nickname?: Text
  preferred_username?: Text
  profile?: Text
  picture?: unknown
  website?: Text
  email?: Text
  email_verified?: boolean | null
  gender?: Text
  birthdate?: Text
  zoneinfo?: Text
  locale?: Text
  phone_number?: Text
  updated_at?: string | number | Date | null
  address?: {
    country?: Text
    formatted?: Text
    locality?: Text
    postal_code?: Text
    region?: Text
    street_address?: Text
  } | null
  [claim: string]: unknown
}

/**
 * The value that the `jwt` callback keeps between requests: encrypted in the session record, never
 * sent.
 */
export interface JWT {
  sub?: string
  name?: Text
  email?: Text
  picture?: Text
  [claim: string]: unknown
}

/**
 * A provider's access token that is valid for another minute at least, or why there is none: no
 * user is signed in; the provider gave no token; the provider wants the person to sign in again; or
 * it could not be refreshed just now, so try later; or the operator has blocked the person.
 */
export type AccessToken =
  | {
      readonly ok: true
      readonly accessToken: string
      /** In lower case, such as `bearer`. */
      readonly tokenType: string
      readonly scope?: string
      /** Seconds since the epoch. Left out if the provider does not say. */
      readonly expiresAt?: number
    }
  | {
      readonly ok: false
      readonly reason: 'signed-out' | 'no-token' | 'sign-in-needed' | 'unavailable' | 'blocked'
    }

/** A person as `authorize()` describes them: with an `id`, or an `email` that takes its place. */
export type AuthorizedUser = DescribedUser &
  ({ readonly id: string | number } | { readonly email: string })

/**
 * A person as `profile()` or `authorize()` describes them. A number as `id` becomes text; of
 * `emailVerified` the boolean `true` counts, and nothing else: no text, number or date.
 */
export type DescribedUser = Omit<User, 'id' | 'emailVerified'> & {
  id?: string | number
  emailVerified?: unknown
}
