import { AuthError } from '@latchkey/session'

/** An option or a variable is wrong; the message names it. */
export class InvalidConfiguration extends AuthError {
  static override type: string = 'InvalidConfiguration'
}
