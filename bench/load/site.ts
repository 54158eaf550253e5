import { Agent } from 'node:http'
import { processorTime, residentMemory, waitingTime } from '../processor-time.ts'
import { type Runtime, type Started, start } from '../runtime.ts'
import type { Route, Server } from './browser.ts'
import { Crowd, type Done, LANES } from './crowd.ts'
import type { Sandbox } from './sandbox.ts'
import { ORIGIN, type Person, type Service } from './services.ts'

/** A service of the comparison: how people use it, and the Worker that they use. */
export interface Contestant {
  readonly service: Service
  readonly bundle: Started['bundle']
  readonly settings?: Started['settings']
  /** Called once before the first person comes. */
  readonly setUp?: string
}

/** What a part of a run took. */
export interface Measured {
  seconds: number
  steps: number
  /** Milliseconds of processor time that workerd had, and that it wanted besides. */
  ran: number
  waited: number
  /** Milliseconds of each request. */
  readonly times: Map<Route, number[]>
}

/** Bytes of the process. */
export interface Memory {
  start: number
  peak: number
  end: number
}

/** How often the memory is looked at. Milliseconds. */
const LOOK = 250

/** The server closes a connection that is idle for five seconds; a browser closes it before. */
const IDLE = 3_000

/** One service in a workerd of its own, and its people. */
export class Site implements AsyncDisposable {
  readonly service: Service
  readonly memory: Memory = { start: 0, peak: 0, end: 0 }
  readonly parts = { arrival: nothing(), rush: nothing(), stroll: nothing() }
  readonly #runtime: Runtime
  readonly #crowd: Crowd
  readonly #agent: Agent
  /** The Worker's log without sign-ins and sign-outs. */
  readonly #complaints: readonly string[]
  #now: Measured = this.parts.arrival

  static async open(
    { service, bundle, settings, setUp }: Contestant,
    sandbox: Sandbox,
    people: readonly Person[],
  ): Promise<Site> {
    const complaints: string[] = []
    const bindings = { AUTH_URL: `${ORIGIN}/auth`, ...sandbox.variables }
    const runtime = await start([{ name: 'worker', bundle, settings: { ...settings, bindings } }], {
      onLog({ level, message }) {
        if (level === 'warn' || level === 'error') complaints.push(message)
      },
    })
    const address = await runtime.url('worker')
    if (setUp !== undefined) {
      const { ok, status } = await fetch(new URL(setUp, address))
      if (!ok) throw new Error(`${service.name} answered ${setUp} with ${status}.`)
    }
    return new Site(service, runtime, address, sandbox, people, complaints)
  }

  private constructor(
    service: Service,
    runtime: Runtime,
    address: URL,
    { consent }: Sandbox,
    people: readonly Person[],
    complaints: readonly string[],
  ) {
    this.service = service
    this.#runtime = runtime
    this.#complaints = complaints
    this.#agent = new Agent({
      keepAlive: true,
      maxFreeSockets: LANES,
      timeout: IDLE,
    })
    const server: Server = {
      name: service.name,
      origin: ORIGIN,
      address,
      agent: this.#agent,
      onAnswer: (route, time) => {
        const times = this.#now.times.get(route)
        if (times) times.push(time)
        else this.#now.times.set(route, [time])
      },
    }
    this.#crowd = new Crowd(people, { service, server, consent })
    this.memory.start = residentMemory(runtime.pid)
  }

  get done(): Done {
    return this.#crowd.done
  }

  /** All people sign in at the same moment. */
  arrive(): Promise<void> {
    return this.#measure(this.parts.arrival, () => this.#crowd.step())
  }

  /** Each person takes one step after the other, as fast as the answers come. */
  rush(seconds: number): Promise<void> {
    return this.#measure(this.parts.rush, () => this.#crowd.rush(seconds))
  }

  /** @param rate steps a second of all together */
  stroll(seconds: number, rate: number): Promise<void> {
    return this.#measure(this.parts.stroll, () => this.#crowd.stroll(seconds, rate))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#agent.destroy()
    await this.#runtime[Symbol.asyncDispose]()
  }

  async #measure(part: Measured, work: () => Promise<void>): Promise<void> {
    const { pid } = this.#runtime
    this.#now = part
    const looks = setInterval(() => this.#look(pid), LOOK)
    const [began, steps] = [performance.now(), this.done.steps]
    const [ran, waited] = [processorTime(pid), waitingTime(pid) ?? Number.NaN]
    try {
      await work()
    } catch (error) {
      throw this.#fault ?? error
    } finally {
      clearInterval(looks)
    }
    if (this.#fault) throw this.#fault
    part.seconds += (performance.now() - began) / 1000
    part.steps += this.done.steps - steps
    part.ran += processorTime(pid) - ran
    part.waited += (waitingTime(pid) ?? Number.NaN) - waited
    this.memory.end = this.#look(pid)
  }

  /** The error in the log of the Worker, which says more than its answer. */
  get #fault(): Error | undefined {
    const [complaint] = this.#complaints
    return complaint === undefined
      ? undefined
      : new Error(`${this.service.name} logged: ${complaint}`)
  }

  #look(pid: number): number {
    const bytes = residentMemory(pid)
    this.memory.peak = Math.max(this.memory.peak, bytes)
    return bytes
  }
}

function nothing(): Measured {
  return { seconds: 0, steps: 0, ran: 0, waited: 0, times: new Map() }
}
