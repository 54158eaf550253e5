import type { raw } from './lib/symbols.js'
import type { BuiltIn } from './service/compose-service.js'
import { answerWith, createWith } from './service/create-auth.js'
import type { AuthHandler, ConfigSource } from './types/auth-handler.js'
import type { RawResponse } from './types/raw-response.js'
import type { AuthConfig, Environment } from './types.js'

export { AuthError, CredentialsSignin } from './errors.js'
export { customFetch, raw, skipCSRFCheck } from './lib/symbols.js'
export type * from './types.js'

/**
 * The auth service as a Worker, with the features and languages of its configuration alone. A function config is read for each request, from that request's
 * bindings; keys and providers are made once for the same config and `env`, so return the same
 * object if you can.
 *
 * A configuration that cannot be used is logged by name and answered with 500. An option that is not known
 * is a warning with its path; what takes the place of one of another library, `@latchkey/worker` says.
 *
 * @example
 * import { createAuth } from '@latchkey/worker/core'
 * import { ways } from '@latchkey/worker/features/ways'
 * export default createAuth({ providers: [github()], features: [ways] })
 */
export function createAuth<Env extends object = Environment>(
  source: ConfigSource<Env>,
): AuthHandler<Env> {
  return createWith(NOTHING, source)
}

/**
 * Answers one request with the given config. Without `config.store` sessions are kept in this
 * process's memory, which is for tests and single processes only.
 *
 * @returns with `raw` a {@link RawResponse}; errors are thrown then
 * @example const response = await Auth(request, { providers, secret, basePath: '/auth' })
 */
export function Auth(
  request: Request,
  config: AuthConfig & { readonly raw: typeof raw },
): Promise<RawResponse>
export function Auth(request: Request, config: AuthConfig): Promise<Response>
export function Auth(request: Request, config: AuthConfig): Promise<Response | RawResponse> {
  return answerWith(NOTHING, request, config)
}

/** A service of this entry has sign-in by OAuth and OpenID, sessions, and pages in English. */
const NOTHING: BuiltIn = { features: [], languages: [] }
