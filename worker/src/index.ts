export { AuthError, CredentialsSignin } from './errors.js'
export { customFetch, raw, skipCSRFCheck } from './lib/symbols.js'
export { Auth, createAuth } from './service/create-auth.js'
export type * from './types.js'
