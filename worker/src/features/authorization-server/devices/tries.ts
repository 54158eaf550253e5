import { triesFrom, waitByNetwork } from '../../../http/limits.js'
import { provenNetwork } from '../../../http/network.js'
import type { AuthRequest } from '../../../http/request.js'
import { randomToken } from '../../../lib/base64url.js'
import type { AttemptLimit } from '../../../stores/ledger/types.js'

/** The name under which tries of codes are counted. */
const CODES = 'device-codes'

/** A try of a user code, as the limits see it. */
interface CodeTry {
  /** Seconds to wait; 0: go ahead. */
  readonly wait: number
  /**
   * To be called when a device waits with the code. It takes off this try alone: anybody can start a device, and its code must
   * not make room for more guesses.
   *
   * @throws {StoreUnavailable}
   */
  readonly forgive: () => Promise<void>
}

/**
 * May a code be tried? Counted before it is known whether it is right, so that many at once cannot pass: by network, or by
 * person where that is not known.
 *
 * @throws {StoreUnavailable}
 */
export async function tryCode(request: AuthRequest, sub: string): Promise<CodeTry> {
  const limits = await limitsOf(request, sub)
  const id = randomToken(16)
  const parts = limits.map((limit) => ({ ...limit, name: `${limit.name} of ${id}` }))
  const wait = await waitByNetwork(request, CODES, [...limits, ...parts])
  const [own, whole] = [parts, limits].map((some) => some.map(({ name }) => name))
  return {
    wait,
    async forgive() {
      await request.stores.ledger.forgive(CODES, own ?? [], undefined, whole)
    },
  }
}

async function limitsOf(request: AuthRequest, sub: string): Promise<readonly AttemptLimit[]> {
  // If all people whose network is not known shared one count, one of them could keep the others out. This process counts them
  // together, far above.
  const counted = (await provenNetwork(request)) ?? (await request.keys.pseudonyms.of(sub))
  return triesFrom(counted, true)
}
