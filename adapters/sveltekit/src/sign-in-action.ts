import { type ActionCall, beginAction, conclude, get, type Outcome, post } from './action-call.js'
import type { AuthApp } from './auth-app.js'
import type { AuthRequest } from './auth-request.js'
import type { AuthResult } from './client-flow.js'
import { type TypesById, typesIn } from './provider-types.js'

/** The form action `signIn`. */
export async function signInAction(app: AuthApp, request: AuthRequest): Promise<AuthResult> {
  const call = await beginAction(app, request)
  const { providerId: id, fields, authorizationParams } = call.form
  if (id === undefined) return conclude(call, signInPage(call))
  const types = await typesOf(app, call)
  const type = types.get(id)
  if (type === undefined) {
    call.settings.warn('unknown-provider', unknownProvider(id, types))
    return conclude(call, { ...signInPage(call), ...UNKNOWN })
  }
  if (type === 'credentials') {
    return conclude(call, await post(call, `/callback/${encodeURIComponent(id)}`, fields))
  }
  const query = authorizationParams.size > 0 ? `?${authorizationParams}` : ''
  return conclude(call, await post(call, `/signin/${encodeURIComponent(id)}${query}`, fields))
}

function typesOf(app: AuthApp, call: ActionCall): Promise<TypesById> {
  const { worker } = call.settings
  const load = async () => typesIn(await get(call, '/providers'))
  return worker === undefined ? load() : app.providerTypes.of(worker, call.origin.origin, load)
}

/** As the service has it. */
const UNKNOWN = { ok: false, status: 400, error: 'Configuration' } as const

/** Anybody can send any name, and none may forge a line of the log. */
function unknownProvider(id: string, types: TypesById): string {
  const name = id.replace(/[^\x20-\x7e]/g, '?').slice(0, 50)
  const configured = [...types.keys()].join(', ') || 'none'
  return `A form names the provider "${name}", which is not configured. Those that are: ${configured}.`
}

/** Where a person chooses among the providers. */
function signInPage({ settings, origin, callbackUrl }: ActionCall): Outcome {
  const page = new URL(`${origin.origin}${settings.basePath}/signin`)
  page.searchParams.set('callbackUrl', callbackUrl)
  return { url: page.href, ok: true, status: 200, error: undefined, code: undefined }
}
