import { checkIssuer } from '../../http/known-origin.js'
import type { AuthRequest } from '../../http/request.js'
import { ServerFault } from './oauth-error.js'

/**
 * Called before a token begins that rests on no sign-in here, and before the audience of an assertion counts. If a header may name
 * the host, a party that gets an assertion for another server could bring it here under that server's name.
 *
 * @throws {ServerFault} only the request says that its host is ours
 */
export function checkOwnIssuer(request: AuthRequest): void {
  try {
    checkIssuer(request)
  } catch (cause) {
    const fault = 'No assertion and no machine counts here: nothing but the request names its host.'
    throw new ServerFault(fault, { cause })
  }
}
