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
}

/**
 * Sessions that have just ended, whose tokens are shown everywhere, time and again, until they are
 * refused.
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
  #lastAt = Number.NEGATIVE_INFINITY

  constructor(world: World) {
    this.#world = world
  }

  /** Called when the person has been told that the session is over. */
  hasEnded(session: SimulatedSession): void {
    const endedAt = this.#world.now()
    if (!this.isOpen || endedAt - this.#lastAt < Watch.INTERVAL) return
    this.#lastAt = endedAt
    const watched = { session: { ...session }, endedAt }
    for (const reader of this.#readers) reader.watched.add(watched)
    this.#world.after(Watch.LIMIT, () => {
      for (const reader of this.#readers) if (reader.watched.delete(watched)) this.missed++
    })
  }

  /** @param isRefused is this session refused here? */
  reader(
    kind: Kind,
    isRefused: (session: SimulatedSession) => boolean | Promise<boolean>,
  ): { look(): void } {
    const reader: Reader = { kind, watched: new Set() }
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
