import type { MiddlewareHandler } from 'astro'
import { handle } from './auth.ts'

/** Answers the auth routes, and gives each page and endpoint the session of its request. */
export const onRequest: MiddlewareHandler = (context, next) => {
  if (context.isPrerendered) return next()
  return handle(
    context.request,
    (auth) => {
      context.locals.auth = auth
      return next()
    },
    { client: context.clientAddress },
  )
}
