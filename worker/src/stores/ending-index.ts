import { NAME_LENGTH } from '@latchkey/session/internal'
import type { EndedSession } from '@latchkey/session/issue'

/** Stands in no handle. */
const BETWEEN = '.'

/**
 * Handles of ended sessions by their beginnings. There are two generations, so that forgetting costs
 * nothing: a handle stays for up to twice as long as it matters, which is harmless.
 */
export class EndingIndex {
  /** Handles that begin alike are one text. */
  #young = new Map<string, string>()
  #old: ReadonlyMap<string, string> = new Map()
  /** When the young generation began. Seconds. */
  #began: number

  constructor(sids: Iterable<string>, now: number) {
    this.#began = now
    for (const sid of sids) this.add(sid)
  }

  add(sid: string): void {
    const name = sid.slice(0, NAME_LENGTH)
    const known = this.#young.get(name)
    if (known === undefined) this.#young.set(name, sid)
    else if (!known.split(BETWEEN).includes(sid)) {
      this.#young.set(name, known + BETWEEN + sid)
    }
  }

  /** @param keep how long an ending matters. Seconds */
  learn(sessions: readonly EndedSession[], keep: number, now: number): void {
    if (now - this.#began > keep) {
      this.#old = this.#young
      this.#young = new Map()
      this.#began = now
    }
    for (const { sid } of sessions) this.add(sid)
  }

  /** The handles that begin as one of the names does. */
  among(names: readonly string[]): string[] {
    const found = new Set<string>()
    for (const name of names) {
      for (const generation of [this.#young, this.#old]) {
        for (const sid of generation.get(name)?.split(BETWEEN) ?? []) found.add(sid)
      }
    }
    return [...found]
  }
}
