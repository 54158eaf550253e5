import type { LogEvent } from '../../types.js'

/** `events-omitted` has a record, but no line of the log. */
type Recorded = LogEvent['event'] | 'events-omitted'

/** A record of its own type, so that the compiler misses no event. */
const NAMES: Readonly<Record<Recorded, true>> = {
  'sign-in': true,
  'moved-in': true,
  'sign-in-refused': true,
  'step-up': true,
  'sign-out': true,
  'sessions-ended': true,
  'too-many-attempts': true,
  'way-added': true,
  'way-removed': true,
  'way-confirmed': true,
  disconnected: true,
  'people-merged': true,
  'person-erased': true,
  'factor-set-up': true,
  'factor-removed': true,
  'factor-confirmed': true,
  'recovery-codes-made': true,
  'recovery-code-used': true,
  'accounts-imported': true,
  'key-created': true,
  'keys-ended': true,
  'app-allowed': true,
  'app-removed': true,
  'person-blocked': true,
  'person-unblocked': true,
  'person-read': true,
  'operator-refused': true,
  'events-omitted': true,
}

/** Is it the name of an event that the audit log can have? */
export function isEventName(name: string): name is Recorded {
  return Object.hasOwn(NAMES, name)
}
