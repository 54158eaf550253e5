export {
  Auth,
  type AuthHandler,
  type ConfigSource,
  createAuth,
  type RequestContext,
} from './auth.js'
export { AuthError, CredentialsSignin } from './errors.js'
export type { RawCookie, RawResponse } from './raw-response.js'
export { customFetch, raw, skipCSRFCheck } from './symbols.js'
export type * from './types.js'
