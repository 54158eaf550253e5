import { AuthError } from '../internal/errors.js'
import { SecretError } from '../token/secrets.js'

/**
 * Is an error a mistake in the configuration? Then it is logged, since its client gets no details.
 */
export function logMistake(fault: unknown): fault is AuthError | SecretError {
  if (!(fault instanceof AuthError || fault instanceof SecretError)) return false
  console.error(`${fault.name}: ${fault.message}`)
  return true
}
