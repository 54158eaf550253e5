export { AuthError, CredentialsSignin } from './errors.js'
export { Auth, createAuth } from './features/create-auth.js'
export { customFetch, raw, skipCSRFCheck } from './lib/symbols.js'
export type * from './types.js'
