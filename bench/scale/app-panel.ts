import { AppFeed } from './app-feed.js'
import type { AppReader, AppReading, Design } from './design.js'
import type { Extent } from './extent.js'
import { COOKIE, type Isolate, type SimulatedSession } from './isolate.js'
import type { Place } from './network.js'
import { Samples } from './samples.js'
import { habits, TOKEN_MAX_AGE } from './sizes.js'
import type { Surroundings } from './surroundings.js'
import type { Watch } from './watch.js'

interface Parts {
  readonly design: Design
  readonly extent: Extent
  readonly isolates: readonly Isolate[]
  readonly watch: Watch
}

/** A user of an app: when a visit ends, or is ended, another user comes. */
export interface Visitor {
  session: SimulatedSession
  /** Another user signs in instead. */
  leave(): Promise<void>
}

/** A token's session, and whether it comes back after a pause. */
interface Shown {
  readonly session: SimulatedSession
  readonly isBack: boolean
}

/** App servers that read their sessions one by one, with real tokens and the real verifier. */
export class AppPanel {
  readonly told: AppFeed[] = []
  renewals = 0
  extensions = 0
  /** Milliseconds that a read takes within a visit; 0: it did not wait. */
  readonly waits = new Samples()
  /** The same for the first read of a visit, with an ended token. */
  readonly firstWaits = new Samples()
  readonly visitors: Visitor[] = []
  readonly #around: Surroundings
  readonly #parts: Parts
  readonly #apps: AppReader[] = []
  /** The sessions, by the text that names them in a token. */
  readonly #byToken = new Map<string, Shown>()

  constructor(around: Surroundings, parts: Parts) {
    this.#around = around
    this.#parts = parts
  }

  async begin(): Promise<void> {
    const { extent, isolates } = this.#parts
    for (let index = 0; index < extent.apps; index++) {
      const near = isolates[Math.floor(((index + 0.5) / extent.apps) * isolates.length)]
      if (near) await this.#beginApp(near)
    }
  }

  close(): void {
    for (const app of this.#apps) app.close()
  }

  async #beginApp(near: Isolate): Promise<void> {
    const { world } = this.#around
    const { design, extent, watch } = this.#parts
    const told = new AppFeed(this.#around.size.people)
    this.told.push(told)
    const app = design.app(this.#around, this.#fetchFrom(near, told))
    this.#apps.push(app)
    // The last token of each session that ended here.
    const last = new Map<SimulatedSession, string>()
    const { look } = watch.reader('app', {
      isRefused: async (session) => !(await app.read(last.get(session) ?? '')).isSignedIn,
      concerns: (session) => last.has(session),
    })
    world.often(LOOKS, look)
    for (let count = 0; count < extent.readers; count++) {
      await this.#beginVisitor(app, near, (session, cookie) => void last.set(session, cookie))
    }
  }

  async #beginVisitor(
    app: AppReader,
    near: Isolate,
    remember: (session: SimulatedSession, cookie: string) => void,
  ): Promise<void> {
    const { world, size } = this.#around
    const between = () => world.exponential(habits.betweenReads * 1000)
    const sessionOf = (): SimulatedSession => {
      const now = Math.floor(world.now() / 1000)
      return { ...near.drawIds(), auth_time: now - 3600, sexp: now + size.maxAge }
    }
    const cookieOf = async (session: SimulatedSession, age: number) => {
      const made = await near.cookieOf(session, age)
      this.#byToken.set(made, { session, isBack: age > TOKEN_MAX_AGE })
      return made
    }
    const begun = sessionOf()
    // Tokens and visits are of every age when the run begins.
    let cookie = await cookieOf(begun, Math.floor(world.random() * TOKEN_MAX_AGE))
    let visitEnds = world.now() + world.exponential(habits.visit * 1000)
    let isFirst = false
    const visitor: Visitor = {
      session: begun,
      leave: async () => {
        remember(visitor.session, cookie)
        visitor.session = sessionOf()
        cookie = await cookieOf(visitor.session, 0)
        // A sign-in ends at a page of the app.
        world.after(between() / 10, () => void read())
      },
    }
    this.visitors.push(visitor)
    const readOften = async () => {
      await read()
      world.after(between(), () => void readOften())
    }
    // Each user is seen once before the measurement.
    world.after(world.random() * habits.betweenReads * 1000, () => void readOften())
    const read = async () => {
      const began = world.now()
      if (began >= visitEnds) {
        visitEnds = began + world.exponential(habits.visit * 1000)
        visitor.session = sessionOf()
        cookie = await cookieOf(visitor.session, 2 * TOKEN_MAX_AGE)
        isFirst = true
      }
      const { session } = visitor
      const reading = app.read(cookie)
      const found: AppReading | undefined =
        reading instanceof Promise ? await reading.catch(() => undefined) : reading
      ;(isFirst ? this.firstWaits : this.waits).add(world.now() - began)
      isFirst = false
      const pair = found?.setCookie[0]?.split(';', 1)[0]
      if (pair?.startsWith(COOKIE) && session === visitor.session) cookie = pair
    }
  }

  /** Requests of an app go to the isolates of the nearest location, over one of the machines there. */
  #fetchFrom(near: Isolate, told: AppFeed): typeof fetch {
    const { network, world } = this.#around
    const place: Place = { ...near.place, location: -1 - near.place.location }
    return async (input, init) => {
      const request = new Request(input as string, init as RequestInit)
      const sent = typeof init?.body === 'string' ? init.body.length : 0
      const cookie = request.headers.get('cookie')
      const shown = cookie === null ? undefined : this.#byToken.get(cookie)
      const answer = await network.call(place, near.place, () => {
        if (cookie === null) return near.revocations.answer(request)
        return shown ? this.#renew(near, shown) : Response.json(null)
      })
      const renewed = answer.headers.getSetCookie()[0]?.split(';', 1)[0]
      if (renewed && shown) this.#byToken.set(renewed, { ...shown, isBack: false })
      if (cookie !== null) return answer
      const text = await answer.text()
      told.add(new URL(request.url), sent, text, world.now())
      return new Response(text, { status: answer.status })
    }
  }

  #renew(near: Isolate, { session, isBack }: Shown): Promise<Response> {
    const isExtended = isBack && this.#around.size.isExtended
    this.renewals++
    if (isExtended) this.extensions++
    return near.renewFor(session, isExtended)
  }
}

/** How often in a second an app is shown the sessions that have just ended. */
const LOOKS = 20
