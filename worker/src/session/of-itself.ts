import type { AuthRequest } from '../http/request.js'
import { readClaim } from '../person/claim.js'
import { readDocument } from '../person/documents.js'
import { ownSubOf, readWay, wayKey } from '../person/way-document.js'
import { liveRecords } from './list.js'
import { wayOfRecord } from './session-way.js'

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
