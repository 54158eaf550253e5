import {
  configurationFailure,
  type Host,
  logMistake,
  processEnv,
  type SessionGate,
} from '@latchkey/host'
import type { Session } from '@latchkey/session'
import type { Context, MiddlewareHandler } from 'hono'
import { HonoHostRequest } from './hono-host.js'
import { keepPrivate } from './keep-private.js'

/** A configuration as the host reads it, or a function that makes one for each request. */
export type Source = Parameters<Host['mount']>[0]

/** Answers the auth routes. @throws {AuthError | SecretError} at once if the environment is known */
export function answering(host: Host, config: Source): MiddlewareHandler {
  host.mount(config, processEnv)
  return async (c, next) => {
    const answer = host.answer(new HonoHostRequest(c, c.req.raw, config))
    return (await answer?.catch((fault) => explain(fault, c))) ?? next()
  }
}

/** A mistake of the configuration goes to the app's `onError`; without one Hono sends `getResponse()`, and logs nothing. */
function explain(fault: unknown, c: Context): never {
  if (logMistake(fault)) {
    const getResponse = () => configurationFailure(c.req.header('accept'))
    Object.assign(fault, { getResponse })
  }
  throw fault
}

/** Reads the session, and sets a renewed cookie by `c.header`. */
export async function readSession(
  host: Host,
  c: Context,
  config?: Source,
): Promise<Session | null> {
  const request = new HonoHostRequest(c, c.req.raw, config)
  const { session, setCookie } = await host.read(request)
  if (setCookie.length === 0) return session
  keepPrivate(host, request)
  for (const line of setCookie) c.header('set-cookie', line, { append: true })
  // A shared cache that stored this answer would give one person's session to others.
  c.header('cache-control', 'private, no-store')
  return session
}

/** Puts the session at `c.var.session`. @param gate refuses a session that does not suffice */
export function reading(host: Host, config?: Source, gate?: SessionGate): MiddlewareHandler {
  return async (c, next) => {
    const request = new HonoHostRequest(c, c.req.raw, config)
    const reading = await host.read(request)
    const { session, setCookie } = reading
    if (setCookie.length > 0) keepPrivate(host, request)
    c.set('session', session)
    const refusal = await gate?.(request, reading, host)
    if (refusal) c.res = refusal
    else await next()
    const answer = host.finish(request, c.res, gate !== undefined || session !== null)
    // Otherwise Hono would overwrite this answer's headers with those of the previous one.
    if (answer !== c.res) c.res = undefined
    c.res = answer
  }
}
