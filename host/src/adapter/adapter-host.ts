import { AuthError, type Reading, WorkerUnavailable } from '@latchkey/session'
import { FOREIGN, isSkipped, isWorkerd, NOBODY } from '@latchkey/session/internal'
import type { Environment } from '../shared/environment.js'
import { OTHER_KEY } from '../shared/other-key.js'
import { endsInServiceRoute } from '../shared/service-routes.js'
import { askService, type Call } from './ask-service.js'
import { continueOldSession } from './continue-old-session.js'
import { endToEndHeaders, endToEndResponse } from './end-to-end.js'
import { finishResponse } from './finish-response.js'
import type { Host, HostOptions, Location, TokenSource } from './host.js'
import type { HostConfigSource } from './host-config.js'
import type { HostRequest } from './host-request.js'
import { baseIn, originIn, otherBase, placeIn, prefixIn, UNKNOWN_BASE } from './locate.js'
import { logErrorOf } from './log-error.js'
import { Mounts } from './mounts.js'
import type { PublicOrigin } from './origins.js'
import { withPrefix } from './path-prefix.js'
import { REFUSALS, Refusal } from './refusal.js'
import { RequestStates } from './request-states.js'
import type { Service, ServiceCall } from './service.js'
import { initOf, isOfOperator, searchOf } from './service-request.js'
import { checkConfig, type Settings } from './settings.js'
import type { Submission } from './submit-form.js'

/** By which a browser says that it could not renew its bound session just now. */
const SKIPPED = 'secure-session-skipped'

const LATE =
  'A session was renewed when its answer had begun, so the browser does not get the cookie: read it before the answer.'

/** The host of {@link createHost}. */
export class AdapterHost implements Host {
  readonly #options: HostOptions
  readonly #mounts: Mounts
  readonly #states = new RequestStates()

  constructor(options: HostOptions) {
    this.#options = options
    this.#mounts = new Mounts(options)
  }

  mount(source: HostConfigSource, env?: Environment): void {
    if (typeof source === 'object') checkConfig(source, this.#options)
    const mountState = this.#mounts.add(source)
    // No log has the lines that a Worker writes before its first request.
    if (typeof source === 'object' && !isWorkerd) mountState.inspect(source)
    if (!env || typeof source === 'function') return
    // Not awaited: a missing package ends the process at its start, and not a request.
    this.#serviceOf(mountState.settingsIn(source, env)).load?.()
  }

  start({ source, env }: HostRequest): void {
    // A Worker loads its whole bundle at its start, and has no terminal.
    if (source === undefined || typeof source === 'function' || isWorkerd) return
    const tell = logErrorOf(source)
    try {
      this.#mounts.of(source, env).settingsIn(source, env).service?.load?.().catch(tell)
    } catch (fault) {
      tell(fault as Error)
    }
  }

  answer(request: HostRequest): Promise<Response | undefined> | undefined {
    return endsInServiceRoute(request.path) ? this.#answer(request) : undefined
  }

  async #answer(request: HostRequest): Promise<Response | undefined> {
    const mountState = this.#mounts.of(request.source, request.env)
    const settings = await mountState.settingsOf(request)
    const place = placeIn(request, settings)
    if (!place || !(settings.service || this.#options.needsService)) return undefined
    const origin = originIn(request, mountState, settings)
    if (place.isRewritten)
      mountState.warnings.once('base-path', otherBase(this.#options.name, place), settings.warn)
    if (typeof origin === 'string') {
      return new Response(REFUSALS[origin], {
        status: 400,
        headers: { 'cache-control': 'no-store' },
      })
    }
    const service = this.#serviceOf(settings)
    mountState.learnBase(place.base, place.isRewritten ? request.mount : undefined)
    const message = await request.message()
    const response = await this.#ask(
      { request, settings, service, origin, mountState },
      {
        base: place.base,
        route: place.route + searchOf(request, place, origin, this.#options.root),
        init: initOf(message),
      },
    )
    if (response.status !== 404 || message.isSpent?.() || isOfOperator(place, response)) {
      // A sign-in or sign-out is newer than a cookie that a reader has renewed before it.
      if (this.cookies(request).length > 0)
        this.#states.setCookies(request, response.headers.getSetCookie())
      return endToEndResponse(response)
    }
    // The app answers a route that this service does not have.
    await response.body?.cancel()
    return undefined
  }

  read(request: HostRequest): Reading | Promise<Reading> {
    const cookie = this.#states.cookie(request)
    const isNobody = !cookie && !isSkipped(request.header(SKIPPED))
    if (isNobody && !this.#options.checksAlways) return NOBODY
    const settings = this.#mounts.of(request.source, request.env).settingsOf(request)
    if (isNobody) return NOBODY
    if (!(settings instanceof Promise)) return this.#read(request, settings, cookie)
    return settings.then((settings) => this.#read(request, settings, cookie))
  }

  #read(
    request: HostRequest,
    settings: Settings,
    cookie: string | null | undefined,
  ): Reading | Promise<Reading> {
    const { origins, verifier, service } = settings
    const origin = origins.of(request)
    // A foreign host has none of our cookies.
    if (typeof origin === 'string') return NOBODY
    const { waitUntil } = request
    const reading = verifier.read(
      cookie,
      waitUntil ? { ...origin, waitUntil, service: service?.address(waitUntil) } : origin,
    )
    if (!(reading instanceof Promise)) return this.#passOn(request, settings, reading, origin)
    return this.#noteSilence(request, settings, reading).then((reading) => {
      // A sign-in or sign-out that came in the meantime is newer.
      const isOutrun = reading.setCookie.length > 0 && this.#states.cookie(request) !== cookie
      const current = isOutrun ? { ...reading, setCookie: [] } : reading
      return this.#passOn(request, settings, current, origin)
    })
  }

  /** A renewed cookie is passed on once for each request, however often that is read. */
  #passOn(
    request: HostRequest,
    settings: Settings,
    reading: Reading,
    origin: PublicOrigin,
  ): Reading | Promise<Reading> {
    const { ended, debug } = settings
    // That of a session that has just ended here is not: it would take the place of a newer one.
    if (reading.claims && ended.has(reading.claims)) return NOBODY
    if (reading.setCookie.length === 0) {
      if (reading === FOREIGN && debug && !this.#states.get(request)?.isForeign) {
        this.#states.of(request).isForeign = true
        debug(OTHER_KEY)
      }
      if (reading === FOREIGN) return this.#orOldSession(request, settings, reading, origin)
      // By its members: copies of this module in one process share a verifier, whose constants are of another copy.
      const isNobody = reading.session === null && !reading.isExpired
      return isNobody ? this.#orUnknown(request, settings, origin) : reading
    }
    if (request.isAnswered) {
      const { warnings } = this.#mounts.of(request.source, request.env)
      warnings.once('late-cookie', LATE, settings.warn)
    }
    return { ...reading, setCookie: this.#states.setCookies(request, reading.setCookie) }
  }

  /**
   * No user, unless the browser has no session cookie because it could not renew its bound session. Then it is
   * unknown who asks. A client can say so in every request, so no log says it.
   */
  #orUnknown(
    request: HostRequest,
    settings: Settings,
    origin: PublicOrigin,
  ): Reading | Promise<Reading> {
    const nobody = () => this.#orOldSession(request, settings, NOBODY, origin)
    const skipped = request.header(SKIPPED)
    if (!isSkipped(skipped)) return nobody()
    const reading = settings.verifier.read(this.#states.cookie(request), { ...origin, skipped })
    if (!(reading instanceof Promise)) return nobody()
    return reading.then(nobody, (fault) => {
      this.#states.of(request).isUnanswered = true
      throw fault
    })
  }

  /** No user, unless the request has a session of another library, which the service takes in once. */
  #orOldSession(
    request: HostRequest,
    settings: Settings,
    nobody: Reading,
    origin: PublicOrigin,
  ): Reading | Promise<Reading> {
    const { oldCookies } = settings
    // The old session is used up by it, so the browser has to be given the new one.
    if (!oldCookies || request.takesNoCookies) return nobody
    if (!oldCookies.mayBeIn(this.#states.cookie(request) ?? '', Date.now())) return nobody
    const pending = this.#states.get(request)?.oldSession
    if (pending) return pending.then((reading) => ({ ...reading, setCookie: [] }))
    const mountState = this.#mounts.of(request.source, request.env)
    // A session of another issuer than the service's own could not be ended there.
    const base = baseIn(request, mountState, settings)
    if (base === undefined) {
      mountState.warnings.once(
        'unknown-base',
        `${this.#options.name} ${UNKNOWN_BASE}`,
        settings.warn,
      )
      return nobody
    }
    const service = this.#serviceOf(settings)
    const call = { request, settings, service, origin, mountState }
    const work = continueOldSession(call, oldCookies, this.#states, (init) =>
      this.#ask(call, { base, route: '/session', init }),
    )
    this.#states.of(request).oldSession = work
    return work
  }

  tokenSource(request: HostRequest): TokenSource | Promise<TokenSource> {
    const mountState = this.#mounts.of(request.source, request.env)
    const sourceOf = (settings: Settings): TokenSource => ({
      settings,
      isMounted: this.serves(mountState.served),
      base: baseIn(request, mountState, settings),
    })
    const settings = mountState.settingsOf(request)
    return settings instanceof Promise ? settings.then(sourceOf) : sourceOf(settings)
  }

  serves(source: object): boolean {
    return this.#mounts.serves(source)
  }

  async locate(request: HostRequest): Promise<Location> {
    const mountState = this.#mounts.of(request.source, request.env)
    const settings = await mountState.settingsOf(request)
    const { config, defaultBase, origins } = settings
    const origin = origins.of(request)
    return {
      config,
      base: baseIn(request, mountState, settings) ?? defaultBase,
      origin: typeof origin === 'string' ? undefined : origin.origin,
      isRoute: placeIn(request, settings) !== undefined,
    }
  }

  prefixOf(request: HostRequest): string | Promise<string> {
    const mountState = this.#mounts.of(request.source, request.env)
    const settings = mountState.settingsOf(request)
    return settings instanceof Promise
      ? settings.then((settings) => prefixIn(request, mountState, settings))
      : prefixIn(request, mountState, settings)
  }

  async submission(request: HostRequest): Promise<Submission> {
    const mountState = this.#mounts.of(request.source, request.env)
    const settings = await mountState.settingsOf(request)
    const service = this.#serviceOf(settings)
    const origin = originIn(request, mountState, settings)
    if (typeof origin === 'string') throw new Refusal(400, REFUSALS[origin])
    const { headers, signal } = await request.message()
    const base = baseIn(request, mountState, settings)
    if (base === undefined) throw new AuthError(`${this.#options.name} ${UNKNOWN_BASE}`)
    return {
      headers: endToEndHeaders(headers),
      origin: origin.origin,
      page: origin.origin + base,
      home: withPrefix(prefixIn(request, mountState, settings), `${this.#options.root ?? ''}/`),
      warn: settings.warn,
      typesBy: (load) =>
        settings.worker === undefined
          ? load()
          : mountState.providerTypes.of(settings.worker, origin.origin, load),
      ask: async (route, init) => {
        const call = { base, route, init: { ...init, signal } }
        const response = await this.#ask({ request, settings, service, origin, mountState }, call)
        this.#states.setCookies(request, response.headers.getSetCookie())
        this.#tell(request, response)
        return response
      },
    }
  }

  cookies(request: HostRequest): readonly string[] {
    return this.#states.linesOf(request)
  }

  finish(request: HostRequest, response: Response, isPersonal: boolean): Response {
    const lines = this.cookies(request)
    const { told, isUnanswered = false } = this.#states.get(request) ?? {}
    if (lines.length === 0 && !isPersonal && !told) return response
    const answer = finishResponse(response, lines, isUnanswered)
    for (const [name, value] of told ?? []) answer.headers.set(name, value)
    return answer
  }

  tells(request: HostRequest): boolean {
    return this.#states.get(request)?.told !== undefined
  }

  /** An app signs in by an answer of its own, which passes on the offer to bind the session. */
  #tell(request: HostRequest, { headers }: Response): void {
    for (const [name, value] of headers) {
      if (!name.startsWith('secure-session-')) continue
      const state = this.#states.of(request)
      state.told = (state.told ?? new Map<string, string>()).set(name, value)
    }
  }

  /** @throws {AuthError} */
  #serviceOf({ service }: Settings): Service {
    if (service) return service
    throw new AuthError(`${this.#options.name} needs \`providers\`, \`worker\` or AUTH_WORKER_URL.`)
  }

  #ask(call: Call, given: Pick<ServiceCall, 'base' | 'route' | 'init'>): Promise<Response> {
    const { request } = call
    // The header includes cookies that this request's answer will set.
    const cookie = this.#states.cookie(request)
    if (cookie) given.init.headers.set('cookie', cookie)
    return this.#noteSilence(request, call.settings, askService(call, given))
  }

  /** Records when the service does not answer: it is then unknown whether a user is signed in. */
  async #noteSilence<Result>(
    request: HostRequest,
    { logError }: Settings,
    work: Promise<Result>,
  ): Promise<Result> {
    try {
      return await work
    } catch (fault) {
      if (fault instanceof WorkerUnavailable) {
        this.#states.of(request).isUnanswered = true
        if (this.#options.logsAbsence && !request.isGone) logError(fault)
      }
      throw fault
    }
  }
}
