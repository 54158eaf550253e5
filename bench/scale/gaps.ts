import type { LedgerObjects } from './ledger-objects.js'

/** An end is seen in the Worker, and in an app, so long after it, and after faults that hid it. Milliseconds. */
export const LIMITS = { isolate: 5_000, app: 15_000 }

/** A message that is lost beside another fault makes an end late by one more look. Milliseconds. */
const ONE_LOOK = 4_000

/** A time in which no endings of some objects, or none at all, can pass. Milliseconds. */
interface Gap {
  readonly from: number
  readonly to: number
  /** The objects and isolates inside learn nothing, and nothing learns from them. */
  readonly location?: number
  readonly object?: string
}

/** An isolate or an app, which learns of endings. */
interface Learner {
  readonly location: number
  /** When it began, knowing nothing. Milliseconds. */
  readonly begun: number
}

/** The times in which faults hid an end from a verifier. */
export class Gaps {
  readonly #gaps: Gap[] = []
  /** When messages were lost. */
  readonly #losses: number[] = []
  readonly #objects: LedgerObjects

  constructor(objects: LedgerObjects) {
    this.#objects = objects
  }

  add(gap: Gap): void {
    this.#gaps.push(gap)
  }

  /** A message was lost. Beside no other fault that makes nothing late. */
  lose(at: number): void {
    this.#losses.push(at)
  }

  /**
   * The time from which the limit of an end counts. @param objects that know of the end
   */
  from(
    { at, objects }: { readonly at: number; readonly objects: readonly string[] },
    { location, begun }: Learner,
    limit: number,
  ): number {
    const places = objects.map((name) => this.#objects.named(name)?.place.location ?? 0)
    const isBesides = (lost: number) =>
      this.#gaps.some(
        ({ from, to }) => from - LIMITS.isolate <= lost && lost <= to + LIMITS.isolate,
      )
    const losses = this.#losses.filter(isBesides)
    const gaps = [
      ...this.#gaps,
      ...losses.map((lost): Gap => ({ from: lost, to: lost + ONE_LOOK })),
    ]
    const hidden = gaps.filter((gap) => {
      if (gap.object !== undefined) return objects.includes(gap.object)
      return gap.location === undefined || [location, ...places].includes(gap.location)
    })
    let from = at
    for (const gap of hidden) {
      // A process that starts in a gap waits a second for the hidden endings, and goes on with its
      // own list.
      const isNew = gap.from <= begun + limit && begun < gap.to
      if (isNew || gap.from <= from + limit) from = Math.max(from, gap.to)
    }
    return from
  }
}
