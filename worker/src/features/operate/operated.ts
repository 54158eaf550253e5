import { logEvent } from '../../http/log-event.js'
import { type AuthRequest, BINDING } from '../../http/request.js'
import type { LogEvent } from '../../types.js'
import { METHOD_EVENTS } from './method-events.js'
import { recordFirst } from './record-event.js'

/** The members of the record of an operation, without its time and the digest of its person. */
type Done = Pick<LogEvent, 'event' | 'provider' | 'which' | 'reason'>

/** The members of an argument that its record needs. */
interface Of {
  readonly sub?: string
  readonly except?: string
  readonly session?: string
  readonly reason?: string
}

/** What the record of an operation says besides its event, by the kinds of its arguments. */
function details(
  [kind, other]: readonly string[],
  { except, session, reason }: Of,
  second: unknown,
): Partial<Done> {
  if (kind === 'whose') return { which: except === undefined ? 'all' : 'others' }
  if (kind === 'session') return { which: 'one' }
  if (kind === 'claims') return { which: session === undefined ? 'all' : 'one' }
  if (kind === 'block') return reason === undefined ? {} : { reason }
  return other === 'provider' ? { provider: String(second) } : {}
}

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
  const takes = request.features.methods.operations[name]?.takes ?? []
  const event = Object.hasOwn(METHOD_EVENTS, name) ? METHOD_EVENTS[name] : undefined
  // What takes a person and changes nothing reads them.
  const isRead = event === undefined && takes[0] === 'sub' && request.operator !== BINDING
  if ((!event && !isRead) || of.sub === undefined) return
  const done: Done = { event: event ?? 'person-read', ...(event && details(takes, of, second)) }
  await record(request, isRead ? { ...done, method: name } : done, of.sub, isRead)
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
