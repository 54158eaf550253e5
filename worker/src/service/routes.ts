import type { CoreRoute } from '@latchkey/host/shared'
import type { Context } from 'hono'
import { Hono } from 'hono/tiny'
import { keepLanguage } from '../http/locale.js'
import type { Refusal } from '../http/outcome.js'
import type { AuthRequest } from '../http/request.js'
import { isOfCompanies } from '../lib/company-id.js'
import { csrf } from '../routes/csrf.js'
import { errorPage } from '../routes/error.js'
import { jwks } from '../routes/jwks.js'
import { isLookedAt, showNotFound } from '../routes/not-found.js'
import { providers } from '../routes/providers.js'
import { renew } from '../routes/renew.js'
import { revocations } from '../routes/revocations.js'
import { postSession, session } from '../routes/session.js'
import { revokeSessions, sessions } from '../routes/sessions.js'
import { callback, startSignIn } from '../routes/sign-in.js'
import { signInPage } from '../routes/sign-in-page.js'
import { signOut, signOutPage } from '../routes/sign-out.js'
import type { Feature } from './feature.js'
import type { Route } from './request-hooks.js'
import { respond, textResponse } from './respond.js'
import { withSecurityHeaders } from './security-headers.js'

/** The routes that every service has. GET routes answer HEAD too, without changing anything. */
export const CORE_ROUTES: Readonly<Record<CoreRoute, Route>> = {
  '/csrf': { GET: csrf, isData: true },
  '/providers': { GET: providers, isData: true },
  '/session': { GET: session, POST: postSession, isData: true },
  '/signin': { GET: signInPage },
  '/signin/:provider': {
    POST: startSignIn,
    needsHuman: (kind) => kind?.sends,
    isThere: mayBeProvider,
  },
  '/callback/:provider': {
    GET: callback,
    POST: callback,
    needsHuman: (kind) => kind?.isGuessable,
    isScripted: ({ providers }, id) => providers.usable.get(id)?.kind.isScripted === true,
    isThere: (request, id) =>
      mayBeProvider(request, id) && !request.providers.usable.get(id)?.kind.isEntrance,
  },
  '/signout': { GET: signOutPage, POST: signOut },
  '/error': { GET: errorPage },
  '/jwks.json': { GET: jwks, isData: true },
  '/renew': { GET: renew },
  '/sessions': { GET: sessions, isData: true },
  '/sessions/revoke': { POST: revokeSessions },
  '/revocations': { GET: revocations, isData: true },
}

/** A service without companies has no such ids, and one without `password()` has not this one, unless a provider of the app's own has it. */
function mayBeProvider({ features, providers }: AuthRequest, id: string): boolean {
  if (providers.usable.has(id) || providers.misconfigured.has(id)) return true
  return isOfCompanies(id) ? features.ports.entrance !== undefined : id !== 'password'
}

/** The end of the routes that each provider has. */
const PROVIDER = '/:provider'

type Router = Hono<{ Bindings: AuthRequest }>

/** The routers of lists of features. */
const routers = new WeakMap<readonly Feature[], Router>()

/**
 * Answers one request. The router is built at the first request, to save start-up time.
 *
 * @throws {AuthError} with `config.raw`, what went wrong
 */
export function answerRequest(request: AuthRequest): Response | Promise<Response> {
  return routerOf(request.features.all).fetch(request.original, request)
}

function routerOf(all: readonly Feature[]): Router {
  const router = routers.get(all) ?? createRouter(all)
  routers.set(all, router)
  return router
}

function createRouter(all: readonly Feature[]): Router {
  const routes: Router = new Hono({
    // Matched below the base path, on the raw text: an encoded path is another path.
    getPath: (_, options) => (options as { env: AuthRequest }).env.path,
  })
  const add = (path: string, route: Route, feature?: Feature) => {
    const idIn = (c: Context) => (path.endsWith(PROVIDER) ? (c.req.param('provider') ?? '') : '')
    routes.all(path, (c) => answer(c.env, route, idIn(c), feature))
  }
  for (const [path, route] of Object.entries(CORE_ROUTES)) add(path, route)
  for (const feature of all) {
    for (const [path, route] of Object.entries(feature.pages?.routes ?? {}))
      add(path, route, feature)
  }
  routes.notFound((c) => elsewhere(c.env))
  routes.onError((error) => {
    throw error
  })
  return routes
}

async function notFound(request: AuthRequest): Promise<Response> {
  if (isLookedAt(request)) return respond(request, await showNotFound(request, 404), false)
  return withSecurityHeaders(textResponse('Not found', 404), request.secure)
}

async function notAllowed(request: AuthRequest, route: Route, isData: boolean): Promise<Response> {
  const allow = allowed(route)
  if (!isLookedAt(request)) return respond(request, { kind: 'not-allowed', allow }, isData)
  const response = await respond(request, await showNotFound(request, 405), isData)
  response.headers.set('allow', allow)
  return response
}

/** The path of an address below the origin, as it was sent. */
const PATH = /^https?:\/\/[^/]+(\/[^?#]*)/

/** Answers a path without a route of its own: a well-known page, or a path below one that a feature has as a whole. */
function elsewhere(request: AuthRequest): Promise<Response> {
  const path = PATH.exec(request.original.url)?.[1] ?? ''
  const { features } = request
  const found = features.wellKnown(request, path) ?? features.below(request, path)
  return found ? answer(request, found.route, found.rest) : notFound(request)
}

async function answer(
  request: AuthRequest,
  route: Route,
  id: string,
  feature?: Feature,
): Promise<Response> {
  const isOff = feature && !request.features.isOn(feature)
  if (isOff || route.isThere?.(request, id) === false) return notFound(request)
  const { crossOrigin } = route
  if (!crossOrigin) return answerAs(request, route, id)
  const response =
    request.method === 'OPTIONS'
      ? preflight(request, allowed(route))
      : await answerAs(request, route, id)
  const asked = request.original.headers.get('access-control-request-headers')
  for (const [name, value] of Object.entries(crossOrigin(asked))) response.headers.set(name, value)
  return response
}

function preflight({ secure }: AuthRequest, methods: string): Response {
  const headers = { 'access-control-allow-methods': methods }
  return withSecurityHeaders(new Response(null, { status: 204, headers }), secure)
}

async function answerAs(request: AuthRequest, route: Route, id: string): Promise<Response> {
  const { GET, POST, every, isData = false } = route
  const { method } = request
  const own = method === 'GET' || method === 'HEAD' ? GET : method === 'POST' ? POST : undefined
  const handle = own ?? every
  if (!handle) return notAllowed(request, route, isData)
  request.route = route
  request.routeId = id
  let refusal: Refusal
  try {
    if (!isData && method === 'GET') keepLanguage(request)
    const outcome = await handle(request, id)
    if (outcome.kind !== 'refusal') return await respond(request, outcome, isData)
    refusal = outcome
  } catch (error) {
    refusal = { kind: 'refusal', error }
  }
  return respond(request, refusal, isData)
}

function allowed({ GET, POST }: Route): string {
  return [GET ? 'GET, HEAD' : [], POST ? 'POST' : []].flat().join(', ')
}
