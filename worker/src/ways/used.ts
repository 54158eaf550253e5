import type { AuthError } from '../errors.js'
import { type AuthRequest, nowInSeconds } from '../http/request.js'
import { dayOf } from './announce.js'
import { changePerson, type Passkey, type Person, type ReadPerson, withWay } from './documents.js'

/** A use of a way, as the request that proved it knows it. */
interface Use {
  /** The passkey as it is now, where it is one. */
  readonly passkey?: Passkey | undefined
  /** The person's document as it was read. */
  readonly read?: ReadPerson | undefined
}

/**
 * Notes that a person has signed in with a way, once a day, and of a passkey what has changed. Where that
 * fails the list is a day late, and the person is signed in.
 */
export async function noteUse(
  request: AuthRequest,
  sub: string,
  way: string,
  { passkey, read }: Use = {},
): Promise<void> {
  const used = dayOf(nowInSeconds(request))
  const change = (known: Person | undefined) => {
    const kept = known?.ways.find((one) => one.way === way)
    if (!known || !kept) return undefined
    const now = passkey && kept.passkey ? seen(kept.passkey, passkey) : kept.passkey
    if (kept.used === used && now === kept.passkey) return undefined
    return withWay(known, way, { ...kept, used, ...(now ? { passkey: now } : {}) })
  }
  try {
    await changePerson(request, sub, change, read)
  } catch (error) {
    request.config.logger.error(error as AuthError)
  }
}

/** Another request may have seen a greater counter. */
function seen(kept: Passkey, { counter, bs }: Passkey): Passkey {
  const isSame = kept.counter >= counter && kept.bs === bs
  return isSame ? kept : { ...kept, counter: Math.max(kept.counter, counter), bs }
}
