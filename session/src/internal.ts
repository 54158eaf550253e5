/**
 * What Latchkey's own packages share. It is no part of the public interface: any name here may change
 * or go with any release.
 */
export { customFetch } from './internal/custom-fetch.js'
export { ROUTES, type ServiceRoute } from './internal/service-routes.js'
export { CLOCK_SKEW } from './token/claims.js'
export { cookieNames, cookieValues } from './token/cookie.js'
export { configuredSecrets } from './token/secrets.js'
export { TokenVerifier, type Verification } from './token/verify.js'
export { isCutOff, RevocationList } from './verifier/revocations.js'
