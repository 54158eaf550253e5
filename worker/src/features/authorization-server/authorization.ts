import type { Rest } from './kept-consents.js'

/** What a person lets an app do: the facts of a code, of a device's consent, and of a grant. Times are seconds. */
export interface Authorization {
  /** Names the grant, as a `sid` names a session. 22 to 64 base64url characters; not a credential. */
  readonly handle: string
  readonly sub: string
  /** The `client_id`. */
  readonly app: string
  /** The `aud` of access tokens; the issuer itself if no resource was named. */
  readonly resource: string
  /** The granted scopes, in the order in which the app asked. */
  readonly scopes: readonly string[]
  /** When the session began; with `offline_access`, when the person decided. */
  readonly began: number
  /** When the person last signed in or stepped up. */
  readonly authTime: number
  /** How they did, as in the session token. */
  readonly amr: readonly string[]
  /** The name of the person in the session token. */
  readonly pid: string | undefined
  /** The session to which the grant belongs; `undefined` with `offline_access`. */
  readonly sid: string | undefined
  /** The session in which the person decided: that of the ID token, to which the grant need not belong. */
  readonly session: string
  /** When the session ends, as of now; with `offline_access`, a year after {@link began}. */
  readonly sexp: number
  /** The claims of UserInfo for the granted scopes: `name`, `picture`, `email`, `email_verified`. */
  readonly profile: Readonly<Record<string, unknown>>
  /** The documents on which it depends until the app has begun. Earlier versions leave them out. */
  readonly rests?: readonly Rest[]
}

/** An authorization that a browser takes to its app. */
export interface Code extends Authorization {
  readonly redirectUri: string
  /** The `code_challenge` of the request, by `S256`. */
  readonly challenge: string
  readonly nonce: string | undefined
}
