import { type Session, WorkerUnavailable } from '@latchkey/session'
import {
  endToEndHeaders,
  lastOfEach,
  mergeCookies,
  type OriginFault,
  type PublicOrigin,
} from '@latchkey/session/adapter'
import { error } from '@sveltejs/kit'
import { Surroundings } from './environment.js'
import { Forwarded } from './forwarded.js'
import { type AuthServer, InProcess } from './in-process.js'
import { publicOrigin } from './public-origin.js'
import type { Service, ServiceCall } from './service.js'
import { setWithKit } from './set-with-kit.js'
import type { Settings } from './settings.js'
import type { KitEvent } from './types.js'

/** The least that an ended session is remembered here. Seconds. */
const MIN_WINDOW = 5 * 60

/** What outlives the request. */
interface App {
  readonly server: AuthServer
  settingsOf(event: KitEvent, surroundings: Surroundings): Promise<Settings>
}

/** One request, as far as sign-in is concerned: shared by the hook, `locals.auth()` and form actions. */
export class AuthRequest {
  readonly event: KitEvent
  readonly #app: App
  readonly #surroundings: Surroundings
  /** As the browser's will be after this request's answer. */
  #cookies: string | null
  #settings: Promise<Settings> | undefined
  #session: Promise<Session | null> | undefined
  #lines: string[] = []
  #wasRead = false
  #isUnavailable = false

  constructor(app: App, event: KitEvent) {
    this.event = event
    this.#app = app
    this.#surroundings = new Surroundings(event)
    this.#cookies = event.request.headers.get('cookie')
  }

  /** The configuration, which is made once. */
  settings(): Promise<Settings> {
    this.#settings ??= this.#app.settingsOf(this.event, this.#surroundings)
    return this.#settings
  }

  /** What `locals.auth()` answers. */
  session(): Promise<Session | null> {
    this.#wasRead = true
    if (!this.#session) {
      this.#session = this.#read()
      // Whoever asks is told. A page that has asked and does not wait must not end the process.
      this.#session.catch(() => {})
    }
    return this.#session
  }

  originOf({ judge, policy }: Settings): PublicOrigin | OriginFault {
    return publicOrigin(this.event, judge, policy, this.#surroundings)
  }

  /** Whoever answers the auth routes; `undefined` where sessions are only read. */
  serviceOf({ served, worker, basePath, ended }: Settings): Service | undefined {
    const { env, waitUntil } = this.#surroundings
    const ctx = waitUntil && { waitUntil }
    if (served) return new InProcess(this.#app.server, { config: served, env, ended, ctx })
    return worker === undefined ? undefined : new Forwarded(worker, basePath)
  }

  /**
   * Asks the service, with the browser's own headers unless others are given.
   *
   * @throws Kit's error 503 or 502 when the service gives no answer
   */
  async ask(
    service: Service,
    settings: Settings,
    call: Pick<ServiceCall, 'route' | 'method' | 'body' | 'origin'> & {
      readonly headers?: Headers
    },
  ): Promise<Response> {
    const { request } = this.event
    const headers = call.headers ?? endToEndHeaders(request.headers)
    const { signal } = request
    try {
      const response = await service.answer({ ...call, headers, signal, client: this.#client() })
      const isSignOut = call.method === 'POST' && call.route.split('?', 1)[0] === '/signout'
      if (isSignOut) await this.#forget(settings, call.origin, headers.get('cookie'), response)
      return response
    } catch (fault) {
      if (!(fault instanceof WorkerUnavailable)) throw fault
      return this.#unavailable(fault, settings)
    }
  }

  /** The Cookie header, and what was added to it. */
  get cookies(): string | null {
    return this.#cookies
  }

  /** Cookies that the answer is to set: from now on they are the browser's. */
  setCookies(lines: readonly string[]): void {
    if (lines.length === 0) return
    this.#lines = lastOfEach([...this.#lines, ...lines])
    this.#cookies = mergeCookies(this.#cookies, lines)
    this.#session = undefined
  }

  /** The app's answer, with our cookies, and kept from caches where it depends on who is signed in. */
  finish(response: Response): Response {
    const lines = this.#lines
    if (lines.length === 0 && !this.#wasRead) return response
    const answer = mutable(response)
    const { headers } = answer
    const cacheControl = headers.get('cache-control')
    const isKept =
      cacheControl !== null && /(?:^|[\s,])(?:private|no-store)(?=$|[\s,=])/i.test(cacheControl)
    // A shared cache that kept a cookie would hand one person's session to others (RFC 9111, 7.3).
    if (cacheControl === null || (lines.length > 0 && !isKept)) {
      headers.set('cache-control', 'private, no-store')
    }
    if (this.#isUnavailable && answer.status === 503) headers.set('retry-after', '5')
    if (lines.length > 0) {
      const all = lastOfEach([...headers.getSetCookie(), ...lines])
      headers.delete('set-cookie')
      for (const line of all) headers.append('set-cookie', line)
    }
    return answer
  }

  /**
   * A hook of the app's has thrown a redirect or an error, of which Kit makes the answer: it adds the
   * cookies that it was given, and no others.
   */
  abandon(): void {
    try {
      for (const line of this.#lines) setWithKit(this.event.cookies, line)
    } catch {
      // Kit has its answer already. The next request renews again.
    }
  }

  async #read(): Promise<Session | null> {
    const cookie = this.#cookies
    if (!cookie) return null
    const settings = await this.settings()
    const origin = this.originOf(settings)
    // A host that is not ours has no cookie of ours.
    if (typeof origin === 'string') return null
    const { verifier, ended, online } = settings
    const service = this.serviceOf(settings)
    try {
      const { session, claims, setCookie } = await verifier.read(cookie, {
        issuer: origin.issuer,
        online: online && service !== undefined,
        waitUntil: this.#surroundings.waitUntil,
        service: service?.address,
      })
      if (claims && ended.has(claims)) return null
      // For an answer that is on its way already it is too late: the next request renews again.
      if (setCookie.length > 0) this.#lines = lastOfEach([...this.#lines, ...setCookie])
      return session
    } catch (fault) {
      if (!(fault instanceof WorkerUnavailable)) throw fault
      return this.#unavailable(fault, settings)
    }
  }

  /** Whether anybody is signed in is not known: that is neither a session nor the end of one. */
  #unavailable(fault: WorkerUnavailable, { logError }: Settings): never {
    if (!this.event.request.signal.aborted) logError(fault)
    this.#isUnavailable = true
    error(fault.status, 'Sign-in is not available just now. Please try again in a moment.')
  }

  /**
   * Whoever has signed out here is signed out at the next request, without a question to anybody. A
   * sign-out that was refused leaves the browser its cookie.
   */
  async #forget(
    { verifier, ended }: Settings,
    { issuer }: PublicOrigin,
    cookie: string | null,
    { headers }: Response,
  ): Promise<void> {
    const kept = mergeCookies(cookie, headers.getSetCookie())
    try {
      const { claims } = await verifier.read(cookie, { issuer })
      const left = await verifier.read(kept, { issuer })
      if (!claims || left.claims) return
      const { sid, exp, iat } = claims
      const at = Math.floor(Date.now() / 1000)
      ended.add({ sessions: [{ sid, at }], users: [] }, Math.max(MIN_WINDOW, exp - iat))
    } catch {
      // It is heard of a little later.
    }
  }

  /** Kit has no address while it renders pages for later, and where its adapter says none. */
  #client(): string | undefined {
    try {
      return this.event.getClientAddress()
    } catch {
      return undefined
    }
  }
}

/** Those that `fetch` and `Response.redirect` give cannot be changed. */
function mutable(response: Response): Response {
  try {
    response.headers.delete('x-latchkey')
    return response
  } catch {
    return new Response(response.body, response)
  }
}
