import { setTimeout as pause } from 'node:timers/promises'
import { Browser, type Server } from './browser.ts'
import type { Consent, Person, Service } from './services.ts'

type Step = 'sign in' | 'read' | 'renew' | 'sign out'

const FEW: readonly Step[] = ['read', 'read', 'read', 'read', 'read', 'renew']
/** The steps of a signed-in user. */
const USE: readonly Step[] = [...FEW, ...FEW, ...FEW, ...FEW]

/**
 * This many visitors take a step at the same moment, and the others wait in line: as many requests
 * as an edge server may have under way. With thousands of connections, workerd serves some again
 * and again while others wait.
 */
export const LANES = 128

/** What people have done until now. */
export interface Done {
  readonly steps: number
  readonly signIns: number
  readonly signOuts: number
  /** Reads with the cookies from before a sign-out that were let in. */
  readonly letIn: number
}

/** The service of the people. */
export interface Place {
  readonly service: Service
  readonly server: Server
  readonly consent: Consent
}

/**
 * Many people at one service, each with a browser of their own. Each person signs in, reads their session
 * twenty times and renews it four times; every second visit ends with a sign-out and a read with the
 * cookies from before. The others close their browser, and their sessions stay.
 */
export class Crowd {
  readonly #people: readonly Visitor[]
  /** The visitors that take the next steps. */
  readonly #line: Visitor[]

  constructor(people: readonly Person[], place: Place) {
    let browsers = 0
    const open = () => new Browser(place.server, ++browsers)
    this.#people = people.map((person, number) => new Visitor(person, number, place, open))
    this.#line = [...this.#people]
  }

  get done(): Done {
    const sum = (what: keyof Done) => this.#people.reduce((all, { done }) => all + done[what], 0)
    return {
      steps: sum('steps'),
      signIns: sum('signIns'),
      signOuts: sum('signOuts'),
      letIn: sum('letIn'),
    }
  }

  /** Each person takes one step: the first one is to sign in. */
  async step(): Promise<void> {
    let left = this.#people.length
    await this.#inLanes(async (isOver) => {
      while (left-- > 0 && !isOver()) await this.#stepOfNext()
    })
  }

  /** Each person takes one step after the other, as fast as the answers come. */
  async rush(seconds: number): Promise<void> {
    const end = performance.now() + seconds * 1000
    await this.#inLanes(async (isOver) => {
      while (performance.now() < end && !isOver()) await this.#stepOfNext()
    })
  }

  /** @param rate steps a second of all people together */
  async stroll(seconds: number, rate: number): Promise<void> {
    const began = performance.now()
    await this.#inLanes(async (isOver, lane, lanes) => {
      for (let step = lane; step < seconds * rate; step += lanes) {
        await pause(Math.max(0, began + (step / rate) * 1000 - performance.now()))
        if (isOver()) return
        await this.#stepOfNext()
      }
    })
  }

  /** No person takes two steps at once: after a step the person goes to the end of the line. */
  async #stepOfNext(): Promise<void> {
    const next = this.#line.shift()
    if (!next) return
    await next.step()
    this.#line.push(next)
  }

  /** @throws the first error; after it no person begins a step, and the steps under way end */
  async #inLanes(
    act: (isOver: () => boolean, lane: number, lanes: number) => Promise<void>,
  ): Promise<void> {
    const faults: unknown[] = []
    const isOver = () => faults.length > 0
    const lanes = Math.min(LANES, this.#people.length)
    const work = Array.from({ length: lanes }, (_, lane) =>
      act(isOver, lane, lanes).catch((fault: unknown) => void faults.push(fault)),
    )
    await Promise.all(work)
    if (isOver()) throw faults[0]
  }
}

class Visitor {
  readonly done = { steps: 0, signIns: 0, signOuts: 0, letIn: 0 }
  readonly #person: Person
  readonly #place: Place
  readonly #open: () => Browser
  #browser: Browser
  #visits: number
  #left: Step[]

  /** @param number the first visits of neighbors differ in length, so that they are not in step */
  constructor(person: Person, number: number, place: Place, open: () => Browser) {
    this.#person = person
    this.#place = place
    this.#open = open
    this.#browser = open()
    this.#visits = number
    this.#left = visit(number, USE.slice(number % USE.length))
  }

  async step(): Promise<void> {
    const { service, consent } = this.#place
    const step = this.#left.shift()
    if (step === 'sign in') {
      await service.signIn(this.#browser, this.#person, consent)
      this.done.signIns++
    }
    if (step === 'read') await service.read(this.#browser, this.#person)
    if (step === 'renew') await service.renew(this.#browser, this.#person)
    if (step === 'sign out') await this.#signOut(service)
    this.done.steps++
    if (this.#left.length > 0) return
    this.#browser = this.#open()
    this.#left = visit(++this.#visits, USE)
  }

  async #signOut(service: Service): Promise<void> {
    const { jar } = this.#browser
    const before = [...jar]
    await service.signOut(this.#browser)
    this.done.signOuts++
    jar.clear()
    for (const [name, value] of before) jar.set(name, value)
    if (await service.isLetIn(this.#browser)) this.done.letIn++
  }
}

function visit(number: number, use: readonly Step[]): Step[] {
  return number % 2 === 0 ? ['sign in', ...use, 'sign out'] : ['sign in', ...use]
}
