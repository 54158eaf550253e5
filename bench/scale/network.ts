import type { World } from './world.js'

/** Regions, the part of all people in each, and the milliseconds there and back between them. */
export const REGIONS = [
  'north-america-east',
  'north-america-west',
  'europe',
  'asia',
  'south-america',
  'oceania',
] as const
const PEOPLE = [0.25, 0.15, 0.32, 0.15, 0.08, 0.05]
const ROUND_TRIPS = [
  [15, 65, 85, 170, 120, 200],
  [65, 15, 140, 110, 175, 140],
  [85, 140, 15, 220, 190, 270],
  [170, 110, 220, 15, 270, 120],
  [120, 175, 190, 270, 15, 300],
  [200, 140, 270, 120, 300, 15],
]
/** There and back between two machines of one location. */
const WITHIN = 1

/** A location: a data center with isolates, and the machines that are nearest to it. */
export interface Place {
  readonly region: number
  readonly location: number
}

/** Calls between places: each way takes its time, and some messages are lost. */
export class Network {
  readonly places: readonly Place[]
  readonly #world: World
  readonly #loss: number
  /** Locations that are cut off from all others. */
  readonly cutOff = new Set<number>()
  /** How many more messages are lost, soon. */
  toLose = 0
  /** Called when a message is lost. */
  onLost = () => {}
  /** Some messages take so much longer that others overtake them. Milliseconds. */
  jitter = 0

  /** @param loss the part of the messages that are lost: a call then has no answer */
  constructor(world: World, locations: number, loss: number) {
    this.#world = world
    this.#loss = loss
    this.places = Array.from({ length: locations }, (_, location) => {
      return { region: regionAt((location + 0.5) / locations), location }
    })
  }

  /** The location of most people, and of a Durable Object that all of them ask. */
  get middle(): Place {
    return this.places[0] as Place
  }

  /** A place in a region, if there is one. */
  nearest(region: number): Place {
    return this.places.find((place) => place.region === region) ?? { region, location: -1000 }
  }

  /** The places in a region. */
  within(region: number): readonly Place[] {
    const found = this.places.filter((place) => place.region === region)
    return found.length > 0 ? found : [this.nearest(region)]
  }

  /** The answer of the work elsewhere; without one the call never ends. */
  async call<Answer>(
    from: Place,
    to: Place,
    work: () => Promise<Answer> | Answer,
  ): Promise<Answer> {
    await this.#carry(from, to)
    const answer = await Promise.resolve()
      .then(work)
      .then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      )
    await this.#carry(to, from)
    if ('error' in answer) throw answer.error
    return answer.value
  }

  /** Milliseconds one way. */
  delay(from: Place, to: Place): number {
    const apart = ROUND_TRIPS[from.region]?.[to.region] ?? 0
    const roundTrip = from.location === to.location ? WITHIN : apart
    return (roundTrip / 2) * (1 + 0.1 * this.#world.exponential(1))
  }

  #carry(from: Place, to: Place): Promise<void> {
    const isCut =
      from.location !== to.location &&
      (this.cutOff.has(from.location) || this.cutOff.has(to.location))
    const isLost = this.toLose > 0 && this.#world.random() < 0.1
    if (isLost) {
      this.toLose--
      this.onLost()
    }
    if (isCut || isLost || this.#world.random() < this.#loss) return new Promise(() => {})
    const late = this.jitter > 0 && this.#world.random() < 0.3 ? this.jitter : 0
    return this.#world.sleep(this.delay(from, to) + late)
  }
}

function regionAt(part: number): number {
  let sum = 0
  const found = PEOPLE.findIndex((people) => {
    sum += people
    return part < sum
  })
  return found < 0 ? REGIONS.length - 1 : found
}
