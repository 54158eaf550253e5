import type { HostConfig } from './host-config.js'

/** The cookies of sessions that may move in if the service is elsewhere, before any prefix. */
const USUAL = ['authjs.session-token', 'better-auth.session_token']

/**
 * The pause before the service is asked again, after it has said that no session moves in.
 * Milliseconds.
 */
const PAUSE = 5 * 60_000

/** Which requests may have the session of a library that the app has used before. */
export class OldCookies {
  readonly #names: readonly string[]
  readonly #until: number
  #pausedUntil = 0

  private constructor(names: readonly string[], until: number) {
    this.#names = names
    this.#until = until
  }

  /**
   * @param isForwarded the service is elsewhere, and has a configuration of its own
   * @returns `undefined`: no session moves in
   */
  static of({ migrateFrom }: HostConfig, isForwarded: boolean): OldCookies | undefined {
    // The service itself judges the entries, and reports a bad one.
    const sources = Array.isArray(migrateFrom) ? migrateFrom : []
    const names = sources.flatMap((entry) => entry?.cookies?.[0] ?? [])
    if (isForwarded)
      return new OldCookies([...new Set([...USUAL, ...names])], Number.POSITIVE_INFINITY)
    return names.length === 0
      ? undefined
      : new OldCookies(names, Math.max(...sources.map(({ until }) => until)))
  }

  /** May the header have one? @param now milliseconds since the epoch */
  mayBeIn(cookie: string, now: number): boolean {
    if (!this.#names.some((name) => cookie.includes(name))) return false
    return now < this.#until && now >= this.#pausedUntil
  }

  /** Called after the service has said that no session moves in. */
  pause(now: number): void {
    this.#pausedUntil = now + PAUSE
  }
}
