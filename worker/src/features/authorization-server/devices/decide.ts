import type { SessionClaims } from '@latchkey/session'
import { InvalidCheck } from '../../../errors.js'
import type { Outcome } from '../../../http/outcome.js'
import type { AuthRequest } from '../../../http/request.js'

/** What a person has decided about a device. @throws {InvalidCheck} */
export async function decideDevice(
  _request: AuthRequest,
  _claims: SessionClaims,
  _device: string,
  _isAllowed: boolean,
): Promise<Outcome> {
  throw new InvalidCheck('No device waits for a decision.')
}
