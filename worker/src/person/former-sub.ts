import type { PersonWay } from './person.js'
import { subjectOf } from './subject.js'
import { CREDENTIALS, handleOf, ownSubOf } from './way-document.js'

/**
 * The `sub` that a person may have begun with by a way that belongs to another person now. For a
 * credential, it follows from its handle. The handle is ours, so an attacker cannot choose it.
 */
export async function formerSubOf(entry: PersonWay): Promise<string> {
  return ownSubOf(entry.way) ?? subjectOf(CREDENTIALS, handleOf(entry) ?? '')
}
