import { HOUR, waitInLedger } from '../../http/limits.js'
import type { AuthRequest } from '../../http/request.js'
import { keyOfSub } from '../../lib/key-of-sub.js'

/**
 * May a person begin to add another way to sign in? Each one costs what a sign-in costs, and a write.
 *
 * @returns seconds to wait; 0: go ahead
 * @throws {StoreUnavailable}
 */
export async function waitToAdd(request: AuthRequest, sub: string): Promise<number> {
  return waitInLedger(request, [await addsOf(sub)], [{ name: ADDS, max: 200, period: HOUR }])
}

const ADDS = 'adds'

/** The key of a person's tries to add ways. */
export async function addsOf(sub: string): Promise<string> {
  return `ways:${await keyOfSub(sub)}`
}
