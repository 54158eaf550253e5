import type { PasswordConfig, PasswordUserConfig } from '../types.js'

/**
 * Sign-in with an address and a password, beside a provider `email()`: its mails prove the address before a
 * password is typed, and after one is forgotten. It needs the feature `passwords` and the package `@phi-ag/argon2`
 * (docs/passwords.md).
 *
 * @example
 * createAuth({ providers: [email(), password()], features: [passwords] })
 */
export default function password(options: PasswordUserConfig = {}): PasswordConfig {
  return { name: 'Password', ...options, id: 'password', type: 'password' }
}
