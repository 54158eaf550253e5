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

/** The event of each operation that changes something. A test holds it against the list of operations. */
const EVENTS: Readonly<Record<string, (of: Of, second: unknown) => Done>> = {
  endSessions: ({ except }) => ({
    event: 'sessions-ended',
    which: except === undefined ? 'all' : 'others',
  }),
  endSession: () => ({ event: 'sessions-ended', which: 'one' }),
  refreshClaims: ({ session }) => ({
    event: 'claims-refreshed',
    which: session === undefined ? 'all' : 'one',
  }),
  blockPerson: ({ reason }) => ({
    event: 'person-blocked',
    ...(reason === undefined ? {} : { reason }),
  }),
  unblockPerson: () => ({ event: 'person-unblocked' }),
  deletePerson: () => ({ event: 'person-erased' }),
  resetFactors: () => ({ event: 'factor-removed' }),
  removePassword: () => ({ event: 'password-removed' }),
  disconnect: (_, provider) => ({ event: 'disconnected', provider: String(provider) }),
  endApp: () => ({ event: 'app-removed' }),
  createKey: () => ({ event: 'key-created' }),
  endKey: () => ({ event: 'keys-ended' }),
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
  const { operator } = request
  const isRead = operator !== BINDING && READS.includes(name)
  const done = Object.hasOwn(EVENTS, name) ? EVENTS[name]?.(of, second) : undefined
  if ((!done && !isRead) || of.sub === undefined) return
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
