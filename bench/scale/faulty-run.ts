import { type Layout, placesOf } from '@latchkey/worker/stores/ledger/placement'
import type { AppReader } from './design.js'
import { today } from './designs/today.js'
import { type Ended, FaultyPeople } from './faulty-people.js'
import { Gaps, LIMITS } from './gaps.js'
import { Isolate, type KvCounts, type SimulatedSession } from './isolate.js'
import { LedgerObjects } from './ledger-objects.js'
import { Network } from './network.js'
import type { Broken, Fault, Schedule, Seen } from './schedule.js'
import { type Size, sizes } from './sizes.js'
import { type Surroundings, surround } from './surroundings.js'
import { World } from './world.js'

const LOCATIONS = 3
const ISOLATES = 6
const APPS = 2
/** How many isolates do not know of a change until all is over. */
const UNAWARE = 2
/** A message that others overtake takes so much longer. Milliseconds. */
const JITTER = 150
/** How long the schedule lasts, and when the tokens of its sessions have ended. Seconds. */
const LASTS = 60
const TOKENS_END = 400

/** Runs people, isolates and apps through a schedule of faults. */
export function runFaulty(schedule: Schedule): Promise<Broken> {
  return World.run(schedule.seed, async (world) => new FaultyRun(world).run(schedule))
}

class FaultyRun {
  readonly #violations = new Set<string>()
  readonly #seen: Seen = { ends: 0, reads: 0, onceWon: 0, renewed: 0 }
  readonly #world: World
  readonly #network: Network
  readonly #objects: LedgerObjects
  readonly #gaps: Gaps
  readonly #people: FaultyPeople
  readonly #isolates: Isolate[] = []
  readonly #apps: AppReader[] = []
  /** When each isolate and app began. */
  readonly #begun = new Map<Isolate | AppReader, number>()
  #shards: readonly Layout[] = []
  #around: Surroundings | undefined

  constructor(world: World) {
    this.#world = world
    this.#network = new Network(world, LOCATIONS, 0)
    this.#objects = new LedgerObjects(world, this.#network, { callTime: 1 })
    this.#gaps = new Gaps(this.#objects)
    this.#network.onLost = () => this.#gaps.lose(world.now())
    this.#people = new FaultyPeople({
      world,
      isolates: this.#isolates,
      seen: this.#seen,
      violate: (what) => this.#violate(what),
    })
  }

  async run({ shards: [first, ...later], faults, isLong }: Schedule): Promise<Broken> {
    const world = this.#world
    await this.#begin(first, isLong)
    for (const fault of faults) world.after(fault.at * 1000, () => this.#fail(fault))
    const [changing, changed] = later
    if (changing) this.#changeTo(changing, ISOLATES - UNAWARE, (LASTS / 3) * 1000)
    await world.pass(LASTS)
    if (changing && changed) await this.#leaveBehind(changing, changed)
    this.#people.isStopped = true
    await world.pass(30)
    for (const app of this.#apps) app.close()
    return { violations: [...this.#violations], seen: this.#seen }
  }

  /** The old number is left when every token that it alone knows has ended. */
  async #leaveBehind(changing: readonly Layout[], changed: readonly Layout[]): Promise<void> {
    const people = this.#people
    people.isStopped = true
    this.#changeTo(changing, ISOLATES, 0)
    await this.#world.pass(TOKENS_END)
    people.forget()
    people.isStopped = false
    this.#changeTo(changed, ISOLATES, 5_000)
    people.begin()
    await this.#world.pass(LASTS / 2)
  }

  async #begin(shards: readonly Layout[], isLong: boolean): Promise<void> {
    // A page is cut down as the people are: then each covers one second.
    const people = isLong ? 1e5 : 1
    const size: Size = { ...(sizes[0] as Size), layout: shards.at(-1) as Layout, people }
    // This run wants failures of stores.
    const onError = () => {}
    this.#around = await surround({ world: this.#world, network: this.#network, size, onError })
    for (let index = 0; index < ISOLATES; index++) {
      this.#startIsolate(index, shards)
      this.#readOften(index)
    }
    for (let index = 0; index < APPS; index++) {
      this.#startApp(index)
      this.#readInApp(index)
    }
    this.#people.begin()
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

  #startApp(index: number): void {
    const network = this.#network
    if (!this.#around) throw new Error('The run has not begun.')
    this.#apps[index]?.close()
    const place = { ...this.#homeOf(index), location: -1 - this.#homeOf(index).location }
    const app = today.app(this.#around, async (input, init) => {
      const request = new Request(input as string, init as RequestInit)
      const near = this.#isolates[index] as Isolate
      const answer = await network.call(place, near.place, () => near.revocations.answer(request))
      return new Response(await answer.text(), { status: answer.status })
    })
    this.#apps[index] = app
    this.#begun.set(app, this.#world.now())
  }

  #homeOf(app: number) {
    return this.#network.places[app] ?? this.#network.middle
  }

  /** One isolate after the other learns of the change. */
  #changeTo(shards: readonly Layout[], count: number, from: number): void {
    for (let index = 0; index < count; index++) {
      this.#world.after(from + index * 1_500, () => this.#startIsolate(index, shards))
    }
  }

  #fail({ kind, which, lasts }: Fault): void {
    const gap = { from: this.#world.now(), to: this.#world.now() + lasts * 1000 }
    const later = (work: () => void) => void this.#world.after(lasts * 1000, work)
    if (kind === 'a message is lost') this.#network.toLose = 1
    else if (kind === 'messages overtake each other') {
      this.#network.jitter = JITTER
      later(() => {
        this.#network.jitter = 0
      })
    } else if (kind === 'collectors restart') {
      for (const collector of this.#objects.collectors.values()) collector.startAnew()
    } else if (kind === 'an isolate restarts') {
      const index = which % ISOLATES
      this.#startIsolate(index, this.#isolates[index]?.shards ?? this.#shards)
    } else if (kind === 'an app restarts') this.#startApp(which % APPS)
    else if (kind === 'a location is cut off') {
      // The ledger is at the first one.
      const location = 1 + (which % (LOCATIONS - 1))
      const { cutOff } = this.#network
      this.#gaps.add({ ...gap, location })
      // The collectors of the same objects may be in two locations out of three.
      if (cutOff.size > 0 && !cutOff.has(location)) this.#gaps.add(gap)
      cutOff.add(location)
      later(() => cutOff.delete(location))
    } else {
      const places = placesOf(this.#shards.at(-1) as Layout)
      const place = places[which % places.length]
      if (!place) return
      const object = this.#objects.at(place)
      this.#gaps.add({ ...gap, object: place.name })
      object.isFailing = true
      later(() => {
        object.isFailing = false
      })
    }
  }

  #readOften(index: number): void {
    const { live, ended } = this.#people
    const read = async () => {
      const isolate = this.#isolates[index] as Isolate
      const began = this.#world.now()
      if (!this.#people.isStopped) {
        await isolate.revocations.refresh()
        const check = async (one: Ended) => {
          if (!(await isolate.refuses(one.session))) this.#check('isolate', one, began, isolate)
        }
        await Promise.all([...ended].map(check))
        for (const session of live) {
          if (isolate.revocations.has(session))
            this.#violate('a live session is over in the Worker')
        }
        this.#seen.reads++
      }
      this.#world.after(this.#world.exponential(300), () => void read())
    }
    this.#world.after(this.#world.exponential(300), () => void read())
  }

  #readInApp(index: number): void {
    const { live, ended } = this.#people
    const read = async () => {
      const app = this.#apps[index] as AppReader
      const began = this.#world.now()
      if (!this.#people.isStopped) {
        for (const one of [...ended]) {
          if ((await this.#fateIn(app, one.session)) === 'live') this.#check('app', one, began, app)
        }
        for (const session of [...live]) {
          const found = await this.#fateIn(app, session)
          if (found === 'nobody' && live.has(session))
            this.#violate('a live session is over in an app')
        }
      }
      this.#world.after(1_000, () => void read())
    }
    this.#world.after(1_000, () => void read())
  }

  /** An app that does not know says so. */
  async #fateIn(app: AppReader, session: SimulatedSession): Promise<'live' | 'nobody' | '503'> {
    try {
      const { isSignedIn } = await app.read(this.#people.cookies.get(session) ?? '')
      return isSignedIn ? 'live' : 'nobody'
    } catch {
      return '503'
    }
  }

  /** An ended session was taken for a live one by a read that began at this time. */
  #check(
    kind: keyof typeof LIMITS,
    ended: Ended,
    began: number,
    reader: Isolate | AppReader,
  ): void {
    const begun = this.#begun.get(reader) ?? 0
    const { location } =
      reader instanceof Isolate ? reader.place : this.#homeOf(this.#apps.indexOf(reader))
    const from = this.#gaps.from(ended, { location, begun }, LIMITS[kind])
    if (began <= from + LIMITS[kind]) return
    const late = ((began - from) / 1000).toFixed(1)
    this.#violate(`an ended session was accepted by an ${kind} ${late} s later`)
  }

  #violate(what: string): void {
    this.#violations.add(what)
  }
}
