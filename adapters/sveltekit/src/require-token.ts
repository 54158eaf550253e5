import {
  createHost,
  finishPersonal,
  type Host,
  type RequireTokenOptions,
  refusalResponse,
  TokenGate,
} from '@latchkey/host'
import type { AccessToken } from '@latchkey/session'
import type { RequestEvent } from '@sveltejs/kit'
import { keptHost } from './kit-host.js'
import { KitRequest, throwAsKit } from './kit-request.js'

/** An app without the hook has no auth routes: `AUTH_WORKER_URL` names the service. */
let withoutHook: Host | undefined

/**
 * An endpoint for requests with an access token for this API, which the handler finds at `event.locals.token`. The token
 * is read from the `Authorization` header alone, where an API key may be too, and no cookie counts. Any other request
 * gets 401 or 403, `WWW-Authenticate` (RFC 6750, RFC 9470) and JSON, never a redirect. OPTIONS passes. Answers are
 * `private, no-store`, unless the handler says otherwise.
 *
 * The tokens are those of the service that the hook serves or forwards to; without the hook, those of the service that
 * `AUTH_WORKER_URL` names. When it is unknown whether a token counts, the answer is Kit's error 503.
 *
 * @throws {TypeError | AuthError} at once if an option is invalid
 * @example
 * // src/routes/api/notes/+server.ts
 * export const GET = requireToken({ audience: 'https://api.example.com/', scope: 'notes:read' }, ({ locals }) =>
 *   json(notesOf(locals.token.sub)),
 * )
 */
export function requireToken<Event extends RequestEvent>(
  options: RequireTokenOptions,
  handler: (event: WithToken<Event>) => Response | Promise<Response>,
): (event: Event) => Promise<Response> {
  const gateOf = gates(options)
  // Made once without a request, so that a mistake is reported at the start.
  gateOf(hostOf())
  return async (event) => {
    const known = event as WithToken<Event>
    if (event.request.method === 'OPTIONS') return handler(known)
    const host = hostOf()
    const request = new KitRequest(event, keptHost()?.config, host)
    const { token, refusal } = await read(gateOf(host), request)
    if (refusal) return refusalResponse(refusal)
    ;(event.locals as { token?: AccessToken }).token = token
    return finishPersonal(await handler(known))
  }
}

/** An event behind `requireToken`. */
export type WithToken<Event extends RequestEvent> = Event & {
  readonly locals: { readonly token: AccessToken }
}

async function read(gate: TokenGate, request: KitRequest) {
  try {
    return await gate.read(request)
  } catch (fault) {
    return throwAsKit(fault)
  }
}

function hostOf(): Host {
  const host = keptHost()?.host
  if (host) return host
  withoutHook ??= createHost({ name: 'requireToken' })
  return withoutHook
}

/** One gate for each host: the hook is loaded after some endpoints, and again while the app is developed. */
function gates(options: RequireTokenOptions): (host: Host) => TokenGate {
  const made = new WeakMap<Host, TokenGate>()
  return (host) => {
    const gate = made.get(host) ?? new TokenGate(options, undefined, { host, name: 'requireToken' })
    made.set(host, gate)
    return gate
  }
}
