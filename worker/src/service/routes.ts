import type { ServiceRoute } from '@latchkey/session/internal'
import { HTTPException } from 'hono/http-exception'
import { Hono } from 'hono/tiny'
import { AuthError } from '../errors.js'
import { errorResponse } from '../http/reply.js'
import type { AuthContext, AuthTypes, RequestScope } from '../http/scope.js'
import { account } from '../routes/account.js'
import { callback } from '../routes/callback.js'
import { csrf } from '../routes/csrf.js'
import { verifyRequest } from '../routes/email.js'
import { errorPage } from '../routes/error.js'
import { jwks } from '../routes/jwks.js'
import { providers } from '../routes/providers.js'
import { renew } from '../routes/renew.js'
import { revocations } from '../routes/revocations.js'
import { postSession, session } from '../routes/session.js'
import { revokeSessions, sessions } from '../routes/sessions.js'
import { startSignIn } from '../routes/sign-in.js'
import { signInPage } from '../routes/sign-in-page.js'
import { signOut, signOutPage } from '../routes/sign-out.js'

type Handler = (c: AuthContext) => Response | Promise<Response>

interface Methods {
  readonly GET?: Handler
  readonly POST?: Handler
}

/** What answers each route. GET routes answer HEAD too, without changing anything. */
const HANDLERS: Readonly<Record<ServiceRoute, Methods>> = {
  '/csrf': { GET: csrf },
  '/providers': { GET: providers },
  '/session': { GET: session, POST: postSession },
  '/signin': { GET: signInPage },
  '/signin/:provider': { POST: startSignIn },
  '/callback/:provider': { GET: callback, POST: callback },
  '/signout': { GET: signOutPage, POST: signOut },
  '/error': { GET: errorPage },
  '/verify-request': { GET: verifyRequest },
  '/jwks.json': { GET: jwks },
  '/renew': { GET: renew },
  '/sessions': { GET: sessions },
  '/sessions/revoke': { POST: revokeSessions },
  '/revocations': { GET: revocations },
  '/account': { GET: account },
}

let app: Hono<AuthTypes> | undefined

/** Answers one request. The router is built at the first one: it would cost start-up time. */
export function answerRequest(request: Request, scope: RequestScope): Response | Promise<Response> {
  app ??= createApp()
  return app.fetch(request, scope)
}

function createApp(): Hono<AuthTypes> {
  const routes = new Hono<AuthTypes>({
    // Matched below the base path, on the raw text: an encoded path is another path.
    getPath: (_, options) => (options as { env: RequestScope }).env.path,
  })
  for (const [path, methods] of Object.entries(HANDLERS)) {
    routes.all(path, (c) => answer(c, methods))
  }
  routes.notFound((c) => c.text('Not found', 404))
  routes.onError((error, c) => {
    const { config } = c.env
    if (error instanceof HTTPException) return c.text(error.message, error.status)
    const known =
      error instanceof AuthError ? error : new AuthError('Unexpected failure.', { cause: error })
    config.logger.error(known)
    if (config.raw) throw known
    return errorResponse(c, known)
  })
  return routes
}

function answer(c: AuthContext, { GET, POST }: Methods): Response | Promise<Response> {
  const { method } = c.req
  if (GET && (method === 'GET' || method === 'HEAD')) return GET(c)
  if (POST && method === 'POST') return POST(c)
  const allow = [GET ? 'GET, HEAD' : [], POST ? 'POST' : []].flat().join(', ')
  return c.text('Method not allowed', 405, { Allow: allow })
}
