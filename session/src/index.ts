export { AuthError, CredentialsSignin } from './lib/errors.js'
export type { SessionClaims } from './token/claims.js'
export type { SessionNeeds } from './token/is-enough.js'
export { KeyError } from './token/keys.js'
export { SecretError } from './token/secrets.js'
export type { DefaultSession, Session, User } from './token/session.js'
export {
  type AccessToken,
  createTokenVerifier,
  type TokenReading,
  type TokenVerifier,
} from './verifier/create-token-verifier.js'
export { createVerifier, type ReadOptions, type Verifier } from './verifier/create-verifier.js'
export type { VerifierOptions } from './verifier/options.js'
export { protectMcp } from './verifier/protect-mcp.js'
export type { Reading } from './verifier/reading.js'
export { type WorkerAddress, WorkerUnavailable } from './verifier/worker-client.js'
