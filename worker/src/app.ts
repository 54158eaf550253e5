import { HTTPException } from 'hono/http-exception'
import { Hono } from 'hono/tiny'
import { callback } from './actions/callback.js'
import { csrf } from './actions/csrf.js'
import { errorPage } from './actions/error.js'
import { jwks } from './actions/jwks.js'
import { providers } from './actions/providers.js'
import { postSession, session } from './actions/session.js'
import { signInPage, startSignIn } from './actions/sign-in.js'
import { signOut, signOutPage } from './actions/sign-out.js'
import { AuthError } from './errors.js'
import { errorResponse } from './http/reply.js'
import type { AuthContext, AuthTypes } from './http/scope.js'

type Handler = (c: AuthContext) => Response | Promise<Response>

/** Every route of the service. GET routes answer HEAD too, without changing anything. */
const ROUTES: Readonly<Record<string, { readonly GET?: Handler; readonly POST?: Handler }>> = {
  '/csrf': { GET: csrf },
  '/providers': { GET: providers },
  '/session': { GET: session, POST: postSession },
  '/signin': { GET: signInPage },
  '/signin/:provider': { POST: startSignIn },
  '/callback/:provider': { GET: callback, POST: callback },
  '/signout': { GET: signOutPage, POST: signOut },
  '/error': { GET: errorPage },
  '/jwks.json': { GET: jwks },
}

/** Paths are matched below the base path, on the raw text: an encoded path is another path. */
export const app = new Hono<AuthTypes>({
  getPath: (_, options) => (options as { env: AuthTypes['Bindings'] }).env.path,
})

for (const [path, { GET, POST }] of Object.entries(ROUTES)) {
  const allow = [GET ? 'GET, HEAD' : [], POST ? 'POST' : []].flat().join(', ')
  // One entry for each path: every request is compared with all of them.
  app.all(path, (c) => {
    const { method } = c.req
    const handler =
      method === 'POST' ? POST : method === 'GET' || method === 'HEAD' ? GET : undefined
    return handler ? handler(c) : c.text('Method not allowed', 405, { Allow: allow })
  })
}

app.notFound((c) => c.text('Not found', 404))

app.onError((error, c) => {
  const { config } = c.env
  if (error instanceof HTTPException) return c.text(error.message, error.status)
  const known =
    error instanceof AuthError ? error : new AuthError('Unexpected failure.', { cause: error })
  config.logger.error(known)
  if (config.raw) throw known
  return errorResponse(c, known)
})
