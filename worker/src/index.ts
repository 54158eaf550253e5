import { ADVICE } from '@latchkey/host/shared'
import { EVERYTHING } from './features/all.js'
import type { raw } from './lib/symbols.js'
import { answerWith, createWith } from './service/create-auth.js'
import type { AuthHandler, ConfigSource } from './types/auth-handler.js'
import type { RawResponse } from './types/raw-response.js'
import type { AuthConfig, Environment } from './types.js'

export { AuthError, CredentialsSignin } from './errors.js'
export { customFetch, raw, skipCSRFCheck } from './lib/symbols.js'
export type * from './types.js'

/**
 * The auth service as a Worker, with every feature and language. A function config is read for each request, from that request's
 * bindings; keys and providers are made once for the same config and `env`, so return the same
 * object if you can.
 *
 * A configuration that cannot be used is logged by name and answered with 500. An option that is not known
 * is a warning with its path.
 *
 * @example
 * export default createAuth((env: Env) => ({ basePath: '/auth', providers: [videoapp()] }))
 */
export function createAuth<Env extends object = Environment>(
  source: ConfigSource<Env>,
): AuthHandler<Env> {
  return createWith(EVERYTHING, source, ADVICE)
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
  return answerWith(EVERYTHING, request, config, ADVICE)
}
