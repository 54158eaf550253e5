import { CredentialsSignin } from '../../errors.js'
import type { Outcome } from '../../http/outcome.js'
import type { AuthRequest } from '../../http/request.js'

/** The answer to a wrong code: the page that it was typed in. */
export function wrongCode({ issuer }: AuthRequest, page: string): Outcome {
  const error = new CredentialsSignin('A code of a second factor was wrong, or was used before.')
  error.code = 'wrong_code'
  return { kind: 'refusal', error, page: new URL(`${issuer}/${page}`) }
}
