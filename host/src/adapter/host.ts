import { AuthError, type Reading, WorkerUnavailable } from '@latchkey/session'
import { FOREIGN, isWorkerd, NOBODY } from '@latchkey/session/internal'
import type { Environment } from '../shared/environment.js'
import { OTHER_KEY } from '../shared/other-key.js'
import { endsInServiceRoute, isBasePath, isOperatorRoute } from '../shared/service-routes.js'
import { askService, type Call } from './ask-service.js'
import { BrowserCookies } from './browser-cookies.js'
import { continueOldSession } from './continue-old-session.js'
import { endToEndHeaders, endToEndResponse } from './end-to-end.js'
import { finishResponse } from './finish-response.js'
import type { HostConfig, HostConfigSource } from './host-config.js'
import type { HostMessage, HostRequest } from './host-request.js'
import { logErrorOf } from './log-error.js'
import { type MountState, Mounts, type MountsOptions } from './mounts.js'
import type { OriginFault, PublicOrigin } from './origins.js'
import { prefixOfMount, toldPrefix, withPrefix } from './path-prefix.js'
import { type Place, placeOf } from './place.js'
import { REFUSALS, Refusal } from './refusal.js'
import type { Service, ServiceCall } from './service.js'
import { checkConfig, type Settings } from './settings.js'
import type { Submission } from './submit-form.js'

/** After the adapter's function. */
const UNKNOWN_BASE =
  'does not know its base path before the first request for an auth route, so no session begins until then. Set `basePath`, or the path in AUTH_URL.'

const LATE =
  'A session was renewed when its answer had begun, so the browser does not get the cookie: read it before the answer.'

export interface HostOptions extends MountsOptions {
  /**
   * Log when the service does not answer, since the framework does not show the cause of an error.
   */
  readonly logsAbsence?: boolean
  /**
   * A mount must name the service, by `providers` or a Worker. Otherwise the app may only read
   * sessions.
   */
  readonly needsService?: boolean
  /** Throw for an unusable configuration also if a request has no cookie to read. */
  readonly checksAlways?: boolean
}

/**
 * The common part of every adapter: it answers the auth routes, in this process or from the Worker,
 * and reads sessions. An adapter converts requests and responses, and decides nothing.
 */
export interface Host {
  /**
   * Registers a configuration that serves the auth routes. Readers without one use it while it is
   * the only one.
   *
   * @param env if it is known before a request: mistakes are then thrown at once
   * @throws {AuthError | SecretError | TypeError} when the configuration cannot be used
   */
  mount(source: HostConfigSource, env?: Environment): void
  /**
   * Checks a configuration at the first request, if its environment is not known before.
   */
  start(request: HostRequest): void
  /**
   * The answer to a request for an auth route; `undefined` if the request is for another path or
   * another service: then the app answers it.
   *
   * @throws {WorkerUnavailable} with `status` 503 when the service does not answer, 502 when its
   * answer is invalid
   */
  answer(request: HostRequest): Promise<Response | undefined> | undefined
  /**
   * The session of a request, without a promise for a token that was seen before. Its `setCookie`
   * has lines to pass on, once for each request; {@link Host.finish} has them too.
   *
   * @throws {WorkerUnavailable} rejects when a token must be renewed and the service does not answer
   */
  read(request: HostRequest): Reading | Promise<Reading>
  /**
   * What `submitForm` and `submitUpdate` need to send a form or data of the app's own to the service. Later reads of
   * the same request give the session that holds afterwards.
   *
   * @throws {Refusal} for a request whose host is refused
   */
  submission(request: HostRequest): Promise<Submission>
  /** What a gate for access tokens needs. @throws {AuthError | SecretError | TypeError} as `mount` */
  tokenSource(request: HostRequest): TokenSource | Promise<TokenSource>
  /** Does this very configuration serve the auth routes? */
  serves(source: object): boolean
  /** Where a request is, for an adapter with pages of its own. @throws as {@link Host.read} */
  locate(request: HostRequest): Promise<Location>
  /**
   * The part of a browser's paths that a proxy has taken off before this app, such as `/app`; empty if there is none. A base
   * path in the configuration that is longer than the mount tells it, else `X-Forwarded-Prefix` of a trusted proxy.
   */
  prefixOf(request: HostRequest): string | Promise<string>
  /** Set-Cookie lines that the answer to a request must have. */
  cookies(request: HostRequest): readonly string[]
  /**
   * The app's answer with our cookies, and kept from shared caches.
   *
   * @param isPersonal does it depend on the session?
   */
  finish(request: HostRequest, response: Response, isPersonal: boolean): Response
}

/** The configuration that counts for a request with an access token. */
export interface TokenSource {
  readonly settings: Settings
  /** Does it serve the auth routes too? Then this app's own origin is the issuer. */
  readonly isMounted: boolean
  /** The base path of the auth routes, if it is known. */
  readonly base: string | undefined
}

/** Where a request is. */
interface Location {
  /** The configuration that counts for it. */
  readonly config: HostConfig
  /** The base path of the auth routes. */
  readonly base: string
  /** The app's public origin; `undefined` if the host is malformed, or not known as this app's. */
  readonly origin: string | undefined
  /** Is it for an auth route? */
  readonly isRoute: boolean
}

/**
 * Makes a host: one for each adapter.
 *
 * @example
 * const host = createHost({ name: 'authHandler', service: inProcess(() => import('@latchkey/worker')) })
 * const answer = await host.answer(request)
 */
export function createHost(options: HostOptions): Host {
  return new AdapterHost(options)
}

class AdapterHost implements Host {
  readonly #options: HostOptions
  readonly #mounts: Mounts
  readonly #cookies = new BrowserCookies()
  /** Requests for which the service gets a question about an old session, or got one. */
  readonly #oldSessions = new WeakMap<object, Promise<Reading>>()
  /** Requests for which the service did not answer. */
  readonly #absences = new WeakSet<object>()
  /** Requests that were logged because another key has signed their token. */
  readonly #foreign = new WeakSet<object>()

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
    const origin = this.#originOf(request, mountState, settings)
    if (place.isRewritten)
      mountState.warnings.once('base-path', this.#otherBase(place), settings.warn)
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
        route: place.route + this.#searchOf(request, place, origin),
        init: initOf(message),
      },
    )
    if (response.status !== 404 || message.isSpent?.() || isOfOperator(place, response)) {
      // A sign-in or sign-out is newer than a cookie that a reader has renewed before it.
      if (this.cookies(request).length > 0)
        this.#cookies.set(request, response.headers.getSetCookie())
      return endToEndResponse(response)
    }
    // The app answers a route that this service does not have.
    await response.body?.cancel()
    return undefined
  }

  read(request: HostRequest): Reading | Promise<Reading> {
    const cookie = this.#cookies.of(request)
    if (!cookie && !this.#options.checksAlways) return NOBODY
    const settings = this.#mounts.of(request.source, request.env).settingsOf(request)
    if (!cookie) return NOBODY
    if (!(settings instanceof Promise)) return this.#read(request, settings, cookie)
    return settings.then((settings) => this.#read(request, settings, cookie))
  }

  #read(request: HostRequest, settings: Settings, cookie: string): Reading | Promise<Reading> {
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
    return this.#heard(request, settings, reading).then((reading) => {
      // A sign-in or sign-out that came in the meantime is newer.
      const isOutrun = reading.setCookie.length > 0 && this.#cookies.of(request) !== cookie
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
      if (reading === FOREIGN && debug && !this.#foreign.has(request.native)) {
        this.#foreign.add(request.native)
        debug(OTHER_KEY)
      }
      const isNobody = reading === NOBODY || reading === FOREIGN
      return isNobody ? this.#orOldSession(request, settings, reading, origin) : reading
    }
    if (request.isAnswered) {
      const { warnings } = this.#mounts.of(request.source, request.env)
      warnings.once('late-cookie', LATE, settings.warn)
    }
    return { ...reading, setCookie: this.#cookies.set(request, reading.setCookie) }
  }

  /** No user, unless the request has a session of another library, which the service takes in once. */
  #orOldSession(
    request: HostRequest,
    settings: Settings,
    nobody: Reading,
    origin: PublicOrigin,
  ): Reading | Promise<Reading> {
    const { oldCookies, verifier } = settings
    // The old session is used up by it, so the browser has to be given the new one.
    if (!oldCookies || request.takesNoCookies) return nobody
    if (!oldCookies.mayBeIn(this.#cookies.of(request) ?? '', Date.now())) return nobody
    const pending = this.#oldSessions.get(request.native)
    if (pending) return pending.then((reading) => ({ ...reading, setCookie: [] }))
    const mountState = this.#mounts.of(request.source, request.env)
    // A session of another issuer than the service's own could not be ended there.
    const base = this.#baseOf(request, mountState, settings)
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
    const { waitUntil } = request
    const cookie = this.#cookies.of(request)
    const work = continueOldSession({
      oldCookies,
      userAgent: request.header('user-agent'),
      ask: (init) => this.#ask(call, { base, route: '/session', init }),
      read: async (lines) => {
        const isOutrun = this.#cookies.of(request) !== cookie
        const setCookie = isOutrun ? [] : this.#cookies.set(request, lines)
        const options = { ...origin, waitUntil, service: service.address(waitUntil) }
        return { ...(await verifier.read(this.#cookies.of(request), options)), setCookie }
      },
    })
    this.#oldSessions.set(request.native, work)
    return work
  }

  tokenSource(request: HostRequest): TokenSource | Promise<TokenSource> {
    const mountState = this.#mounts.of(request.source, request.env)
    const sourceOf = (settings: Settings): TokenSource => ({
      settings,
      isMounted: this.serves(mountState.served),
      base: this.#baseOf(request, mountState, settings),
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
      base: this.#baseOf(request, mountState, settings) ?? defaultBase,
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
    const origin = this.#originOf(request, mountState, settings)
    if (typeof origin === 'string') throw new Refusal(400, REFUSALS[origin])
    const { headers, signal } = await request.message()
    const base = this.#baseOf(request, mountState, settings)
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
        this.#cookies.set(request, response.headers.getSetCookie())
        return response
      },
    }
  }

  cookies(request: HostRequest): readonly string[] {
    return this.#cookies.linesOf(request)
  }

  finish(request: HostRequest, response: Response, isPersonal: boolean): Response {
    const lines = this.cookies(request)
    if (lines.length === 0 && !isPersonal) return response
    return finishResponse(response, lines, this.#absences.has(request.native))
  }

  /** @throws {AuthError} */
  #serviceOf({ service }: Settings): Service {
    if (service) return service
    throw new AuthError(`${this.#options.name} needs \`providers\`, \`worker\` or AUTH_WORKER_URL.`)
  }

  /** The service's base path; `undefined` while the mount of the auth routes is unknown. */
  #baseOf(request: HostRequest, mountState: MountState, settings: Settings): string | undefined {
    const known = settings.basePath ?? mountState.base ?? request.baseOf?.(mountState.served)
    const base = known === '' ? settings.defaultBase : known
    return base !== undefined && isBasePath(base) ? base : undefined
  }

  #originOf(
    request: HostRequest,
    { warnings }: MountState,
    { origins, warn }: Settings,
  ): PublicOrigin | OriginFault {
    const verdict = origins.of(request)
    warnings.look(verdict, origins.fixed, (name) => request.header(name), warn)
    if (request.schemeHint) warnings.once('guessed-https', request.schemeHint, warn)
    return verdict
  }

  #otherBase({ base }: Place): string {
    return `${this.#options.name} was asked at another path than ${base}, which \`basePath\` or AUTH_URL says, and to which its forms lead. Mount it at ${base}, unless a proxy takes a part of the path off.`
  }

  /** Without a callbackUrl, return to this app's root, which may not be the site's. */
  #searchOf({ method, target }: HostRequest, { route }: Place, { origin }: PublicOrigin): string {
    const at = target.indexOf('?')
    const search = at === -1 ? '' : target.slice(at)
    const { root } = this.#options
    const isPage = method === 'GET' && (route === '/signin' || route === '/signout')
    if (!root || !isPage) return search
    const query = new URLSearchParams(search)
    if (query.has('callbackUrl')) return search
    query.set('callbackUrl', `${origin}${root}/`)
    return `?${query}`
  }

  #ask(call: Call, given: Pick<ServiceCall, 'base' | 'route' | 'init'>): Promise<Response> {
    const { request } = call
    // The header includes cookies that this request's answer will set.
    const cookie = this.#cookies.of(request)
    if (cookie) given.init.headers.set('cookie', cookie)
    return this.#heard(request, call.settings, askService(call, given))
  }

  /** Records when the service does not answer: it is then unknown whether a user is signed in. */
  async #heard<Result>(
    request: HostRequest,
    { logError }: Settings,
    work: Promise<Result>,
  ): Promise<Result> {
    try {
      return await work
    } catch (fault) {
      if (fault instanceof WorkerUnavailable) {
        this.#absences.add(request.native)
        if (this.#options.logsAbsence && !request.isGone) logError(fault)
      }
      throw fault
    }
  }
}

function prefixIn(
  request: HostRequest,
  { served, mount }: MountState,
  { configuredBase, origins }: Settings,
): string {
  return (
    prefixOfMount(configuredBase, request.baseOf?.(served) ?? mount) || toldTo(request, origins)
  )
}

/** What a proxy says, if this app trusts it. */
function toldTo(request: HostRequest, { trustsProxy }: Settings['origins']): string {
  return trustsProxy || request.isFromProxy ? toldPrefix(request) : ''
}

function placeIn(request: HostRequest, settings: Settings): Place | undefined {
  const { configuredBase, defaultBase, origins, service, worker } = settings
  const isHere = service && worker === undefined
  const place = placeOf(request, configuredBase, defaultBase, isHere)
  if (place || configuredBase === undefined) return place
  // Without a mount, only the proxy tells that the configured path is the browser's.
  const prefix = toldTo(request, origins)
  const path = prefix + request.path
  return prefix === '' ? undefined : placeOf({ path }, configuredBase, defaultBase, isHere)
}

/** Did the operator API answer, for a key, that it has no such method? A service without that API answers no JSON. */
function isOfOperator({ route }: Place, { headers }: Response): boolean {
  return isOperatorRoute(route) && headers.get('content-type') === 'application/json'
}

/** The init of `fetch` and `new Request`. */
function initOf({ method, headers: given, body, signal }: HostMessage): ServiceCall['init'] {
  const headers = endToEndHeaders(given)
  const init = { method, headers, signal }
  if (method === 'GET' || method === 'HEAD') {
    headers.delete('content-length')
    return init
  }
  // For a body that is a stream: the request is sent before an answer is awaited.
  const sent: ServiceCall['init'] & { duplex: 'half' } = { ...init, body, duplex: 'half' }
  return sent
}
