import { passkey as kind } from '../features/passkeys/kind.js'
import type { PasskeyConfig, PasskeyUserConfig } from '../types.js'

/**
 * Sign-in with passkeys (WebAuthn Level 3): by autofill or a button, and new accounts with one prompt.
 * `rpName` is what browsers call your site; passkeys belong to `rpId`, by default the host.
 *
 * @example
 * passkey({ rpName: 'Example' })
 * @example
 * passkey({ rpName: 'Example', rpId: 'example.com', origins: ['https://example.de'] })
 */
export default function passkey(options: PasskeyUserConfig = {}): PasskeyConfig {
  return { ...options, id: 'passkey', name: 'Passkey', type: 'webauthn', kind }
}
