import type { AuthRequest } from '../http/request.js'
import { liveRecords } from '../session/list.js'
import { readClaim } from './claim.js'
import { readDocument } from './documents.js'
import { wayOfRecord } from './session-way.js'
import { ownSubOf, readWay, wayKey } from './way-document.js'

/** Is there a trace of an account or an address that has this `sub` of its own? */
export async function isOfItself(request: AuthRequest, sub: string): Promise<boolean> {
  const [account, address, claim, records] = await Promise.all([
    readDocument(request, wayKey(sub)),
    readDocument(request, wayKey(`email:${sub}`)),
    readClaim(request, sub),
    liveRecords(request, sub),
  ])
  if (readWay(account) || readWay(address)) return true
  if (claim.way !== undefined && ownSubOf(claim.way) === sub) return true
  const ways = await Promise.all(records.map((record) => wayOfRecord(request, record)))
  return ways.some((one) => one !== undefined && ownSubOf(one.way) === sub)
}
