import type { SignInKind } from './sign-in-kind.js'

/** The options of the passkey provider. */
export interface PasskeyUserConfig {
  /** What browsers call the site where they ask for a passkey. Default: `AUTH_PASSKEY_NAME`. */
  readonly rpName?: string
  /**
   * The domain that passkeys belong to: the host that people sign in at, or a domain above it
   * (WebAuthn Level 3, section 5.1.2). Whoever changes it later makes every passkey useless. Default:
   * `AUTH_PASSKEY_RP_ID`, else the host.
   */
  readonly rpId?: string
  /**
   * Other origins whose pages may use the same passkeys, such as `https://example.de` (WebAuthn Level 3,
   * section 5.11). Default: `AUTH_PASSKEY_ORIGINS`, with commas between them.
   */
  readonly origins?: readonly string[]
}

/** Sign-in with passkeys. */
export interface PasskeyConfig extends PasskeyUserConfig {
  readonly id: 'passkey'
  readonly name: string
  readonly type: 'webauthn'
  readonly kind?: SignInKind
}
