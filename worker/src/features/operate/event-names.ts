import { CORE_EVENTS } from '../../config/core-events.js'
import { EVENTS } from '../../config/manifests.js'
import type { LogEvent } from '../../types.js'

/** `events-omitted` has a record, but no line of the log. */
const ALL: ReadonlySet<string> = new Set([...CORE_EVENTS, ...EVENTS, 'events-omitted'])

/** Is it the name of an event that the audit log can have? */
export function isEventName(name: string): name is LogEvent['event'] | 'events-omitted' {
  return ALL.has(name)
}
