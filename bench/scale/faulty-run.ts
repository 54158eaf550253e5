import { type Layout, placesOf } from '@latchkey/worker/stores/ledger/placement'
import type { AppReader } from './design.js'
import { today } from './designs/today.js'
import { Isolate, type KvCounts, type SimulatedSession } from './isolate.js'
import { LedgerObjects } from './ledger-objects.js'
import { Network } from './network.js'
import { type Size, sizes } from './sizes.js'
import { type Surroundings, surround } from './surroundings.js'
import { World } from './world.js'

/** What goes wrong, and when. Times are seconds from the beginning. */
export interface Fault {
  readonly kind:
    | 'a message is lost'
    | 'collectors start anew'
    | 'an isolate starts anew'
    | 'a location is cut off'
    | 'an object fails'
  readonly at: number
  /** Of several locations, objects or isolates. */
  readonly which: number
  readonly lasts: number
}

export interface Schedule {
  readonly seed: number
  /** `AUTH_LEDGER_SHARDS`, at first, in the course of a change, and after it. */
  readonly shards: readonly [readonly Layout[], ...(readonly Layout[])[]]
  readonly faults: readonly Fault[]
}

/** An end is seen in the Worker, and in an app, so long after it, and after faults that hid it. Milliseconds. */
const LIMITS = { isolate: 5_000, app: 15_000 }
const LOCATIONS = 3
const ISOLATES = 6
/** So long the schedule lasts, and so long is waited until the tokens of its sessions have ended. Seconds. */
const LASTS = 60
const TOKENS_END = 400

interface Ended {
  readonly session: SimulatedSession
  readonly at: number
  readonly objects: readonly string[]
  /** Of these objects. */
  readonly locations: readonly number[]
}

/** A time in which no endings of some objects, or none at all, can pass. Milliseconds. */
interface Gap {
  readonly from: number
  readonly to: number
  /** Absent, as the object is: no location learns anything. */
  readonly location?: number
  readonly object?: string
}

/** What a schedule broke. */
export interface Broken {
  readonly violations: readonly string[]
  /** What was looked at, so that a run that tests nothing is noticed. */
  readonly seen: { ends: number; reads: number; onceWon: number; renewed: number }
}

/** Runs people, isolates and apps through a schedule of faults. */
export function runFaulty(schedule: Schedule): Promise<Broken> {
  return World.run(schedule.seed, async (world) => new FaultyRun(world).run(schedule))
}

class FaultyRun {
  readonly #violations = new Set<string>()
  readonly #seen = { ends: 0, reads: 0, onceWon: 0, renewed: 0 }
  readonly #world: World
  readonly #network: Network
  readonly #objects: LedgerObjects
  readonly #isolates: Isolate[] = []
  /** When each of them began. */
  readonly #begun = new Map<Isolate, number>()
  readonly #apps: { near: number; reader: AppReader }[] = []
  #ended: Ended[] = []
  #live: SimulatedSession[] = []
  readonly #cookies = new Map<SimulatedSession, string>()
  readonly #gaps: Gap[] = []
  #shards: readonly Layout[] = []
  #around: Surroundings | undefined
  #isStopped = false

  constructor(world: World) {
    this.#world = world
    this.#network = new Network(world, LOCATIONS, 0)
    this.#objects = new LedgerObjects(world, this.#network, { callTime: 1 })
  }

  async run({ shards: [first, ...later], faults }: Schedule): Promise<Broken> {
    const world = this.#world
    await this.#begin(first)
    for (const fault of faults) world.after(fault.at * 1000, () => this.#fail(fault))
    const [changing, changed] = later
    if (changing) this.#changeTo(changing, (LASTS / 3) * 1000)
    await world.pass(LASTS)
    if (changed) {
      // The old number is left when no token is there of what it alone knows.
      this.#isStopped = true
      await world.pass(TOKENS_END)
      this.#ended = []
      this.#live = []
      this.#isStopped = false
      for (let index = 0; index < ISOLATES; index++) this.#startIsolate(index, changed)
      this.#people()
      await world.pass(LASTS / 3)
    }
    this.#isStopped = true
    await world.pass(30)
    for (const { reader } of this.#apps) reader.close()
    return { violations: [...this.#violations], seen: this.#seen }
  }

  async #begin(shards: readonly Layout[]): Promise<void> {
    const size: Size = { ...(sizes[0] as Size), layout: shards.at(-1) as Layout }
    // Failures of stores are what is wanted here.
    const onError = () => {}
    this.#around = await surround({ world: this.#world, network: this.#network, size, onError })
    for (let index = 0; index < ISOLATES; index++) this.#startIsolate(index, shards)
    for (let index = 0; index < ISOLATES; index++) this.#readOften(index)
    for (let app = 0; app < 2; app++) this.#startApp(app)
    this.#people()
  }

  #startIsolate(index: number, shards: readonly Layout[]): void {
    this.#shards = shards
    const place = this.#network.places[index % LOCATIONS]
    if (!this.#around || !place) throw new Error('The run has not begun.')
    const kv: KvCounts = { reads: 0, writes: 0, deletes: 0, lists: 0 }
    const parts = { design: today, objects: this.#objects, place, kv, shards }
    const isolate = new Isolate(this.#around, parts)
    this.#isolates[index] = isolate
    this.#begun.set(isolate, this.#world.now())
  }

  /** One isolate after the other learns of the change. */
  #changeTo(shards: readonly Layout[], from: number): void {
    for (let index = 0; index < ISOLATES; index++) {
      this.#world.after(from + index * 1_500, () => this.#startIsolate(index, shards))
    }
  }

  #fail(fault: Fault): void {
    const { which } = fault
    const from = this.#world.now()
    if (fault.kind === 'a message is lost') this.#network.toLose = 1
    else if (fault.kind === 'collectors start anew') {
      for (const collector of this.#objects.collectors.values()) collector.startAnew()
    } else if (fault.kind === 'an isolate starts anew') {
      const index = which % ISOLATES
      this.#startIsolate(index, this.#isolates[index]?.shards ?? this.#shards)
    } else if (fault.kind === 'a location is cut off') {
      // The ledger is at the first one.
      const location = 1 + (which % (LOCATIONS - 1))
      const to = from + fault.lasts * 1000
      this.#gaps.push({ from, to, location })
      // The collectors of the same objects may be in two locations out of three.
      if (this.#network.cutOff.size > 0) this.#gaps.push({ from, to })
      this.#network.cutOff.add(location)
      this.#world.after(to - from, () => this.#network.cutOff.delete(location))
    } else {
      const places = placesOf(this.#shards.at(-1) as Layout)
      const place = places[which % places.length]
      if (!place) return
      const object = this.#objects.at(place)
      const to = from + fault.lasts * 1000
      this.#gaps.push({ from, to, object: place.name })
      object.isFailing = true
      this.#world.after(to - from, () => {
        object.isFailing = false
      })
    }
  }

  /** People who sign in, sign out here and everywhere, and use names up. */
  #people(): void {
    const often = (seconds: number, work: () => Promise<void>) => {
      const next = () => {
        if (this.#isStopped) return
        void work().catch(() => {})
        this.#world.after(this.#world.exponential(seconds * 1000), next)
      }
      this.#world.after(this.#world.exponential(seconds * 1000), next)
    }
    often(2, async () => void (await this.#signIn(this.#isolate)))
    often(1, () => this.#signOut())
    often(3, () => this.#signOutEverywhere())
    often(2, () => this.#useOnce())
    often(2, () => this.#renew())
  }

  async #signIn(isolate: Isolate, sub?: string): Promise<SimulatedSession> {
    const now = Math.floor(this.#world.now() / 1000)
    const ids = sub === undefined ? isolate.drawIds() : { sub, sid: isolate.drawSid(sub) }
    const session = { ...ids, auth_time: now - 1, sexp: now + 86_400 }
    this.#cookies.set(session, await isolate.cookieOf(session))
    this.#live.push(session)
    return session
  }

  async #signOut(): Promise<void> {
    const isolate = this.#isolate
    const session = await this.#signIn(isolate)
    await this.#world.sleep(this.#world.random() * 3_000)
    this.#leave([session])
    await isolate.signOut(session)
    this.#hasEnded([session], [session])
  }

  /** One of the sessions is not in the list of those that are ended one by one. */
  async #signOutEverywhere(): Promise<void> {
    const isolate = this.#isolate
    const first = await this.#signIn(isolate)
    const listed = await this.#signIn(this.#isolate, first.sub)
    const unlisted = await this.#signIn(this.#isolate, first.sub)
    await this.#world.sleep(2_000)
    const all = [first, listed, unlisted]
    this.#leave(all)
    await isolate.signOutEverywhere([first, listed])
    this.#hasEnded(all, all)
    // Who signs in again stays.
    await this.#world.sleep(3_000)
    await this.#signIn(isolate, first.sub)
  }

  #leave(sessions: readonly SimulatedSession[]): void {
    this.#live = this.#live.filter((one) => !sessions.includes(one))
  }

  #hasEnded(sessions: readonly SimulatedSession[], by: readonly SimulatedSession[]): void {
    const at = this.#world.now()
    const all = by.flatMap((session) => this.#isolates.flatMap((one) => one.objectsOf(session)))
    const objects = [...new Set(all)]
    const locations = objects.map((name) => this.#objects.named(name)?.place.location ?? 0)
    for (const session of sessions) this.#ended.push({ session, at, objects, locations })
    this.#seen.ends += sessions.length
  }

  /** Several isolates use up the same name at once, and one more later. */
  async #useOnce(): Promise<void> {
    const name = `flow:${this.#world.id()}`
    const attempt = async (isolate: Isolate) => {
      await this.#world.sleep(this.#world.random() * 50)
      return isolate.use('flow', 900, name).catch(() => false)
    }
    const together = await Promise.all([1, 2, 3].map(() => attempt(this.#isolate)))
    await this.#world.sleep(this.#world.random() * 8_000)
    const won = [...together, await attempt(this.#isolate)].filter(Boolean).length
    this.#seen.onceWon += won
    if (won > 1) this.#violate(`${won} callers used up one name`)
  }

  /** The ledger decides on a renewal: whoever is over is so at once, and nobody else. */
  async #renew(): Promise<void> {
    const before = [...this.#ended]
    const ended = before.length > 0 ? this.#world.pick(before).session : undefined
    const live = this.#live.length > 0 ? this.#world.pick(this.#live) : undefined
    const goesOn = async (session: SimulatedSession) =>
      this.#isolate.renew(session, false).catch(() => undefined)
    if (ended && (await goesOn(ended))) this.#violate('an ended session was renewed')
    if (!live) return
    const answer = await goesOn(live)
    if (answer === false && this.#live.includes(live)) this.#violate('a live one was not renewed')
    if (answer) this.#seen.renewed++
  }

  #readOften(index: number): void {
    const read = async () => {
      const isolate = this.#isolates[index] as Isolate
      const began = this.#world.now()
      await isolate.endings.catchUp()
      if (!this.#isStopped) {
        const { location } = isolate.place
        for (const ended of this.#ended) {
          if (isolate.endings.has(ended.session)) continue
          this.#check('isolate', ended, began, { location, begun: this.#begun.get(isolate) ?? 0 })
        }
        for (const session of this.#live) {
          if (isolate.endings.has(session))
            this.#violate('a live session was refused in the Worker')
        }
        this.#seen.reads++
      }
      this.#world.after(this.#world.exponential(300), () => void read())
    }
    this.#world.after(this.#world.exponential(300), () => void read())
  }

  #startApp(app: number): void {
    const network = this.#network
    if (!this.#around) return
    const home = network.places[app] ?? network.middle
    const place = { ...home, location: -1 - home.location }
    const reader = today.app(this.#around, async (input, init) => {
      const request = new Request(input as string, init as RequestInit)
      const near = this.#isolates[app] as Isolate
      const answer = await network.call(place, near.place, () => near.endings.answer(request))
      return new Response(await answer.text(), { status: answer.status })
    })
    this.#apps.push({ near: app, reader })
    const read = async () => {
      const began = this.#world.now()
      if (!this.#isStopped) {
        for (const ended of this.#ended) {
          if (await this.#isRead(reader, ended.session)) {
            this.#check('app', ended, began, { location: home.location, begun: 0 })
          }
        }
        for (const session of [...this.#live]) {
          if (!(await this.#isRead(reader, session)) && this.#live.includes(session)) {
            this.#violate('a live session was refused in an app')
          }
        }
      }
      this.#world.after(1_000, () => void read())
    }
    this.#world.after(1_000, () => void read())
  }

  async #isRead(reader: AppReader, session: SimulatedSession): Promise<boolean> {
    return (await reader.read(this.#cookies.get(session) ?? '')).isSignedIn
  }

  /** An ended session was taken for a live one by a read that began at this time. */
  #check(
    kind: keyof typeof LIMITS,
    { at, objects, locations }: Ended,
    began: number,
    { location, begun }: { location: number; begun: number },
  ): void {
    let from = at
    for (const gap of this.#gaps) {
      // Who starts while something cannot be reached waits a second for it, and goes on with what it has.
      const isNew = gap.from <= begun + LIMITS[kind] && begun < gap.to
      const isConcerned =
        gap.object === undefined
          ? isNew || [location, ...locations].includes(gap.location ?? location)
          : objects.includes(gap.object)
      if (isConcerned && (isNew || gap.from <= from + LIMITS[kind])) from = Math.max(from, gap.to)
    }
    if (began <= from + LIMITS[kind]) return
    const late = ((began - from) / 1000).toFixed(1)
    this.#violate(`an ended session was accepted by an ${kind} ${late} s later`)
  }

  #violate(what: string): void {
    this.#violations.add(what)
  }

  get #isolate(): Isolate {
    return this.#world.pick(this.#isolates)
  }
}
