export { customFetch } from '@latchkey/host/shared'

/**
 * With `raw` set to this symbol in its config, `Auth` returns a {@link RawResponse} and throws
 * errors instead of redirecting: for frameworks that set cookies and redirect in their own way.
 *
 * @example await Auth(request, { ...config, raw })
 */
export const raw: unique symbol = Symbol('latchkey.raw')

/**
 * With `skipCSRFCheck` set to this symbol in the config, POST requests need no CSRF token. Only
 * for a caller in the same process that has checked the request's origin itself.
 *
 * @example await Auth(request, { ...config, skipCSRFCheck })
 */
export const skipCSRFCheck: unique symbol = Symbol('latchkey.skip-csrf-check')
