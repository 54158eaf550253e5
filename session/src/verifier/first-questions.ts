import { elapsed, isWorkerd, within } from '../lib/deadline.js'
import { inQuestions, MAX_SESSIONS, type Named } from './sessions-in-use.js'
import { WorkerUnavailable } from './worker-client.js'

/** A question that comes within this time is asked at once. Milliseconds. */
const GATHERING = 5
/** The longest time that a read waits. Milliseconds. */
const MAX_WAIT = 2_000
/** After a question without an answer, reads fail for this time without waiting. Milliseconds. */
const PAUSE = 1_000
/** How many questions are under way at the same time. */
const MAX_UNDER_WAY = 6

interface Waiting {
  readonly session: Named
  readonly answer: Promise<boolean>
  readonly settle: (isAnswered: boolean) => void
}

interface QuestionOptions {
  /** Learns of their endings. Ends by itself within seconds. */
  readonly ask: (sessions: readonly Named[]) => Promise<unknown>
  readonly now: () => number
  readonly onError: (error: unknown) => void
}

/**
 * Questions about sessions that are read for the first time: a read waits for the service's answer. Several
 * reads share one question.
 */
export class FirstQuestions {
  readonly #options: QuestionOptions
  /** Waiting for a question, or for its answer. By `sid`. */
  readonly #waiting = new Map<string, Waiting>()
  #next: Waiting[] = []
  #underWay = 0
  #isGathering = false
  #failedAt = Number.NEGATIVE_INFINITY

  constructor(options: QuestionOptions) {
    this.#options = options
  }

  /** @throws {WorkerUnavailable} when there is no answer: the session may have ended */
  async ask(session: Named): Promise<void> {
    const { now } = this.#options
    if (elapsed(this.#failedAt, now()) < PAUSE) throw unanswered()
    // A request of a Worker may be broken off, and with it what others would wait for.
    const answer = isWorkerd ? this.#askAbout([session]) : this.#join(session)
    if (await within(MAX_WAIT, answer)) return
    this.#failedAt = now()
    throw unanswered()
  }

  #join(session: Named): Promise<boolean> {
    const known = this.#waiting.get(session.sid)
    if (known) return known.answer
    if (this.#waiting.size >= MAX_SESSIONS) throw unanswered()
    let settle: Waiting['settle'] = () => {}
    const answer = new Promise<boolean>((resolve) => {
      settle = resolve
    })
    const waiting = { session, answer, settle }
    this.#waiting.set(session.sid, waiting)
    this.#next.push(waiting)
    if (!this.#isGathering && this.#underWay < MAX_UNDER_WAY) {
      this.#isGathering = true
      setTimeout(() => {
        this.#isGathering = false
        this.#send()
      }, GATHERING)
    }
    return answer
  }

  #send(): void {
    const sessions = this.#next.map(({ session }) => session)
    const questions = inQuestions(sessions).slice(0, MAX_UNDER_WAY - this.#underWay)
    for (const question of questions) {
      const asked = this.#next.splice(0, question.length)
      this.#underWay++
      this.#askAbout(question).then((isAnswered) => {
        this.#underWay--
        for (const { session, settle } of asked) {
          this.#waiting.delete(session.sid)
          settle(isAnswered)
        }
        this.#send()
      })
    }
  }

  async #askAbout(sessions: readonly Named[]): Promise<boolean> {
    const { ask, onError } = this.#options
    try {
      await ask(sessions)
      return true
    } catch (error) {
      onError(error)
      return false
    }
  }
}

function unanswered(): WorkerUnavailable {
  return new WorkerUnavailable('The auth service did not say whether a session has ended.')
}
