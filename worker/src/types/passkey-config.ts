import type { SignInKind } from './sign-in-kind.js'

/** The options of the passkey provider. */
export interface PasskeyUserConfig {
  /**
   * The site's name in the browser's prompt for a passkey. Default: `AUTH_PASSKEY_NAME`, else
   * `theme.name`.
   */
  readonly rpName?: string
  /**
   * The domain that passkeys belong to: the host of the sign-in page, or a domain above it
   * (WebAuthn Level 3, section 5.1.2). A later change makes every passkey useless. Default:
   * `AUTH_PASSKEY_RP_ID`, else the host.
   */
  readonly rpId?: string
  /**
   * Other origins whose pages may use the same passkeys, such as `https://example.de` (WebAuthn Level 3,
   * section 5.11). Default: `AUTH_PASSKEY_ORIGINS`, else none.
   */
  readonly origins?: readonly string[]
}

/** Sign-in with passkeys. */
export interface PasskeyConfig extends PasskeyUserConfig {
  /** Part of its routes. Default: `passkey`, and nothing else. */
  readonly id: 'passkey'
  /** Its name on the sign-in page. Default: Passkey. */
  readonly name: string
  /** The type of the provider. Default: `passkey()` sets it. */
  readonly type: 'webauthn'
  /** How it signs in. Default: its function sets it, or its `type` says it. */
  readonly kind?: SignInKind
}
