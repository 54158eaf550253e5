import type { MiddlewareHandler } from 'astro'
import { handle } from './auth.ts'

/** Answers the auth routes, and gives each page and endpoint the session of its request. */
export const onRequest: MiddlewareHandler = async (context, next) => {
  if (context.isPrerendered) return next()
  const answer = await handle(
    context.request,
    (auth) => {
      context.locals.auth = auth
      return next()
    },
    { client: context.clientAddress },
  )
  // If Astro caches the route, it adds a header later by which a CDN would keep this answer for everybody.
  const isPrivate = /private|no-store/.test(answer.headers.get('cache-control') ?? '')
  if (isPrivate && context.cache.enabled) context.cache.set(false)
  return answer
}
