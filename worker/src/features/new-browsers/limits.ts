import { DAY, HOUR, waitInLedger } from '../../http/limits.js'
import type { AuthRequest } from '../../http/request.js'
import { keyOfSub } from '../../lib/key-of-sub.js'

/**
 * May a person get one more mail about a new browser? An attacker who can sign in as them could otherwise fill their mailbox. These
 * mails are counted by themselves, so that they never keep the mail with a link from the person.
 *
 * @throws {StoreUnavailable}
 */
export async function mayMail(request: AuthRequest, sub: string): Promise<boolean> {
  const limits = [
    { name: 'mails', max: 3, period: HOUR },
    { name: 'mails of a day', max: 6, period: DAY },
  ]
  return (await waitInLedger(request, [await browsersOf(sub)], limits)) === 0
}

/** The key of a person's mails, in the ledger. */
export async function browsersOf(sub: string): Promise<string> {
  return `browsers:${await keyOfSub(sub)}`
}
