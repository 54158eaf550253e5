import { EVENTS } from '../../config/manifests.js'
import type { CoreEvent } from '../../types/log-event.js'
import type { LogEvent } from '../../types.js'

/** A record of its own type, so that the compiler misses no event. */
const NAMES: Readonly<Record<CoreEvent, true>> = {
  'sign-in': true,
  'sign-in-refused': true,
  'step-up': true,
  'sign-out': true,
  'sessions-ended': true,
  'claims-refreshed': true,
  'too-many-attempts': true,
  'person-blocked': true,
  'person-unblocked': true,
}

/** `events-omitted` has a record, but no line of the log. */
const ALL: ReadonlySet<string> = new Set([...Object.keys(NAMES), ...EVENTS, 'events-omitted'])

/** Is it the name of an event that the audit log can have? */
export function isEventName(name: string): name is LogEvent['event'] | 'events-omitted' {
  return ALL.has(name)
}
