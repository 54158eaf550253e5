import type { AppReader, AppReading, Design, Surroundings } from './design.js'
import type { Extent } from './extent.js'
import { COOKIE, type Isolate, type SimulatedSession } from './isolate.js'
import type { Place } from './network.js'
import { Samples } from './samples.js'
import { habits, TOKEN_MAX_AGE } from './sizes.js'
import type { Watch } from './watch.js'

interface Parts {
  readonly design: Design
  readonly extent: Extent
  readonly isolates: readonly Isolate[]
  readonly watch: Watch
}

/** App servers whose sessions are read one by one, with real tokens and the real verifier. */
export class RenewalPanel {
  /** Bytes that the servers have received of endings. */
  received = 0
  /** Milliseconds that a read takes; 0: it did not wait. */
  readonly waits = new Samples()
  readonly sessions: SimulatedSession[] = []
  readonly #around: Surroundings
  readonly #parts: Parts
  readonly #apps: AppReader[] = []
  /** The sessions, by the text that names them in a token. */
  readonly #byToken = new Map<string, SimulatedSession>()

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
    const { world, size } = this.#around
    const { design, extent, watch } = this.#parts
    const app = design.app(this.#around, this.#fetchFrom(near))
    this.#apps.push(app)
    const cookies = new Map<SimulatedSession, Promise<string>>()
    const { look } = watch.reader('app', async (session) => {
      const cookie = cookies.get(session) ?? near.cookieOf(session)
      cookies.set(session, cookie)
      return !(await app.read(await cookie)).isSignedIn
    })
    const now = Math.floor(world.now() / 1000)
    for (let count = 0; count < extent.readers; count++) {
      const times = { auth_time: now - 3600, sexp: now + size.maxAge }
      const session = { ...near.drawIds(), ...times }
      this.sessions.push(session)
      void this.#readOften(session, app, near, look)
    }
  }

  async #readOften(
    session: SimulatedSession,
    app: AppReader,
    near: Isolate,
    look: () => void,
  ): Promise<void> {
    const { world } = this.#around
    // Tokens are of every age when the run begins.
    let cookie = await near.cookieOf(session, Math.floor(world.random() * TOKEN_MAX_AGE))
    this.#byToken.set(cookie, session)
    const read = async () => {
      const began = world.now()
      const reading = app.read(cookie)
      const found: AppReading | undefined =
        reading instanceof Promise ? await reading.catch(() => undefined) : reading
      this.waits.add(world.now() - began)
      const pair = found?.setCookie[0]?.split(';', 1)[0]
      if (pair?.startsWith(COOKIE)) cookie = pair
      look()
      world.after(world.exponential(habits.betweenReads * 1000), () => void read())
    }
    world.after(world.exponential(habits.betweenReads * 1000), () => void read())
  }

  /** Requests of an app go to the isolates of the nearest location, over one of the machines there. */
  #fetchFrom(near: Isolate): typeof fetch {
    const { network } = this.#around
    const place: Place = { ...near.place, location: -1 - near.place.location }
    return async (input, init) => {
      const request = new Request(input as string, init as RequestInit)
      const sent = typeof init?.body === 'string' ? init.body.length : 0
      const cookie = request.headers.get('cookie')
      const answer = await network.call(place, near.place, () => {
        const session = cookie === null ? undefined : this.#byToken.get(cookie)
        if (cookie === null) return near.endings.answer(request)
        return session ? near.renewFor(session) : Response.json(null)
      })
      const renewed = answer.headers.getSetCookie()[0]?.split(';', 1)[0]
      const session = cookie === null ? undefined : this.#byToken.get(cookie)
      if (renewed && session) this.#byToken.set(renewed, session)
      if (cookie === null) {
        const text = await answer.text()
        this.received += text.length + sent
        return new Response(text, { status: answer.status })
      }
      return answer
    }
  }
}
