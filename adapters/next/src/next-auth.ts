import { detourOf, type RequireSessionOptions, withPrefix } from '@latchkey/host'
import type { Session, SessionNeeds } from '@latchkey/session'
import type { NextRequest } from 'next/server.js'
import { actionsOf } from './actions.js'
import { NextApp, type Parts } from './next-app.js'
import { redirect } from './redirect.js'
import { proxy, serve, type Work, wrap } from './routes.js'
import type { ConfigSource, NextAuthResult, PageSessionOptions } from './types.js'

/** Sign-in for a Next app, with or without the service in its own process. */
export function nextAuthOver(given: ConfigSource, parts: Parts): NextAuthResult {
  const app = new NextApp(given, parts)
  const handler = (request: NextRequest) => serve(app, request)
  const auth = (first?: unknown, second?: unknown) => {
    if (typeof first === 'function') return wrap(app, first as Work)
    if (isRequest(first)) return handled(proxy(app, first, second))
    return handled(app.current().then((own) => own.session.session(first as SessionNeeds)))
  }
  const requireSession = (first?: unknown, options?: RequireSessionOptions) =>
    typeof first === 'function'
      ? // No default parameter, which leaves `null`: that would be a handler without a gate.
        wrap(app, first as Work, options ?? {})
      : handled(requirePage(app, first as PageSessionOptions))
  const result = { handlers: { GET: handler, POST: handler }, auth, requireSession }
  return { ...result, ...actionsOf(app) } as NextAuthResult
}

async function requirePage(app: NextApp, options: PageSessionOptions = {}): Promise<Session> {
  const own = await app.current()
  const { callbackUrl = own.toldTarget, redirectTo, ...needs } = options
  const reading = await own.session.reading()
  const page = redirectTo === undefined ? await app.signInPage(own) : app.path(redirectTo)
  const prefix = await app.host.prefixOf(own)
  const detour = detourOf(
    { redirectTo: withPrefix(prefix, page), ...needs },
    reading,
    callbackUrl === undefined ? undefined : withPrefix(prefix, callbackUrl),
  )
  if (detour === undefined) return reading.session as Session
  const { origin } = await app.host.locate(own)
  // Whole, since Next puts its `basePath` before some paths, and not before others.
  return redirect(origin && detour.startsWith('/') ? origin + detour : detour)
}

/** Next's own, in each of its runtimes: a class would be another one there. */
function isRequest(value: unknown): value is NextRequest {
  return typeof value === 'object' && value !== null && 'nextUrl' in value
}

/** Callers get the rejection. A page that calls without `await` must not end the process. */
function handled<Result>(work: Promise<Result>): Promise<Result> {
  work.catch(() => {})
  return work
}
