import { deviceCountOfCodes } from '../../http/device-cookie.js'
import { DAY, HOUR, networkName, triesBy, triesFrom, waitInLedger } from '../../http/limits.js'
import { tryByNetwork } from '../../http/network-limit.js'
import type { AuthRequest } from '../../http/request.js'
import { keyOfSub } from '../../lib/key-of-sub.js'

/** A try of a second factor's code, as the limits see it. */
export interface FactorAttempt {
  /** Seconds to wait; 0: go ahead. */
  readonly wait: number
  /** To be called when the code was right. */
  readonly forgive: () => Promise<void>
}

/**
 * May a code of a second factor be tried? Tries are counted as those of passwords, by network and
 * by person, before the code is judged. A right code ends the count, so that it counts only wrong
 * codes in a row. A stranger with the first factor alone has three chances in ten thousand a day
 * (NIST SP 800-63B, 3.2.2), and does not lock out a browser in which the person has given a code
 * before.
 *
 * @param limited the key of the first factor's name, in the ledger
 * @param added when the factor was set up, in seconds
 * @throws {StoreUnavailable}
 */
export async function tryFactor(
  request: AuthRequest,
  sub: string,
  limited: string,
  added: number,
): Promise<FactorAttempt> {
  const key = await factorsOf(sub)
  const device = await deviceCountOfCodes(request, sub, limited, added)
  const here = await tryByNetwork(request, key)
  const fromAnywhere = [
    { name: 'codes', max: 30, period: HOUR },
    { name: 'codes of a day', max: 100, period: DAY },
  ]
  const network = async () => triesFrom(await networkName(request), true)
  const limits =
    here.wait > 0 ? [] : device ? triesBy(device) : [...(await network()), ...fromAnywhere]
  return {
    wait: here.wait || (await waitInLedger(request, [key], limits)),
    async forgive() {
      here.takeBack()
      const names = limits.map(({ name }) => name)
      await request.stores.ledger.forgive(key, names)
    },
  }
}

/** The key of a person's second factor. */
export async function factorsOf(sub: string): Promise<string> {
  return `factor:${await keyOfSub(sub)}`
}
