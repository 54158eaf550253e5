import { deviceCount } from '../../http/device-cookie.js'
import { DAY, HOUR, networkName, waitByNetwork } from '../../http/limits.js'
import type { AuthRequest } from '../../http/request.js'
import type { AttemptLimit } from '../../stores/ledger/types.js'

/**
 * May a mail be sent to an address? No mailbox is flooded, and requests of one network do not use
 * up those of the others, nor strangers' those of a browser that has signed in with the address.
 *
 * @param key the address's, in the ledger
 * @returns seconds to wait; 0: go ahead
 * @throws {StoreUnavailable}
 */
export async function waitToMail(request: AuthRequest, key: string): Promise<number> {
  const device = await deviceCount(request, key)
  if (device !== undefined) return waitByNetwork(request, key, mailsFor(device))
  return waitByNetwork(request, key, async () => [
    { name: `mails for ${await networkName(request)}`, max: 5, period: HOUR },
    { name: 'mails', max: 10, period: HOUR },
    { name: 'mails of a day', max: 30, period: DAY },
  ])
}

/**
 * May a code be tried for an address? With these limits an attacker who tries codes every day has one
 * chance in thirty thousand a day (OWASP ASVS 6.5.5; NIST SP 800-63B, 3.2.2). A browser that has signed
 * in with the address has as many of its own.
 */
export async function waitToTryCode(request: AuthRequest, key: string): Promise<number> {
  const device = await deviceCount(request, key)
  const whose = device === undefined ? '' : ` by ${device}`
  return waitByNetwork(request, key, [
    { name: `codes${whose}`, max: 10, period: HOUR },
    { name: `codes of a day${whose}`, max: 30, period: DAY },
  ])
}

/** What a browser that its owner has signed in with may ask for, whatever strangers do. */
function mailsFor(device: string): readonly AttemptLimit[] {
  return [
    { name: `mails for ${device}`, max: 5, period: HOUR },
    { name: `mails of a day for ${device}`, max: 10, period: DAY },
  ]
}
