import type { SessionClaims } from '../token/claims.js'
import { FEED_NAME_LENGTH, MAX_FEED_NAMES } from './revocations.js'

/** Every question is unique, so that an earlier answer cannot fit it. */
const ONCE = 1
/** A session and its person are two names. */
const IN_ONE = Math.floor((MAX_FEED_NAMES - ONCE) / 2)
/** The most questions of one look. */
const MAX_QUESTIONS = 64
/**
 * How many sessions are asked about, again and again. The first one beyond it is asked about when
 * it is read.
 */
export const MAX_SESSIONS = MAX_QUESTIONS * IN_ONE

export type Named = Pick<SessionClaims, 'sid' | 'pid'>

interface InUse extends Named {
  /** Milliseconds. */
  usedAt: number
}

/** The sessions that are read here, which the service is asked about. */
export class SessionsInUse {
  readonly #sessions = new Map<string, InUse>()

  /** Is this session asked about? Then it is in use still. @param now milliseconds */
  has({ sid, pid }: Named, now: number): boolean {
    const current = this.#sessions.get(sid)
    if (current === undefined || (current.pid === undefined && pid !== undefined)) return false
    current.usedAt = now
    return true
  }

  add({ sid, pid }: Named, now: number): void {
    this.#sessions.delete(sid)
    if (this.#sessions.size >= MAX_SESSIONS) {
      for (const [first] of this.#sessions) {
        this.#sessions.delete(first)
        break
      }
    }
    this.#sessions.set(sid, { sid, usedAt: now, ...(pid === undefined ? {} : { pid }) })
  }

  /** One that has ended is refused whatever becomes of it. */
  delete(sid: string): void {
    this.#sessions.delete(sid)
  }

  /**
   * The sessions that were read after a time. It forgets the others.
   * @param time milliseconds
   */
  since(time: number): Named[] {
    for (const [sid, { usedAt }] of this.#sessions) {
      if (usedAt < time) this.#sessions.delete(sid)
    }
    return [...this.#sessions.values()]
  }
}

/** Sessions for one question each. */
export function inQuestions(sessions: readonly Named[]): Named[][] {
  return Array.from({ length: Math.ceil(sessions.length / IN_ONE) }, (_, index) =>
    sessions.slice(index * IN_ONE, (index + 1) * IN_ONE),
  )
}

/** The names of sessions and of their people, as the service is asked for them. @param once random, as long as a name */
export function questionOf(sessions: readonly Named[], once: string): string {
  const names = new Set<string>([once])
  for (const { sid, pid } of sessions) {
    names.add(sid.slice(0, FEED_NAME_LENGTH))
    if (pid !== undefined) names.add(pid.slice(0, FEED_NAME_LENGTH))
  }
  return [...names].join('')
}
