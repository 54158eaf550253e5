import type { AuthError } from '../errors.js'
import { type AuthRequest, nowInSeconds } from '../http/request.js'
import { dayOf } from './announce.js'
import { changePerson, type Person, type ReadPerson, withWay } from './documents.js'

/**
 * Notes that a person has signed in with a way, once a day. Where that fails the list is a day late, and the
 * person is signed in.
 *
 * @param read their document, as this request has read it
 */
export async function noteUse(
  request: AuthRequest,
  sub: string,
  way: string,
  read?: ReadPerson,
): Promise<void> {
  const used = dayOf(nowInSeconds(request))
  try {
    const change = (known: Person | undefined) => {
      const kept = known?.ways.find((one) => one.way === way)
      return known && kept && kept.used !== used
        ? withWay(known, way, { ...kept, used })
        : undefined
    }
    await changePerson(request, sub, change, read)
  } catch (error) {
    request.config.logger.error(error as AuthError)
  }
}
