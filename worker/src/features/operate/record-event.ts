import { answerWithin } from '@latchkey/session/internal'
import type { AuthRequest } from '../../http/request.js'
import { randomToken } from '../../lib/base64url.js'
import type { EventPeople } from '../../service/feature.js'
import { withRetries } from '../../stores/retry.js'
import type { AuditEntry, LogEvent } from '../../types.js'
import { AuditLost, unavailable } from './audit-lost.js'
import { entryOf } from './entry.js'
import { type Metrics, type OperateSettings, settingsOf } from './settings.js'

/** An answer waits no longer for its record. Milliseconds. */
const PATIENCE = 3_000
/** A record is sent again if there is no answer by then: the first call may be lost. Milliseconds. */
const AGAIN = [1_000]

/** The records that a request has written before its operation ran, by event and person. */
const written = new WeakMap<AuthRequest, Set<string>>()

/** Counts an event of the log, and writes its record unless {@link recordFirst} did. It never throws. */
export async function recordEvent(
  request: AuthRequest,
  event: LogEvent,
  people: EventPeople,
): Promise<void> {
  const { audit, metrics } = settingsOf(request)
  if (metrics) count(metrics, event)
  if (!audit || written.get(request)?.has(nameOf(event))) return
  const entry = await entryOf(request, event)
  try {
    await write(audit, entry, people)
  } catch (error) {
    request.config.logger.error(new AuditLost(entry, error))
  }
}

/**
 * Writes the record of what an operator is about to do. The event of the log that follows has no further one.
 *
 * @throws {StoreUnavailable} there may be no record, so nothing may be done
 */
export async function recordFirst(
  request: AuthRequest,
  event: LogEvent,
  people: EventPeople,
): Promise<void> {
  const { audit } = settingsOf(request)
  if (!audit) return
  await write(audit, await entryOf(request, event), people)
  const names = written.get(request) ?? new Set()
  written.set(request, names.add(nameOf(event)))
}

/** @throws {StoreUnavailable} */
async function write(
  { log }: NonNullable<OperateSettings['audit']>,
  entry: AuditEntry,
  people: EventPeople,
): Promise<void> {
  const place = log.placeOf({ ...people, network: entry.network })
  const nonce = randomToken(16)
  // After a failure, a stub may fail at each further call.
  const send = async () => log.at(place).record(place.name, entry, nonce)
  try {
    await answerWithin(PATIENCE, withRetries(send, AGAIN))
  } catch (error) {
    throw unavailable('write', error)
  }
}

function nameOf({ event, person }: LogEvent): string {
  return `${event} ${person}`
}

/** One data point. It has nothing about a person, a network or a key. */
function count(metrics: Metrics, { event, provider, by, error, code }: LogEvent): void {
  try {
    const blobs = [event, provider, by, error, code].map((text) => text ?? '')
    metrics.writeDataPoint({ indexes: [event], blobs, doubles: [1] })
  } catch {
    // The event is in the log.
  }
}
