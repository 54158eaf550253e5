import type { Isolate, SimulatedSession } from './isolate.js'
import type { Seen } from './schedule.js'
import type { World } from './world.js'

/** A session that is over. */
export interface Ended {
  readonly session: SimulatedSession
  /** Milliseconds. */
  readonly at: number
  /** The names of the ledger's objects that know of it. */
  readonly objects: readonly string[]
}

interface Parts {
  readonly world: World
  /** All that there are now. */
  readonly isolates: readonly Isolate[]
  readonly seen: Seen
  readonly violate: (what: string) => void
}

/** People who sign in, sign out here and everywhere, and use names up, while things fail. */
export class FaultyPeople {
  readonly ended: readonly Ended[] = []
  /** Sessions without a call to end them. */
  readonly live: ReadonlySet<SimulatedSession> = new Set()
  /** The Cookie header of each session. */
  readonly cookies = new Map<SimulatedSession, string>()
  isStopped = false
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  begin(): void {
    this.#often(2, async () => void (await this.#signIn(this.#isolate)))
    this.#often(1, () => this.#signOut())
    this.#often(3, () => this.#signOutEverywhere())
    this.#often(2, () => this.#useOnce())
    this.#often(2, () => this.#renew())
  }

  /** Their tokens have ended. */
  forget(): void {
    ;(this.ended as Ended[]).length = 0
    ;(this.live as Set<SimulatedSession>).clear()
  }

  #often(seconds: number, work: () => Promise<void>): void {
    const { world } = this.#parts
    const next = () => {
      if (this.isStopped) return
      void work().catch(() => {})
      world.after(world.exponential(seconds * 1000), next)
    }
    world.after(world.exponential(seconds * 1000), next)
  }

  async #signIn(isolate: Isolate, sub?: string): Promise<SimulatedSession> {
    const now = Math.floor(this.#parts.world.now() / 1000)
    const ids = sub === undefined ? isolate.drawIds() : { sub, sid: isolate.drawSid(sub) }
    const session = { ...ids, auth_time: now - 1, sexp: now + 86_400 }
    this.cookies.set(session, await isolate.cookieOf(session))
    ;(this.live as Set<SimulatedSession>).add(session)
    return session
  }

  async #signOut(): Promise<void> {
    const { world } = this.#parts
    const isolate = this.#isolate
    const session = await this.#signIn(isolate)
    await world.sleep(world.random() * 3_000)
    this.#leave([session])
    await isolate.signOut(session)
    this.#hasEnded([session])
  }

  /** One of the sessions is missing in the list of sessions that are ended one by one. */
  async #signOutEverywhere(): Promise<void> {
    const { world } = this.#parts
    const isolate = this.#isolate
    const first = await this.#signIn(isolate)
    const listed = await this.#signIn(this.#isolate, first.sub)
    const unlisted = await this.#signIn(this.#isolate, first.sub)
    await world.sleep(2_000)
    const all = [first, listed, unlisted]
    this.#leave(all)
    await isolate.signOutEverywhere([first, listed])
    this.#hasEnded(all)
    // A user who signs in again stays signed in.
    await world.sleep(3_000)
    await this.#signIn(isolate, first.sub)
  }

  #leave(sessions: readonly SimulatedSession[]): void {
    for (const session of sessions) (this.live as Set<SimulatedSession>).delete(session)
  }

  #hasEnded(sessions: readonly SimulatedSession[]): void {
    const { isolates, seen, world } = this.#parts
    const all = sessions.flatMap((session) => isolates.flatMap((one) => one.objectsOf(session)))
    const objects = [...new Set(all)]
    for (const session of sessions) {
      ;(this.ended as Ended[]).push({ session, at: world.now(), objects })
    }
    seen.ends += sessions.length
  }

  /** Several isolates use up the same name at once, and one more later. */
  async #useOnce(): Promise<void> {
    const { world, seen, violate } = this.#parts
    const name = `flow:${world.id()}`
    const attempt = async (isolate: Isolate) => {
      await world.sleep(world.random() * 50)
      return isolate.use('flow', 900, name).catch(() => false)
    }
    const together = await Promise.all([1, 2, 3].map(() => attempt(this.#isolate)))
    await world.sleep(world.random() * 8_000)
    const won = [...together, await attempt(this.#isolate)].filter(Boolean).length
    seen.onceWon += won
    if (won > 1) violate(`${won} callers used up one name`)
  }

  /** The ledger decides on a renewal: an ended session is over at once, and no other one. */
  async #renew(): Promise<void> {
    const { world, seen, violate } = this.#parts
    const ended = this.ended.length > 0 ? world.pick(this.ended).session : undefined
    const live = this.live.size > 0 ? world.pick([...this.live]) : undefined
    const goesOn = async (session: SimulatedSession) =>
      this.#isolate.renew(session, false).catch(() => undefined)
    if (ended && (await goesOn(ended))) violate('an ended session was renewed')
    if (!live) return
    const answer = await goesOn(live)
    if (answer === false && this.live.has(live)) violate('a live one was not renewed')
    if (answer) seen.renewed++
  }

  get #isolate(): Isolate {
    return this.#parts.world.pick(this.#parts.isolates)
  }
}
