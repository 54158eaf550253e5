import { isRecord } from '@latchkey/session/internal'
import { DamagedRecord } from '../errors.js'
import type { SessionRecord } from './ports.js'

/**
 * A store's answer as the record of a session, without unknown members.
 *
 * @throws {DamagedRecord} for anything but the whole record of this very session
 */
export function wholeRecord(stored: unknown, sub: string, sid: string): SessionRecord {
  if (isRecord(stored) && stored.sub === sub && stored.sid === sid) {
    const { provider, created, updated, expires, sealed } = stored
    const isWhole = typeof provider === 'string' && typeof sealed === 'string'
    if (isWhole && isTime(created) && isTime(updated) && isTime(expires)) {
      return { sub, sid, provider, created, updated, expires, sealed }
    }
  }
  throw new DamagedRecord('A session record is damaged: its session has to begin again.')
}

/** Whole seconds that a date can hold (ECMA-262, 21.4.1.1). */
function isTime(value: unknown): value is number {
  return Number.isInteger(value) && Math.abs(value as number) <= 8.64e12
}
