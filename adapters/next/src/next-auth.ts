import { AuthError, type Session, WorkerUnavailable } from '@latchkey/session'
import {
  type ActionForm,
  type ActionOptions,
  createHost,
  detourOf,
  finishNewest,
  formOf,
  logMistake,
  Refusal,
  type RequireSessionOptions,
  sessionGate,
} from '@latchkey/session/adapter'
import { configurationFailure, type SessionNeeds } from '@latchkey/session/internal'
import { cookies, headers } from 'next/headers.js'
import type { NextFetchEvent, NextRequest } from 'next/server.js'
import { PageRequest, RouteRequest } from './next-request.js'
import { goOn, handOn, wholeLocation } from './proxy-answer.js'
import { redirect, seeOther } from './redirect.js'
import { configFor, hostSource } from './source.js'
import { tellOnce } from './tell-once.js'
import type { ConfigSource, NextAuthRequest, NextAuthResult, PageSessionOptions } from './types.js'

type Work = (request: NextAuthRequest, context: unknown) => unknown

/** A refused request has no user, whoever its session may name. */
const NO_USER = { session: null, claims: null, isExpired: false, setCookie: [] }

/** @param parts what the two entries differ in */
export function nextAuthOver(
  given: ConfigSource,
  parts: Pick<Parameters<typeof createHost>[0], 'service' | 'wholeEntry'>,
): NextAuthResult {
  // Written out, since Next's compiler puts the value here.
  const root = process.env.__NEXT_ROUTER_BASEPATH ?? ''
  const host = createHost({
    name: 'NextAuth',
    root,
    home: '/api/auth',
    needsService: true,
    logsAbsence: true,
    sharesProcess: true,
    isTrustedPlatform: ({ VERCEL }) => VERCEL === '1',
    ...parts,
  })
  /** By what `headers()` gives, which is the same for everything in one request. */
  const requests = new WeakMap<object, PageRequest>()
  const source = hostSource(given, (native) => {
    const own = requests.get(native)
    return own instanceof RouteRequest ? own.request : undefined
  })

  function begin<Own extends PageRequest>(own: Own): Own {
    requests.set(own.native, own)
    tellOnce(host, own)
    return own
  }

  /** The request of a component, an action, or a handler that has no wrapper. */
  async function current(): Promise<PageRequest> {
    const native = await headers()
    const jar = await cookies()
    const own = requests.get(native) ?? begin(new PageRequest(native, source, host))
    own.jar = jar
    return own
  }

  async function arrived(request: NextRequest, event?: NextFetchEvent): Promise<RouteRequest> {
    const native = await headers()
    const waitUntil = event && ((work: Promise<unknown>) => event.waitUntil(work))
    const own = begin(new RouteRequest(request, native, { source, host, root }, waitUntil))
    own.jar = await cookies()
    return own
  }

  async function serve(request: NextRequest): Promise<Response> {
    const own = await arrived(request)
    const answer = await host.answer(own)?.catch((fault) => failure(fault, own))
    return answer ?? new Response('Not Found', { status: 404 })
  }

  /** The page that a person without a session is sent to. */
  async function signInPage(own: PageRequest): Promise<string> {
    const { config, base } = await host.locate(own)
    return configFor(config).pages?.signIn ?? `${base}/signin`
  }

  function wrap(handler: Work, options?: RequireSessionOptions) {
    return async (request: NextRequest, context: unknown): Promise<Response> => {
      const event = isEvent(context) ? context : undefined
      const own = await arrived(request, event)
      if (event && (await passes(own))) return goOn()
      const refusal = await admit(own, options).catch((fault) => failure(fault, own))
      if (refusal) return finish(own, refusal, event)
      try {
        const response = (await handler(request as NextAuthRequest, context)) as Response
        return finish(own, response ?? (event ? goOn() : response), event)
      } catch (thrown) {
        if (thrown instanceof WorkerUnavailable) return finish(own, thrown.getResponse(), event)
        own.setCookies(true)
        throw thrown
      }
    }
  }

  /** The auth routes, and the page that a person is sent to, need no session. */
  async function passes(own: RouteRequest): Promise<boolean> {
    // A mistake in the configuration is answered by what follows.
    const isRoute = await host.locate(own).then(
      ({ isRoute }) => isRoute,
      () => false,
    )
    if (isRoute) return true
    const page = await signInPage(own).catch(() => undefined)
    return page !== undefined && own.path === pathOf(inApp(page))
  }

  /** Reads the session into `request.auth`. @returns the refusal, if `options` ask for one */
  async function admit(
    own: RouteRequest,
    options?: RequireSessionOptions,
  ): Promise<Response | undefined> {
    const reading = await own.session.reading()
    const { session } = reading
    Object.defineProperty(own.request, 'auth', { value: session, configurable: true })
    if (!options) return undefined
    const redirectTo = inApp(options.redirectTo ?? (await signInPage(own)))
    return sessionGate({ ...options, redirectTo })(own, reading)
  }

  /** `auth` as the proxy, by `callbacks.authorized`. */
  async function proxy(request: NextRequest, event: NextFetchEvent): Promise<Response> {
    const own = await arrived(request, event)
    if (await passes(own)) return goOn()
    const place = await admit(own)
      .then(() => host.locate(own))
      .catch((fault) => failure(fault, own))
    if (place instanceof Response) return finish(own, place, event)
    const { authorized } = configFor(place.config).callbacks ?? {}
    if (!authorized) return finish(own, goOn(), event, false)
    const auth = await own.session.session()
    const verdict = await authorized({ request: request as NextAuthRequest, auth })
    if (verdict === true || verdict === undefined) return finish(own, goOn(), event)
    if (typeof verdict === 'object' && verdict) return finish(own, verdict, event)
    const redirectTo = inApp(await signInPage(own))
    return finish(own, sessionGate({ redirectTo })(own, NO_USER) ?? goOn(), event)
  }

  /** @param event of the proxy; a route handler has none */
  function finish(
    own: RouteRequest,
    response: Response,
    event: NextFetchEvent | undefined,
    isPersonal = true,
  ): Response {
    // Next says what is wrong with a handler that returns nothing.
    if (!response) return response
    const answer = finishNewest(host, own, response, isPersonal)
    return event ? handOn(own, wholeLocation(own.request, answer), host.cookies(own)) : answer
  }

  /** A path as in Next's own functions: without `basePath`, which is never put twice before it. */
  function inApp(path: string): string {
    if (root === '' || !path.startsWith('/') || `${path}/`.startsWith(`${root}/`)) return path
    return root + path
  }

  async function requirePage(options: PageSessionOptions = {}): Promise<Session> {
    const own = await current()
    const { callbackUrl = own.toldTarget, redirectTo, ...needs } = options
    const reading = await own.session.reading()
    const page = inApp(redirectTo ?? (await signInPage(own)))
    const detour = detourOf({ redirectTo: page, ...needs }, reading, callbackUrl)
    if (detour === undefined) return reading.session as Session
    const { origin } = await host.locate(own)
    // Whole, since Next puts its `basePath` before some paths, and not before others.
    return redirect(origin && detour.startsWith('/') ? origin + detour : detour)
  }

  /** A request that may change the session. @throws {AuthError} */
  async function writable(name: string): Promise<PageRequest> {
    const own = await current()
    if (own.setsCookies) return own
    throw new AuthError(
      `${name} sets cookies, which Next allows in server actions and route handlers alone.`,
    )
  }

  async function act(action: ActionForm['action'], more: () => Omit<ActionForm, 'action'>) {
    const own = await writable(action)
    return changing(
      own,
      async () => (await host.submit(own, async () => ({ action, ...more() }))).url,
    )
  }

  async function changing<Result>(own: PageRequest, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } catch (fault) {
      throw fault instanceof Refusal ? new AuthError(fault.message) : fault
    } finally {
      own.session.forget()
      PageRequest.prototype.setCookies.call(own)
    }
  }

  async function leave(url: string, isAsked: boolean): Promise<string> {
    return isAsked ? seeOther(url) : url
  }

  const fieldsOf = (options: ActionOptions | undefined) => {
    const { redirectTo, fields } = formOf(options)
    fields?.delete('redirect')
    return { redirectTo: redirectTo && inApp(redirectTo), fields: fields ?? new URLSearchParams() }
  }

  const auth = (first?: unknown, second?: unknown) => {
    if (typeof first === 'function') return wrap(first as Work)
    if (isRequest(first)) return proxy(first, second as NextFetchEvent)
    return handled(current().then((own) => own.session.session(first as SessionNeeds)))
  }
  const requireSession = (first?: unknown, options: RequireSessionOptions = {}) =>
    typeof first === 'function'
      ? wrap(first as Work, options)
      : handled(requirePage(first as PageSessionOptions))
  const result = {
    handlers: { GET: serve, POST: serve },
    auth,
    requireSession,
    signIn: async (providerId?: string, options?: ActionOptions, params?: unknown) => {
      const authorizationParams = new URLSearchParams(params as URLSearchParams)
      const form = () => ({ providerId, authorizationParams, ...fieldsOf(options) })
      return leave(await act('signIn', form), redirects(options))
    },
    signOut: async (options?: ActionOptions) =>
      leave(await act('signOut', () => fieldsOf(options)), redirects(options)),
    update: async (data: unknown) => {
      const own = await writable('update')
      await changing(own, () => host.update(own, data))
      return own.session.session()
    },
  }
  return result as NextAuthResult
}

/** @throws what is neither the service's silence nor a mistake in the configuration */
function failure(fault: unknown, own: PageRequest): Response {
  if (fault instanceof WorkerUnavailable) return fault.getResponse()
  if (logMistake(fault)) return configurationFailure(own.header('accept'))
  throw fault
}

function redirects(options: ActionOptions | undefined): boolean {
  return !(options && !(options instanceof FormData) && options.redirect === false)
}

function pathOf(page: string): string | undefined {
  return page.split(/[?#]/, 1)[0]
}

/** Next's own, in each of its runtimes: a class would be another one there. */
function isRequest(value: unknown): value is NextRequest {
  return typeof value === 'object' && value !== null && 'nextUrl' in value
}

function isEvent(value: unknown): value is NextFetchEvent {
  return typeof (value as NextFetchEvent | undefined)?.waitUntil === 'function'
}

/** Callers get the rejection. A page that calls without `await` must not end the process. */
function handled<Result>(work: Promise<Result>): Promise<Result> {
  work.catch(() => {})
  return work
}
