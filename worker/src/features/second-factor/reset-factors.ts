import type { AuthRequest } from '../../http/request.js'
import { emit } from '../../session/callbacks.js'
import { tell } from '../ways/tell.js'
import { removeFactor } from './person-factor.js'

/**
 * Takes the second factor from a person, for whoever runs the service.
 *
 * @throws {StoreUnavailable} called again, it finishes
 */
export async function resetFactors(request: AuthRequest, sub: string): Promise<void> {
  const person = await removeFactor(request, sub)
  if (!person) return
  await tell(request, { change: 'factor-removed', sub, person, by: 'operator' })
  await emit(request, 'resetFactors', { sub })
}
