import type { SimulatedSession } from './isolate.js'
import { Samples } from './samples.js'
import type { World } from './world.js'

type Kind = 'isolate' | 'app'

interface Watched {
  readonly session: SimulatedSession
  readonly endedAt: number
}

interface Reader {
  readonly kind: Kind
  readonly watched: Set<Watched>
  readonly concerns: (session: SimulatedSession) => boolean
}

/** A place that is shown tokens. */
interface Shown {
  /** Is this session refused here? */
  readonly isRefused: (session: SimulatedSession) => boolean | Promise<boolean>
  /** Absent: all. */
  readonly concerns?: (session: SimulatedSession) => boolean
}

/**
 * Sessions that have just ended: their tokens are shown in all locations, time and again, until they
 * are refused.
 */
export class Watch {
  /** An end that is seen later was missed. Milliseconds. */
  static readonly LIMIT = 20_000
  /** At most so often is an end watched, since each is shown everywhere. Milliseconds. */
  static readonly INTERVAL = 500

  readonly seen: Readonly<Record<Kind, Samples>> = { isolate: new Samples(), app: new Samples() }
  isOpen = false
  missed = 0
  readonly #world: World
  readonly #readers: Reader[] = []
  /** When a session was last watched: one in use at an app, and any other. */
  readonly #lastAt = new Map<boolean, number>()

  constructor(world: World) {
    this.#world = world
  }

  /** Is there a session that ended, and that a reader has neither seen nor missed? */
  get isWaiting(): boolean {
    return this.#readers.some(({ watched }) => watched.size > 0)
  }

  /** Called when the person has learned that the session is over. */
  hasEnded(session: SimulatedSession): void {
    const endedAt = this.#world.now()
    const concerned = this.#readers.filter(({ concerns }) => concerns(session))
    const isOfApp = concerned.some(({ kind }) => kind === 'app')
    const lastAt = this.#lastAt.get(isOfApp) ?? Number.NEGATIVE_INFINITY
    if (!this.isOpen || endedAt - lastAt < Watch.INTERVAL) return
    this.#lastAt.set(isOfApp, endedAt)
    const watched = { session, endedAt }
    for (const reader of concerned) reader.watched.add(watched)
    this.#world.after(Watch.LIMIT, () => {
      for (const reader of this.#readers) if (reader.watched.delete(watched)) this.missed++
    })
  }

  reader(kind: Kind, { isRefused, concerns = () => true }: Shown): { look(): void } {
    const reader: Reader = { kind, watched: new Set(), concerns }
    this.#readers.push(reader)
    const see = (watched: Watched) => {
      if (!reader.watched.delete(watched)) return
      this.seen[kind].add(this.#world.now() - watched.endedAt)
    }
    return {
      look: () => {
        for (const watched of reader.watched) {
          const answer = isRefused(watched.session)
          if (answer === true) see(watched)
          else if (answer instanceof Promise) void answer.then((is) => is && see(watched))
        }
      },
    }
  }
}
