import {
  answerToFault,
  finishNewest,
  type RequireSessionOptions,
  type SessionGate,
  sessionGate,
} from '@latchkey/host'
import { AuthError, WorkerUnavailable } from '@latchkey/session'
import type { NextFetchEvent, NextRequest } from 'next/server.js'
import type { NextApp } from './next-app.js'
import type { RouteRequest } from './next-request.js'
import { goOn, handOn, wholeLocation } from './proxy-answer.js'
import { answerToThrown } from './redirect.js'
import { configFor } from './source.js'
import { tellMisplaced } from './tell-once.js'
import type { NextAuthRequest } from './types.js'

/** A route handler or proxy of the app. */
export type Work = (request: NextAuthRequest, context: unknown) => unknown

/** A refused request has no user, even with a session. */
const NO_USER = { session: null, claims: null, isExpired: false, setCookie: [] }

const NO_EVENT =
  '`auth(request)` is for the proxy, with its event. In a handler call `auth()`, or wrap the handler by it.'

/** Answers the auth routes. */
export async function serve(app: NextApp, request: NextRequest): Promise<Response> {
  const own = await app.arrived(request)
  const answer = await app.host.answer(own)?.catch((fault) => answerToFault(fault, own))
  if (answer) return answer
  await tellMisplaced(app.host, own)
  return new Response('Not Found', { status: 404 })
}

/** A route handler or proxy of the app's own with `request.auth`. @param options refuse who may not pass */
export function wrap(app: NextApp, handler: Work, options?: RequireSessionOptions) {
  return async (request: NextRequest, context: unknown): Promise<Response> => {
    const event = isEvent(context) ? context : undefined
    const own = await app.arrived(request, event)
    if (event && (await passes(app, own))) return handOn(own, goOn(), [])
    const refusal = await admit(app, own, options).catch((fault) => answerToFault(fault, own))
    if (refusal) return finish(app, own, refusal, event)
    try {
      const response = (await handler(request as NextAuthRequest, context)) as Response
      return finish(app, own, response ?? (event ? goOn() : response), event)
    } catch (thrown) {
      if (thrown instanceof WorkerUnavailable) return finish(app, own, thrown.getResponse(), event)
      const answer = event ? undefined : answerToThrown(thrown, own.method, app.host.tells(own))
      if (answer) return finish(app, own, answer, event)
      own.setCookies(true)
      throw thrown
    }
  }
}

/** `auth` as the proxy, by `callbacks.authorized`. */
export async function proxy(app: NextApp, request: NextRequest, event: unknown): Promise<Response> {
  // In a handler `if (await auth(request))` would let everybody in: each answer is true.
  if (!isEvent(event)) throw new AuthError(NO_EVENT)
  const own = await app.arrived(request, event)
  if (await passes(app, own)) return handOn(own, goOn(), [])
  const place = await admit(app, own)
    .then(() => app.host.locate(own))
    .catch((fault) => answerToFault(fault, own))
  if (place instanceof Response) return finish(app, own, place, event)
  const { authorized } = configFor(place.config).callbacks ?? {}
  // If it is `null` by a mistake of the app, the call throws, and no request passes.
  if (authorized === undefined) return finish(app, own, goOn(), event, false)
  const auth = await own.session.session()
  const verdict = await authorized({ request: request as NextAuthRequest, auth })
  if (verdict === true || verdict === undefined) return finish(app, own, goOn(), event)
  if (typeof verdict === 'object' && verdict) return finish(app, own, verdict, event)
  const redirectTo = await app.signInPage(own)
  const refusal = await refuse(app, own, { redirectTo }, NO_USER)
  return finish(app, own, refusal ?? goOn(), event)
}

/** The answer of a gate. A host that nothing vouches for has no sign-in page: it gets what that page would answer. */
async function refuse(
  { host }: NextApp,
  own: RouteRequest,
  options: RequireSessionOptions,
  reading: Parameters<SessionGate>[1],
): Promise<Response | undefined> {
  const refusal = await sessionGate(options)(own, reading, host)
  if (!refusal || (await host.locate(own)).origin !== undefined) return refusal
  const headers = { 'cache-control': 'private, no-store' }
  return new Response('Sign-in is not available under this host name.', { status: 400, headers })
}

/** The auth routes, and the page that a person is sent to, need no session. */
async function passes(app: NextApp, own: RouteRequest): Promise<boolean> {
  try {
    const { isRoute } = await app.host.locate(own)
    if (isRoute) return true
    const [page] = (await app.signInPage(own)).split(/[?#]/, 1)
    return own.path === page
  } catch {
    // A mistake in the configuration is answered by what follows.
    return false
  }
}

/** Reads the session into `request.auth`. @returns the refusal, if `options` ask for one */
async function admit(
  app: NextApp,
  own: RouteRequest,
  options?: RequireSessionOptions,
): Promise<Response | undefined> {
  const reading = await own.session.reading()
  const { session } = reading
  Object.defineProperty(own.request, 'auth', { value: session, configurable: true })
  if (!options) return undefined
  const { redirectTo } = options
  const page = redirectTo === undefined ? await app.signInPage(own) : app.path(redirectTo)
  return refuse(app, own, { ...options, redirectTo: page }, reading)
}

/** @param event of the proxy; a route handler has none */
function finish(
  { host }: NextApp,
  own: RouteRequest,
  response: Response,
  event: NextFetchEvent | undefined,
  isPersonal = true,
): Response {
  // Next says what is wrong with a handler that returns nothing.
  if (!response) return response
  const answer = finishNewest(host, own, response, isPersonal)
  // Next would replace those of the answer by those of `cookies()`.
  if (event && own.hasChangedJar) own.setCookies(true)
  if (!event) return answer
  const lines = own.takesNoCookies ? [] : host.cookies(own)
  return handOn(own, wholeLocation(own.request, answer), lines)
}

function isEvent(value: unknown): value is NextFetchEvent {
  return typeof (value as NextFetchEvent | undefined)?.waitUntil === 'function'
}
