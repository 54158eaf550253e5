import type { ServiceRoute } from '@latchkey/session/internal'
import type { Context } from 'hono'
import { Hono } from 'hono/tiny'
import type { Fields } from '../http/body.js'
import { isImporting } from '../http/import-request.js'
import type { Outcome, Refusal } from '../http/outcome.js'
import type { AuthRequest, Kind } from '../http/request.js'
import { keepLanguage } from '../http/words.js'
import { account, accountSection, deleteAccount } from '../routes/account.js'
import { callback } from '../routes/callback.js'
import { csrf } from '../routes/csrf.js'
import { errorPage } from '../routes/error.js'
import { enterFactor, factorPage } from '../routes/factor.js'
import { confirmOwnFactor, newRecoveryCodes, removeOwnFactor } from '../routes/factor-changes.js'
import { factorSetup, setUp } from '../routes/factor-setup.js'
import { importRoute } from '../routes/import.js'
import { jwks } from '../routes/jwks.js'
import { isLookedAt, nothingHere } from '../routes/nothing-here.js'
import { passkeyOptions } from '../routes/passkey-options.js'
import { providers } from '../routes/providers.js'
import { renew } from '../routes/renew.js'
import { revocations } from '../routes/revocations.js'
import { postSession, session } from '../routes/session.js'
import { revokeSessions, sessions } from '../routes/sessions.js'
import { startSignIn } from '../routes/sign-in.js'
import { signInPage } from '../routes/sign-in-page.js'
import { signOut, signOutPage } from '../routes/sign-out.js'
import { verifyRequest } from '../routes/verify-request.js'
import { addWay, confirmWayOf, removeWayOf, renameWayOf, ways } from '../routes/ways.js'
import { hardened } from './hardened.js'
import { respond, textResponse } from './respond.js'

/** @param id the part of the path in the place of `:provider` */
type Handler = (request: AuthRequest, id: string) => Outcome | Promise<Outcome>

interface Route {
  readonly GET?: Handler
  readonly POST?: Handler
  /** Is it there at all? Left out: it is. */
  readonly isThere?: (request: AuthRequest) => boolean
  /** It is read by scripts, so errors are JSON. */
  readonly isData?: true
  /**
   * Does this POST send something to whom a stranger names, or try a guess? Where Turnstile is on only a person
   * may. Left out: never.
   *
   * @param kind of the provider that the path, or else the form, names
   */
  readonly needsHuman?: (kind: Kind | undefined, fields: Fields) => boolean | undefined
}

const sends: Route['needsHuman'] = (kind) => kind?.sends

/** The handlers of each route. GET routes answer HEAD too, without changing anything. */
const HANDLERS: Readonly<Record<ServiceRoute, Route>> = {
  '/csrf': { GET: csrf, isData: true },
  '/providers': { GET: providers, isData: true },
  '/session': { GET: session, POST: postSession, isData: true },
  '/signin': { GET: signInPage },
  '/signin/:provider': { POST: startSignIn, needsHuman: sends },
  '/callback/:provider': { GET: callback, POST: callback, needsHuman: (kind) => kind?.isGuessable },
  '/signout': { GET: signOutPage, POST: signOut },
  '/error': { GET: errorPage },
  '/verify-request': { GET: verifyRequest },
  '/jwks.json': { GET: jwks, isData: true },
  '/renew': { GET: renew },
  '/sessions': { GET: sessions, isData: true },
  '/sessions/revoke': { POST: revokeSessions },
  '/revocations': { GET: revocations, isData: true },
  '/account': { GET: account },
  '/account/sessions': { GET: accountSection('sessions') },
  '/account/ways': { GET: accountSection('ways') },
  '/account/passkeys': { GET: accountSection('passkeys') },
  '/account/security': { GET: accountSection('security') },
  '/account/delete': { POST: deleteAccount },
  '/ways': { GET: ways, isData: true },
  '/ways/add': {
    POST: addWay,
    needsHuman: sends,
  },
  '/ways/remove': { POST: removeWayOf },
  '/ways/rename': { POST: renameWayOf },
  '/ways/confirm': { POST: confirmWayOf },
  '/passkey/options': {
    POST: passkeyOptions,
    isData: true,
    needsHuman: (_kind, fields) => fields.for === 'sign-up',
  },
  '/factor': { GET: factorPage, POST: enterFactor, needsHuman: () => true },
  '/factor/setup': { GET: factorSetup, POST: setUp },
  '/factor/recovery': { POST: newRecoveryCodes },
  '/factor/remove': { POST: removeOwnFactor },
  '/factor/confirm': { POST: confirmOwnFactor },
  '/import': { POST: importRoute, isThere: isImporting, isData: true },
}

/** The end of the routes that each provider has. */
const PROVIDER = '/:provider'

type Router = Hono<{ Bindings: AuthRequest }>

let router: Router | undefined

/**
 * Answers one request. The router is built at the first request, to save start-up time.
 *
 * @throws {AuthError} with `config.raw`, what went wrong
 */
export function answerRequest(request: AuthRequest): Response | Promise<Response> {
  router ??= createRouter()
  return router.fetch(request.original, request)
}

function createRouter(): Router {
  const routes: Router = new Hono({
    // Matched below the base path, on the raw text: an encoded path is another path.
    getPath: (_, options) => (options as { env: AuthRequest }).env.path,
  })
  for (const [path, route] of Object.entries(HANDLERS)) {
    const idIn = (c: Context) => (path.endsWith(PROVIDER) ? (c.req.param('provider') ?? '') : '')
    routes.all(path, (c) => answer(c.env, route, idIn(c)))
  }
  routes.notFound((c) => wellKnown(c.env) ?? notFound(c.env))
  routes.onError((error) => {
    throw error
  })
  return routes
}

async function notFound(request: AuthRequest): Promise<Response> {
  if (isLookedAt(request)) return respond(request, await nothingHere(request, 404), false)
  return hardened(textResponse('Not found', 404), request.secure)
}

async function notAllowed(request: AuthRequest, route: Route, isData: boolean): Promise<Response> {
  const allow = allowed(route)
  if (!isLookedAt(request)) return respond(request, { kind: 'not-allowed', allow }, isData)
  const response = await respond(request, await nothingHere(request, 405), isData)
  response.headers.set('allow', allow)
  return response
}

/** Where browsers ask which other origins may use the passkeys of this one (WebAuthn Level 3, section 5.11). */
const RELATED = /^https?:\/\/[^/]+\/\.well-known\/webauthn(?:[?#]|$)/

/** Below no base path, so asked for where nothing else is found. */
function wellKnown(request: AuthRequest): Response | Promise<Response> | undefined {
  const { original, method, providers } = request
  if ((method !== 'GET' && method !== 'HEAD') || !RELATED.test(original.url)) return undefined
  const provider = providers.usable.get('passkey')
  const origins = provider?.kind.relatedOrigins?.(provider) ?? []
  if (origins.length === 0) return undefined
  return respond(request, { kind: 'json', body: { origins }, cacheFor: 3_600 }, true)
}

async function answer(request: AuthRequest, route: Route, id: string): Promise<Response> {
  const { GET, POST, needsHuman, isData = false } = route
  const { method } = request
  if (route.isThere?.(request) === false) return notFound(request)
  const handle = method === 'GET' || method === 'HEAD' ? GET : method === 'POST' ? POST : undefined
  if (!handle) return notAllowed(request, route, isData)
  if (method === 'POST' && needsHuman && request.config.turnstile) {
    const { usable } = request.providers
    request.needsHuman = (fields) =>
      needsHuman(usable.get(id || (fields.provider as string))?.kind, fields)
  }
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
