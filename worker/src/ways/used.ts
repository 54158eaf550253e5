import type { AuthError } from '../errors.js'
import { type AuthRequest, nowInSeconds } from '../http/request.js'
import { dayOf } from './announce.js'
import { changePerson, withWay } from './documents.js'

/**
 * Notes that a person has signed in with a way, once a day. Where that fails the list is a day late, and the
 * person is signed in.
 */
export async function noteUse(request: AuthRequest, sub: string, way: string): Promise<void> {
  const used = dayOf(nowInSeconds(request))
  try {
    await changePerson(request, sub, (known) => {
      const kept = known?.ways.find((one) => one.way === way)
      return known && kept && kept.used !== used
        ? withWay(known, way, { ...kept, used })
        : undefined
    })
  } catch (error) {
    request.config.logger.error(error as AuthError)
  }
}
