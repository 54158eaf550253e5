import type { CredentialsConfig, CredentialsUserConfig } from '../types.js'

/**
 * Sign-in with a user name and password, or with any other fields of a form: without `credentials`,
 * the form asks for `username` and `password`. Answer `null` for an
 * unknown user and for a wrong password alike, and take the same time for both.
 *
 * @example
 * credentials({
 *   credentials: { username: { label: 'User name' }, password: { type: 'password' } },
 *   authorize: async ({ username, password }) => users.verify(username, password),
 * })
 */
export default function credentials(options: CredentialsUserConfig): CredentialsConfig {
  return {
    id: 'credentials',
    name: 'Credentials',
    type: 'credentials',
    ...options,
  }
}
