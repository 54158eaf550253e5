import { blockPerson, unblockPerson } from '../session/block-person.js'
import { endSessionsOf } from '../session/end-for-operator.js'
import { endSessionOf, getPerson } from '../session/for-operator.js'
import { listSessionsOf } from '../session/list.js'
import { refreshClaimsOf } from '../session/refresh-claims.js'
import type { Operation } from './feature.js'

/** The methods for the operator that every service has. */
export const OWN_OPERATIONS: Readonly<Record<string, Operation>> = {
  endSessions: endSessionsOf,
  getPerson,
  listSessions: listSessionsOf,
  endSession: endSessionOf,
  blockPerson,
  unblockPerson,
  refreshClaims: refreshClaimsOf,
}
