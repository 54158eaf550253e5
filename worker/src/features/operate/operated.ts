import { CORE_METHOD_EVENTS } from '../../config/core-events.js'
import { METHOD_EVENTS } from '../../config/manifests.js'
import { logEvent } from '../../http/log-event.js'
import { type AuthRequest, BINDING } from '../../http/request.js'
import type { LogEvent } from '../../types.js'
import { recordFirst } from './heard.js'

/** The members of the record of an operation, without its time and the digest of its person. */
type Done = Pick<LogEvent, 'event' | 'provider' | 'which' | 'reason'>

/** The members of an argument that its record needs. */
interface Of {
  readonly sub?: string
  readonly except?: string
  readonly session?: string
  readonly reason?: string
}

/** The event of each method that changes something of a person. */
const EVENTS: Readonly<Record<string, LogEvent['event']>> = {
  ...CORE_METHOD_EVENTS,
  ...METHOD_EVENTS,
}

/** The events that say to which sessions of the person they belong. */
const OF_SESSIONS: ReadonlySet<LogEvent['event']> = new Set(['sessions-ended', 'claims-refreshed'])

function whichOf({ session, except }: Of): 'one' | 'others' | 'all' {
  if (session !== undefined) return 'one'
  return except === undefined ? 'all' : 'others'
}

/** What a key of the operator API reads of a person. */
const READS = ['getPerson', 'listSessions', 'listWays', 'exportPerson']

/**
 * Records what an operator is about to do. An operation that turns out to have nothing to do has a record too: whether it
 * has is known only afterwards.
 *
 * @throws {StoreUnavailable} it cannot be recorded, so it must not run
 */
export async function operated(
  request: AuthRequest,
  name: string,
  [first, second]: readonly unknown[],
): Promise<void> {
  const of: Of = typeof first === 'string' ? { sub: first } : (first ?? {})
  const { operator, features } = request
  const isRead = operator !== BINDING && READS.includes(name)
  const event = Object.hasOwn(EVENTS, name) ? EVENTS[name] : undefined
  const { takes = [] } = features.methods.operations[name] ?? {}
  if ((!event && !isRead) || of.sub === undefined) return
  const done: Done | undefined = event && {
    event,
    ...(OF_SESSIONS.has(event) ? { which: whichOf(of) } : {}),
    ...(takes[1] === 'provider' ? { provider: String(second) } : {}),
    ...(of.reason === undefined ? {} : { reason: of.reason }),
  }
  await record(request, done ?? { event: 'person-read', method: name }, of.sub, isRead)
}

/**
 * Records that a key of the operator API has found a person, before it hears so.
 *
 * @throws {StoreUnavailable} it cannot be recorded, so the answer must not have the person
 */
export async function recordFound(request: AuthRequest, sub: string): Promise<void> {
  if (request.operator === BINDING) return
  await record(request, { event: 'person-read', method: 'findPerson' }, sub, true)
}

async function record(
  request: AuthRequest,
  event: Done & Pick<LogEvent, 'method'>,
  sub: string,
  isRead: boolean,
): Promise<void> {
  const time = new Date(request.config.now()).toISOString()
  const person = await request.keys.logName(sub)
  await recordFirst(request, { time, ...event, person, by: 'operator' }, { sub })
  // A reading has no other line in the log.
  if (isRead) await logEvent(request, { ...event, sub, by: 'operator' })
}
